"""A hook of mkdocs: each page says what it may load and run, so that nothing else can.

Scripts come from the site's own files; those inside a page are allowed one by one, by their hashes.
WebAssembly is allowed for the simulator. A worker obeys the policy that its server sends, if any.
"""

import base64
import hashlib
import re
from typing import Any

_CHARSET = '<meta charset="utf-8">'
_INLINE = re.compile(r"<script(?P<attributes>[^>]*)>(?P<code>.*?)</script>", re.DOTALL)


def policy(html: str) -> str:
    """Return the Content-Security-Policy of a page."""
    scripts = ["'self'", "'wasm-unsafe-eval'", *sorted(_hashes(html))]
    return "; ".join(
        [
            "default-src 'self'",
            f"script-src {' '.join(scripts)}",
            "style-src 'self' 'unsafe-inline'",  # attributes of figures, and the editor's sheet
            "img-src 'self' data: blob:",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'self'",
        ]
    )


def _hashes(html: str) -> set[str]:
    return {
        f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'"
        for attributes, code in _INLINE.findall(html)
        if "src=" not in attributes and "type=" not in attributes
    }


def with_policy(html: str) -> str:
    """Return the page with its policy. Raises ValueError if it has no character set."""
    if _CHARSET not in html:
        raise ValueError(f"the page has no {_CHARSET}")
    tag = f'<meta http-equiv="Content-Security-Policy" content="{policy(html)}">'
    return html.replace(_CHARSET, f"{_CHARSET}\n{tag}", 1)


def on_post_page(output: str, **_: Any) -> str:
    """Mkdocs calls this with each page that it has rendered."""
    return with_policy(output)
