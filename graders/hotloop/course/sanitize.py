"""Sanitizes learners' content for feedback pages and formgrader.

nbgrader shows a student's HTML and scripts unchanged to a logged-in instructor. Here HTML is
cleaned by nh3 (an allow-list on a browser-like parser), other data by an allow-list of types, and
Markdown is kept only if it contains nothing that a browser could run; otherwise its source is
shown.
"""

import base64
import binascii
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, cast

import nh3

from hotloop.tasks.notebook_cells import writable

MAX_MARKDOWN = 64 * 1024
"""In characters. Longer Markdown is shown as source, unparsed."""
MAX_ENVIRONMENTS = 100
"""Most occurrences of `\\begin{`: for each unclosed one the parser searches the rest."""

LINK = re.compile(r"(https?://|mailto:|#)", re.IGNORECASE)
"""Targets that a link may have."""
PICTURE = re.compile(r"data:image/(png|jpeg|gif);base64,[A-Za-z0-9+/=\s]*")
"""Sources that a picture may have."""
LAYOUT = re.compile(r"<(br|hr|sub|sup|/sub|/sup)\s*/?>\s*", re.IGNORECASE)
"""HTML that Markdown may have: without attributes, and ended with the cell if it is left open."""

_TAGS = frozenset(nh3.ALLOWED_TAGS) - {"area", "map"}
_MAGIC = {
    "image/png": b"\x89PNG\r\n\x1a\n",
    "image/jpeg": b"\xff\xd8\xff",
    "image/gif": b"GIF8",
}
_FENCE = re.compile(r"`{3,}|~{3,}")


def harmless_html(text: str) -> str:
    """Return the HTML without anything that runs, loads, overlays or submits."""
    return nh3.clean(
        text,
        tags=set(_TAGS),
        attribute_filter=_attribute,
        url_schemes={"http", "https", "mailto", "data"},
        link_rel="noopener noreferrer nofollow",
    )


def harmless_markdown(
    source: str, attachments: Mapping[str, Mapping[str, str]] = MappingProxyType({})
) -> str:
    """Return the source, or a code block with it if rendering could do harm.

    attachments: pictures that it may show, which then follow the code block.
    """
    short = len(source) <= MAX_MARKDOWN and source.count("\\begin{") <= MAX_ENVIRONMENTS
    if short:
        # nbconvert takes half a second to import, and few outputs are Markdown.
        from hotloop.course.inspect_markdown import renders_harmlessly

        if renders_harmlessly(source, attachments):
            return source
    pictures = [f"![](attachment:{name})" for name in attachments]
    return "\n\n".join([literal(source), *pictures])


def literal(source: str) -> str:
    """Return Markdown that shows `source` literally."""
    longest = max((len(run) for run in _FENCE.findall(source)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}text\n{source}\n{fence}"


def harmless_data(bundle: Mapping[str, Any]) -> dict[str, str]:
    """Return the displayable parts of a display's data, sanitized."""
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
        elif is_picture(kind, text):
            shown[kind] = text
    return shown


def _joined(value: Any) -> str | None:
    if isinstance(value, list):
        parts = cast(list[Any], value)
        whole = "".join(parts) if all(isinstance(part, str) for part in parts) else None
    else:
        whole = value if isinstance(value, str) else None
    return writable(whole) if whole is not None else None


def is_picture(kind: str, text: str) -> bool:
    """True for the base64 of a picture of this MIME type, if pages show such pictures."""
    if kind not in _MAGIC:
        return False
    try:
        data = base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return False
    return data.startswith(_MAGIC[kind])


def _attribute(element: str, attribute: str, value: str) -> str | None:
    if attribute == "href":
        return value if LINK.match(value) else None
    if attribute == "src":
        return value if element == "img" and PICTURE.fullmatch(value) else None
    # Browsers do not load `cite`, but it is not needed.
    return None if attribute == "cite" else value
