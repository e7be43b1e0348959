"""Finds the position of each field in protobuf's text format.

Protobuf's parser gives positions only for errors. This one is for texts that protobuf has parsed:
it knows no types and checks nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"""\s+|\#[^\n]*|(?P<token>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[\w.+-]+|[^\s\w])"""
)
_CLOSING = {"{": "}", "<": ">"}
Step = str | int


@dataclass
class FieldPosition:
    """Position and content of a field's value. line, column: from 1.

    text: of a scalar, without quotation marks. fields: of a message, each with its values in order.
    """

    line: int
    column: int
    text: str = ""
    fields: dict[str, list[FieldPosition]] = field(default_factory=dict[str, "list[FieldPosition]"])

    def at(self, *path: Step) -> FieldPosition:
        """Return the place at a path, or of the last part of the path that exists.

        path: names, each optionally followed by an index from 0; a name alone is its first value.
        """
        here = self
        steps = list(path)
        while steps:
            values = here.fields.get(str(steps.pop(0)), [])
            index = steps.pop(0) if steps and isinstance(steps[0], int) else 0
            if int(index) >= len(values):
                return here
            here = values[int(index)]
        return here


def locate(text: str) -> FieldPosition:
    """Parse a text; return the place of the whole message, which is line 1, column 1."""
    tokens = list(_tokens(text))
    return _Reader(tokens).message(FieldPosition(1, 1), "")


def _tokens(text: str) -> Iterator[tuple[str, int, int]]:
    line, line_start = 1, 0
    for match in _TOKEN.finditer(text):
        token = match["token"]
        if token is not None:
            yield token, line, match.start() - line_start + 1
        breaks = match[0].count("\n")
        if breaks:
            line += breaks
            line_start = match.start() + match[0].rindex("\n") + 1


class _Reader:
    def __init__(self, tokens: list[tuple[str, int, int]]) -> None:
        self._tokens = tokens
        self._next = 0

    def message(self, place: FieldPosition, closing: str) -> FieldPosition:
        while (token := self._peek()) and token != closing:
            name = self._take()[0]
            if name in ",;":
                continue
            self._skip(":")
            values = place.fields.setdefault(name, [])
            if self._peek() != "[":
                values.append(self._value())
                continue
            self._take()
            while (token := self._peek()) and token != "]":
                values.append(self._value())
                self._skip(",")
            self._skip("]")
        self._skip(closing)
        return place

    def _value(self) -> FieldPosition:
        token, line, column = self._take()
        place = FieldPosition(line, column)
        if token in _CLOSING:
            return self.message(place, _CLOSING[token])
        # Adjacent strings are joined; a minus may be separate from its number.
        place.text = token.strip("\"'")
        while token == "-" or (token[0] in "\"'" and self._peek()[:1] in ('"', "'")):
            token = self._take()[0]
            place.text += token.strip("\"'")
        return place

    def _peek(self) -> str:
        return self._tokens[self._next][0] if self._next < len(self._tokens) else ""

    def _take(self) -> tuple[str, int, int]:
        if self._next >= len(self._tokens):
            return " ", 1, 1
        self._next += 1
        return self._tokens[self._next - 1]

    def _skip(self, token: str) -> None:
        if token and self._peek() == token:
            self._next += 1
