"""Text in lines. Rich breaks lines at spaces, of which Chinese has none between words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.text import Text

_CHINESE = r"\u3000-\u303f\u3400-\u9fff\uff00-\uffef"
_PIECE = re.compile(rf"[{_CHINESE}]|\s+|[^\s{_CHINESE}]+")
_NEVER_FIRST = "。，、；：？！）》」』】”’"
_CODE = r"`[^`]+`"


class Prose:
    """A text for people. Code in it is coloured."""

    def __init__(self, text: str) -> None:
        self._text = text.strip()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        shown = self._text
        if re.search(f"[{_CHINESE}]", shown):
            lines = shown.splitlines()
            shown = "\n".join(part for each in lines for part in wrapped(each, options.max_width))
        styled = Text(shown)
        styled.highlight_regex(_CODE, "cyan")
        yield styled

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement.get(console, options, Text(self._text))


def wrapped(line: str, width: int) -> Iterator[str]:
    """The line in parts of at most `width` cells."""
    row = ""
    for piece in _units(line):
        if row and cell_len((row + piece).rstrip()) > width:
            yield row.rstrip()
            row = ""
        row += piece if row else piece.lstrip()
    yield row.rstrip()


def _units(line: str) -> Iterator[str]:
    """What stays together: a word, or a character, with the signs that must not begin a line."""
    held = ""
    for piece in _PIECE.findall(line):
        if held and piece[0] not in _NEVER_FIRST:
            yield held
            held = ""
        held += piece
    if held:
        yield held
