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
    """Tokens of the preprocessor's output; what comes from system headers is one token each."""
    tokens: list[Token] = []
    file, line, system = "", 1, False
    for part in _regions(preprocessed):
        marker = _MARKER.match(part)
        if marker:
            line = int(marker[1])
            file = marker[2].encode().decode("unicode_escape")
            system = _SYSTEM in marker[3].split()
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


def text_of(tokens: Sequence[Token]) -> str:
    """The tokens of code as they would be written on one line."""
    return re.sub(r"\s+", " ", "".join(t.text for t in tokens if t.kind != "marker")).strip()
