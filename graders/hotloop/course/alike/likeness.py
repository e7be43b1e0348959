"""Similarity of two pieces of code without the starter code, by tokens and by syntax tree.

Runs of tokens ignore names, comments, layout and the values of literals. Attribute names are kept:
`.amax` is the library's name and not the candidate's. All runs are compared: winnowing libraries
keep a subset chosen by Python's salted hash, so that the figure in a report would vary between
processes. A syntax subtree is identified by a digest that ignores the same things; moved statements
and reordered functions keep their digests.
"""

import ast
import hashlib
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar, cast

from pygments import lexers
from pygments.lexer import Lexer
from pygments.token import Token

from hotloop.course.alike.parts import Language, WorkPart, parts, with_more
from hotloop.tasks.curriculum import Module

SMALLEST = 7
"""Smallest subtree that counts, in nodes. `x[i] = y + 1` has about as many, and is common code."""

Subtrees = Counter[bytes]


@lru_cache(maxsize=1024)
def subtrees(text: str) -> Subtrees | None:
    """Return the digests of subtrees with their counts, or None if `text` does not parse.

    The result is cached: do not modify it.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            tree = ast.parse(text)
        counts: Subtrees = Counter()
        _add(tree, counts)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return counts


def _add(node: ast.AST, counts: Subtrees) -> tuple[bytes, int]:
    """Return digest and size of a subtree, and add it and its subtrees to `found`."""
    size = 1
    total = hashlib.blake2b(_label(node).encode(), digest_size=12)
    for child in ast.iter_child_nodes(node):
        if _is_docstring(child):
            continue
        digest, count = _add(child, counts)
        total.update(digest)
        size += count
    digest = total.digest()
    if size >= SMALLEST and not isinstance(node, ast.Module):
        counts[digest] += 1
    return digest, size


def _label(node: ast.AST) -> str:
    name = type(node).__name__
    if isinstance(node, ast.Attribute):
        return f"{name}.{node.attr}"
    if isinstance(node, ast.Constant):
        return f"{name}:{type(node.value).__name__}"
    if isinstance(node, ast.keyword):
        return f"{name}={node.arg}"
    return name


def _is_docstring(node: ast.AST) -> bool:
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Constant):
        return False
    return isinstance(node.value.value, str)


Runs = Counter[tuple[str, ...]]

RUN = 8
"""Tokens in a run. Longer runs break at every edit; shorter ones are idioms of the language."""

_NAMED = re.compile(r"\\N(?=\{)")
_SPACES = re.compile(r"[^\S\n]+")
_LINES = re.compile(r"\s*\n\s*")


@lru_cache(maxsize=1024)
def token_runs(text: str, language: Language) -> Runs:
    """Return all runs of `RUN` tokens with their counts. The result is cached: do not modify it."""
    words = list(tokens(text, language))
    return Counter(tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1))


def tokens(text: str, language: Language) -> Iterator[str]:
    """Yield one word per token."""
    before = ""
    # Pygments' time grows with the cube of a run of spaces, whose length affects no token, and
    # with the square of the number of unterminated named characters (\N{).
    text = _NAMED.sub("N", text)
    text = _LINES.sub("\n", _SPACES.sub(" ", text))
    # Pygments has the same names for the languages.
    lexer = cast(Lexer, cast(Any, lexers).get_lexer_by_name(language))
    for kind, value in lexer.get_tokens(text):
        if language == "text":
            yield from value.split()
            continue
        word = _word(kind, value, before)
        if word:
            yield word
            before = word


def _word(kind: object, value: str, before: str) -> str:
    if _in(kind, Token.Comment) or _in(kind, Token.Text) or _in(kind, Token.Literal.String.Doc):
        return ""
    if _in(kind, Token.Literal.String):
        # A string arrives in pieces; together they are one token.
        return "" if before == "“”" else "“”"
    if _in(kind, Token.Literal.Number):
        return "0"
    if _in(kind, Token.Name):
        keeps_name = _in(kind, Token.Name.Builtin) or before == "."
        return value if keeps_name else "name"
    return value.strip()


def _in(kind: object, whole: object) -> bool:
    return kind in whole  # pyright: ignore[reportOperatorIssue, reportUnknownVariableType]


Printed = tuple[WorkPart, "Print"]
"""A part of a submission and its fingerprint."""

KeyT = TypeVar("KeyT")

MODERATE, STRONG = 0.5, 0.75
"""Similarity from which it is reported as moderate or strong.

