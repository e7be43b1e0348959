"""Makes what a learner wrote harmless to whoever looks at it: feedback pages and formgrader.

nbgrader shows a student's HTML and scripts as they are, to an instructor who is logged in. Here
HTML goes through nh3 (an allow-list over a parser that parses as browsers do), other kinds of data
through an allow-list of types, and Markdown stays as it is only when it holds nothing that a
browser could run; else it is shown as its own source.
"""

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any, cast

import nh3
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from hotloop.notebook_cells import writable

MAX_MARKDOWN = 64 * 1024
"""Characters. Longer Markdown is shown as its source, unparsed."""
MAX_ENVIRONMENTS = 100
"""How often Markdown may say `\\begin{`. For each that is never ended, all the rest is searched."""

_TAGS = frozenset(nh3.ALLOWED_TAGS) - {"area", "map"}
_LINK = re.compile(r"(https?://|mailto:|#)", re.IGNORECASE)
_PICTURE = re.compile(r"data:image/(png|jpeg|gif);base64,[A-Za-z0-9+/=\s]*")
_MAGIC = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff"}
_FENCE = re.compile(r"`{3,}|~{3,}")


def harmless_html(text: str) -> str:
    """The HTML without anything that runs, loads, overlays or submits."""
    return nh3.clean(
        text,
        tags=set(_TAGS),
        attribute_filter=_attribute,
        url_schemes={"http", "https", "mailto", "data"},
        link_rel="noopener noreferrer nofollow",
    )


def harmless_markdown(source: str) -> str:
    """The source itself, or a code block showing it when rendering it could do harm."""
    short = len(source) <= MAX_MARKDOWN and source.count("\\begin{") <= MAX_ENVIRONMENTS
    return source if short and _renders_harmlessly(source) else literal(source)


def literal(source: str) -> str:
    """Markdown that shows `source` character by character."""
    longest = max((len(run) for run in _FENCE.findall(source)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}text\n{source}\n{fence}"


def harmless_data(bundle: Mapping[str, Any]) -> dict[str, str]:
    """The parts of a display's data that may be shown, made harmless."""
    shown: dict[str, str] = {}
    for kind, value in bundle.items():
        text = _joined(value)
        if text is None:
            continue
        if kind in {"text/plain", "text/latex"}:
            shown[kind] = text
        elif kind == "text/html":
            shown[kind] = harmless_html(text)
        elif kind == "text/markdown":
            shown[kind] = harmless_markdown(text)
        elif kind in _MAGIC and _is_picture(text, _MAGIC[kind]):
            shown[kind] = text
    return shown


def _joined(value: Any) -> str | None:
    if isinstance(value, list):
        parts = cast(list[Any], value)
        whole = "".join(parts) if all(isinstance(part, str) for part in parts) else None
    else:
        whole = value if isinstance(value, str) else None
    return writable(whole) if whole is not None else None


def _is_picture(text: str, magic: bytes) -> bool:
    try:
        return base64.b64decode("".join(text.split()), validate=True).startswith(magic)
    except (binascii.Error, ValueError):
        return False


def _attribute(element: str, attribute: str, value: str) -> str | None:
    if attribute == "href":
        return value if _LINK.match(value) else None
    if attribute == "src":
        return value if element == "img" and _PICTURE.fullmatch(value) else None
    # `cite` on quotations is never followed, but nothing needs it either.
    return None if attribute == "cite" else value


class _Inspector(IPythonRenderer):
    """Renders as nbconvert does and notes what a browser could act on."""

    suspicious = False

    def block_html(self, html: str) -> str:
        return self._refuse(html)

    def inline_html(self, html: str) -> str:
        return self._refuse(html)

    def block_mermaidjs(self, code: str) -> str:
        return self._refuse(code)

    def link(self, text: str, url: str, title: str | None = None) -> str:
        self.suspicious |= not _LINK.match(url)
        return super().link(text, url, title)

    def image(self, text: str, url: str, title: str | None = None) -> str:
        self.suspicious |= not _PICTURE.fullmatch(url)
        return super().image(text, url, title)

    def _refuse(self, text: str) -> str:
        self.suspicious = True
        return text


def _renders_harmlessly(source: str) -> bool:
    inspector = _Inspector(escape=False)
    try:
        MarkdownWithMath(renderer=inspector).render(source)
    except Exception:  # noqa: BLE001 - what the renderer cannot render, it must not be given
        return False
    return not inspector.suspicious
