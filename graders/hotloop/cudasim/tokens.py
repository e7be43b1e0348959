"""C++ text as tokens, with the file and line that each stands on. Enough to find CUDA in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
    (?P<marker>^\#[^\n]*\n)
  | (?P<space>\s+)
  | (?P<raw>(?:u8|[uUL])?R"(?P<fence>[^()\\\s]{0,16})\(.*?\)(?P=fence)")
  | (?P<string>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*")
  | (?P<char>(?:u8|[uUL])?'(?:[^'\\\n]|\\.)+')
  | (?P<word>[A-Za-z_]\w*)
  | (?P<number>\.?\d(?:[eEpP][+-]|['\w.])*)
  | (?P<sign><<<|>>>|::|->|.)
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_MARKER = re.compile(r'# (\d+) "((?:[^"\\]|\\.)*)"([ \d]*)')
_SYSTEM = "3"

OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = {close: open_ for open_, close in OPENING.items()}


@dataclass
class Token:
    """One token; `text` is what will be written, and may be changed."""

    kind: str
    text: str
    file: str
    line: int


def tokenize(preprocessed: str) -> list[Token]:
    """Tokens of the preprocessor's output; what comes from system headers is one token each.

    Where a macro of a system header is used, the preprocessor marks its text as the system's too,
    but under the name of the user's file: that is code of the user's.
    """
    tokens: list[Token] = []
    users: set[str] = set()
    file, line, system = "", 1, False
    for part in _regions(preprocessed):
        marker = _MARKER.match(part)
        if marker:
            line = int(marker[1])
            file = marker[2].encode().decode("unicode_escape")
            system = _SYSTEM in marker[3].split()
            if system:
                system = file not in users
            else:
                users.add(file)
            tokens.append(Token("marker", part, file, line))
        elif system:
            tokens.append(Token("system", part, file, line))
        else:
            line = _append(tokens, part, file, line)
    return tokens


def _regions(text: str) -> list[str]:
    """Linemarkers, and what lies between them."""
    parts: list[str] = []
    rest: list[str] = []
    for row in text.splitlines(keepends=True):
        if row.startswith("# ") and _MARKER.match(row):
            if rest:
                parts.append("".join(rest))
                rest = []
            parts.append(row)
        else:
            rest.append(row)
    if rest:
        parts.append("".join(rest))
    return parts


def _append(tokens: list[Token], text: str, file: str, line: int) -> int:
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup or "sign"
        if kind == "fence":
            kind = "raw"
        tokens.append(Token(kind, found[0], file, line))
        line += found[0].count("\n")
    return line


def is_code(token: Token) -> bool:
    """True for what a parser sees."""
    return token.kind not in {"space", "marker", "system"}


def following(tokens: Sequence[Token], index: int) -> int:
    """Index of the next token of code behind `index`, or len(tokens)."""
    index += 1
    while index < len(tokens) and not is_code(tokens[index]):
        index += 1
    return index


def preceding(tokens: Sequence[Token], index: int) -> int:
    """Index of the token of code before `index`, or -1."""
    index -= 1
    while index >= 0 and not is_code(tokens[index]):
        index -= 1
    return index


def matching(tokens: Sequence[Token], index: int) -> int:
    """Index of the bracket that closes the one at `index`, or len(tokens)."""
    depth = 0
    while index < len(tokens):
        if is_code(tokens[index]):
            if tokens[index].text in OPENING:
                depth += 1
            elif tokens[index].text in CLOSING:
                depth -= 1
                if depth == 0:
                    return index
        index += 1
    return index


def find_at_depth(tokens: Sequence[Token], index: int, wanted: frozenset[str]) -> int:
    """Index of the first of `wanted` from `index` on, outside of all brackets that open later."""
    while index < len(tokens):
        token = tokens[index]
        if is_code(token):
            if token.text in wanted:
                return index
            if token.text in OPENING:
                index = matching(tokens, index)
        index += 1
    return index


ALIGNMENT = frozenset({"__align__", "alignas", "__attribute__"})
"""Words that, with the brackets behind them, may stand nearly anywhere in a declaration."""


def without_alignment(tokens: Sequence[Token]) -> list[Token]:
    """Tokens of code, without alignment specifiers and attributes."""
    kept: list[Token] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if token.text in ALIGNMENT:
            index = matching(tokens, following(tokens, index)) + 1
            continue
        if is_code(token) and token.text:
            kept.append(token)
        index += 1
    return kept


def commas(tokens: Sequence[Token]) -> list[int]:
    """Indices of the commas outside of all brackets, angle brackets included."""
    found: list[int] = []
    depth = angles = 0
    for index, token in enumerate(tokens):
        if not is_code(token):
            continue
        if token.text in OPENING:
            depth += 1
        elif token.text in CLOSING:
            depth -= 1
        elif depth == 0 and token.text == "<":
            angles += 1
        elif depth == 0 and is_closing_angle(token):
            angles = max(0, angles - len(token.text))
        elif depth == 0 and angles == 0 and token.text == ",":
            found.append(index)
    return found


def split(tokens: Sequence[Token]) -> list[Sequence[Token]]:
    """The pieces between the commas; none where there is no code at all."""
    if not any(is_code(t) for t in tokens):
        return []
    pieces: list[Sequence[Token]] = []
    start = 0
    for comma in [*commas(tokens), len(tokens)]:
        pieces.append(tokens[start:comma])
        start = comma + 1
    return pieces


def is_closing_angle(token: Token) -> bool:
    """True for > and >>>, which closes three."""
    return token.kind == "sign" and token.text in {">", ">>>"}


def closing_angle(tokens: Sequence[Token], index: int) -> int:
    """Index of the > that closes the < at `index`, or len(tokens)."""
    depth = 0
    while index < len(tokens):
        token = tokens[index]
        if is_code(token):
            if token.text in OPENING:
                index = matching(tokens, index)
            elif token.text == "<":
                depth += 1
            elif is_closing_angle(token):
                depth -= len(token.text)
                if depth <= 0:
                    return index
        index += 1
    return index


def opening_angle(tokens: Sequence[Token], index: int) -> int:
    """Index of the < that the > (or the last of >>>) at `index` closes, or 0."""
    depth = brackets = 0
    while index > 0:
        token = tokens[index]
        if is_code(token):
            if token.text in CLOSING:
                brackets += 1
            elif token.text in OPENING:
                brackets -= 1
            elif brackets == 0 and is_closing_angle(token):
                depth += len(token.text)
            elif brackets == 0 and token.text == "<":
                depth -= 1
                if depth == 0:
                    return index
        index -= 1
    return 0


def opening(tokens: Sequence[Token], index: int) -> int:
    """Index of the bracket that the one at `index` closes, or 0."""
    depth = 0
    while index > 0:
        if is_code(tokens[index]):
            if tokens[index].text in CLOSING:
                depth += 1
            elif tokens[index].text in OPENING:
                depth -= 1
                if depth == 0:
                    return index
        index -= 1
    return 0


def statement(tokens: Sequence[Token], index: int, end: int) -> list[Token]:
    """Tokens of code of the declaration around `index`, from its beginning up to `end`."""
    start = index
    while start > 0 and tokens[start - 1].text not in {";", "{", "}"}:
        if tokens[start - 1].kind == "system":
            break
        start -= 1
    return [t for t in tokens[start:end] if is_code(t)]


def text_of(tokens: Sequence[Token]) -> str:
    """The tokens of code as they would be written on one line."""
    return re.sub(r"\s+", " ", "".join(t.text for t in tokens if t.kind != "marker")).strip()