`tests/benchmarks/similarity.py` measures how often independent work exceeds these thresholds.
"""

FEWEST_RUNS = 40
"""Least number of token runs that both must have; shorter code is similar by chance."""


@dataclass(frozen=True)
class Print:
    """The fingerprint of a piece of code. trees: None if it is not Python that parses."""

    runs: Runs = field(repr=False)
    trees: Subtrees | None = field(repr=False)

    @property
    def long_enough(self) -> bool:
        """Return True if it is long enough to be compared."""
        return self.runs.total() >= FEWEST_RUNS


@dataclass(frozen=True)
class Likeness:
    """Shares, 0 to 1, of the smaller fingerprint that the larger one contains.

    trees: None if unknown.
    """

    tokens: float
    trees: float | None

    @property
    def score(self) -> float:
        """The smaller of the two shares, so that both must agree."""
        return self.tokens if self.trees is None else min(self.tokens, self.trees)

    @property
    def said(self) -> str:
        """The shares as a sentence."""
        trees = "" if self.trees is None else f" and {self.trees:.0%} of the syntax subtrees"
        return (
            f"{self.tokens:.0%} of the runs of tokens{trees} of the shorter one are also in the "
            "longer one; what was handed out is not counted."
        )


def print_of(text: str, language: Language, starters: Iterable[str] = ()) -> Print:
    """Return the fingerprint of a text, without what any of the starters contains."""
    return _print_of(text, language, tuple(starters))


@lru_cache(maxsize=1024)
def _print_of(text: str, language: Language, starters: tuple[str, ...]) -> Print:
    """Cached, because every new submission is compared with all earlier ones."""
    runs = token_runs(text, language)
    trees = subtrees(text) if language == "python" else None
    for starter in starters:
        runs = _without(runs, token_runs(starter, language))
        starter_trees = subtrees(starter) if language == "python" else None
        if trees is not None and starter_trees is not None:
            trees = _without(trees, starter_trees)
    return Print(runs, trees)


def print_of_part(part: WorkPart, starters: Iterable[WorkPart] = ()) -> Print:
    """Like `print_of`, for a part; starters are the parts of the same name."""
    texts = [starter.text for starter in starters if starter.name == part.name]
    return print_of(part.text, part.language, texts)


def prints(
    module: Module, tasks: Sequence[str], files: Mapping[str, bytes], starter: Mapping[str, bytes]
) -> list[Printed]:
    """Return the fingerprint of each part, first with added program files, if any, then alone.

    starter: the files that the work began from.
    """
    starter_parts = parts(starter, module, tasks)
    own = parts(files, module, tasks)
    more = [longer for part in own if (longer := with_more(part, files, starter)) is not None]
    return [(part, print_of_part(part, starter_parts)) for part in (*more, *own)]


def alike(
    mine: Iterable[Printed], theirs: Iterable[Printed]
) -> Iterator[tuple[WorkPart, Likeness]]:
    """Yield the similarity of parts that both submissions have; skips parts that are too short."""
    others = {part.name: printed for part, printed in theirs}
    for part, own in mine:
        similarity = likeness(own, others[part.name]) if part.name in others else None
        if similarity is not None:
            yield part, similarity


def likeness(first: Print, second: Print) -> Likeness | None:
    """Return the similarity of two fingerprints, or None if one is too short."""
    if not (first.long_enough and second.long_enough):
        return None
    structure = None
    if first.trees and second.trees:
        structure = _shared(first.trees, second.trees)
    return Likeness(_shared(first.runs, second.runs), structure)


def _shared(first: Counter[KeyT], second: Counter[KeyT]) -> float:
    return (first & second).total() / min(first.total(), second.total())


def _without(own: Counter[KeyT], starter: Counter[KeyT]) -> Counter[KeyT]:
    """Remove every key that the starter has, whatever its count."""
    return Counter({key: count for key, count in own.items() if key not in starter})
