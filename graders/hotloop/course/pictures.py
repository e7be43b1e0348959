"""Keeps the pictures of written answers: pasted ones, and files that were handed in with them.

A reader's page shows them as `data:` images. Names are made here, because nbconvert gives up on a
page with one attachment that it does not find, and encodes names with spaces.
"""

import base64
import posixpath
import re
from collections.abc import Callable, Mapping
from typing import Any, cast
from urllib.parse import unquote

from hotloop.core.wire import as_message
from hotloop.course.sanitize import is_picture
from hotloop.tasks.notebook_cells import Cell, writable

Attachments = dict[str, dict[str, str]]
"""As in nbformat: by name, base64 by MIME type."""

MAX_PICTURES = 8 << 20
"""Most characters of base64 of all pictures of a notebook, which are 6 MiB of files."""
MAX_NOTES = 20
MAX_NAME = 100
"""Most characters of a picture's name in a note."""

_SUFFIXES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif"}
_MARKDOWN = re.compile(
    r"!\[(?P<text>[^\]\n]{0,500})\]\(\s{0,9}(?:<(?P<angled>[^<>\n]{0,500})>|(?P<plain>[^)\s]{1,500}))"
    r"(?:\s{1,9}[\"'][^\"'\n]{0,500}[\"'])?\s{0,9}\)"
)
_HTML = re.compile(
    r"<img\s[^<>]{0,500}?\bsrc\s{0,9}=\s{0,9}[\"']?(?P<html>[^<>\"'\s]{1,500})[^<>]{0,500}>",
    re.IGNORECASE,
)
"""All lengths are limited: searching takes linear time."""
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//|#", re.IGNORECASE)
_ATTACHED = "attachment:"


class Pictures:
    """The pictures of one notebook, within one limit. notes: on those that are left out."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        """files: those handed in with the notebook, by path."""
        self.notes: list[str] = []
        self._files = files
        self._left = MAX_PICTURES
        self._count = 0

    def of(self, cell: Cell) -> tuple[str, Attachments]:
        """Return the cell's text with its pictures renamed, and these pictures."""
        kept: Attachments = {}
        written: dict[str, str] = {}
        pasted = {
            unquote(name): data for name, data in (as_message(cell.attachments) or {}).items()
        }

        def renamed(target: str, text: str, source: str) -> str:
            name = unquote(target)
            if not name.startswith(_ATTACHED) and _ELSEWHERE.match(name):
                return source
            if name not in written:
                written[name] = self._keep(name, pasted, kept)
            own = written[name]
            return f"![{text}]({_ATTACHED}{own})" if own in kept else f"[{own}] {text}".rstrip()

        source = _MARKDOWN.sub(_in_markdown(renamed), cell.source)
        source = _HTML.sub(lambda found: renamed(found["html"], "", found[0]), source)
        return source, kept

    def _keep(self, name: str, pasted: Mapping[str, Any], kept: Attachments) -> str:
        """Add a picture to `kept`; return its new name, or what is written in its place."""
        is_pasted = name.removeprefix(_ATTACHED) in pasted
        found = _pasted(pasted[name.removeprefix(_ATTACHED)]) if is_pasted else self._file(name)
        if found is None:
            self._leave_out(name, "it was not handed in, or is no PNG, JPEG or GIF")
            return f"picture {_short(name)} is missing"
        kind, data = found
        if len(data) > self._left:
            self._leave_out(name, f"all pictures have more than {MAX_PICTURES * 3 >> 22} MiB")
            return f"picture {_short(name)} is left out"
        self._left -= len(data)
        self._count += 1
        own = f"picture-{self._count}.{kind.removeprefix('image/')}"
        kept[own] = {kind: data}
        return own

    def _file(self, name: str) -> tuple[str, str] | None:
        path = posixpath.normpath(name)
        kind = _SUFFIXES.get(posixpath.splitext(path)[1].lower(), "")
        if not kind or path not in self._files:
            return None
        data = base64.b64encode(self._files[path][:MAX_PICTURES]).decode()
        return (kind, data) if is_picture(kind, data) else None

    def _leave_out(self, name: str, why: str) -> None:
        if len(self.notes) < MAX_NOTES:
            self.notes.append(f"The picture “{_short(name)}” is not shown: {why}.")


def _pasted(bundle: Any) -> tuple[str, str] | None:
    for kind, data in (as_message(bundle) or {}).items():
        text = "".join(_text(data).split())
        if is_picture(kind, text):
            return kind, text
    return None


def _in_markdown(renamed: Callable[[str, str, str], str]) -> Callable[[re.Match[str]], str]:
    return lambda found: renamed(found["angled"] or found["plain"] or "", found["text"], found[0])


def _text(data: Any) -> str:
    """Return base64, which older notebooks keep in lines."""
    if isinstance(data, list):
        return "".join(part for part in cast(list[Any], data) if isinstance(part, str))
    return data if isinstance(data, str) else ""


def _short(name: str) -> str:
    return writable(name.removeprefix(_ATTACHED))[:MAX_NAME]
