"""Program text as runs of tokens, blind to names, comments, layout and the values of literals.

Pygments reads the languages. Names of attributes are kept: `.amax` is the library's word and not
the candidate's. All runs are compared. A winnowing library keeps some of them, chosen by Python's
salted hash, and the figure in a report would change from process to process.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, cast

from pygments import lexers
from pygments.lexer import Lexer
from pygments.token import Token

from hotloop.takehome.integrity.parts import Language

Runs = Counter[tuple[str, ...]]

LENGTH = 8
"""Tokens of a run. Longer ones break at every edit, shorter ones are the language's idioms."""

_NAMED = re.compile(r"\\N(?=\{)")
_SPACES = re.compile(r"[^\S\n]+")
_LINES = re.compile(r"\s*\n\s*")

_NAMES: dict[Language, str] = {"python": "python", "cuda": "cuda", "text": "text"}
"""What Pygments calls them."""


@lru_cache(maxsize=1024)
def runs(text: str, language: Language) -> Runs:
    """All runs of `LENGTH` tokens, with how often each is there. Not to be changed."""
    found = list(tokens(text, language))
    return Counter(tuple(found[i : i + LENGTH]) for i in range(len(found) - LENGTH + 1))


def tokens(text: str, language: Language) -> Iterator[str]:
    """One word a token."""
    before = ""
    # Pygments takes time with the cube of a run of spaces, on whose length no token depends, and
    # with the square of the number of characters that are given by name and never end.
    text = _NAMED.sub("N", text)
    text = _LINES.sub("\n", _SPACES.sub(" ", text))
    for kind, value in _lexer(language).get_tokens(text):
        if language == "text":
            yield from value.split()
            continue
        word = _word(kind, value, before)
        if word:
            yield word
            before = word


def _lexer(language: Language) -> Lexer:
    return cast(Lexer, cast(Any, lexers).get_lexer_by_name(_NAMES[language]))


def _word(kind: object, value: str, before: str) -> str:
    if _in(kind, Token.Comment) or _in(kind, Token.Text) or _in(kind, Token.Literal.String.Doc):
        return ""
    if _in(kind, Token.Literal.String):
        # A string comes in pieces: the whole of it is one token.
        return "" if before == "“”" else "“”"
    if _in(kind, Token.Literal.Number):
        return "0"
    if _in(kind, Token.Name):
        kept = _in(kind, Token.Name.Builtin) or before == "."
        return value if kept else "name"
    return value.strip()


def _in(kind: object, whole: object) -> bool:
    return kind in whole  # pyright: ignore[reportOperatorIssue, reportUnknownVariableType]
