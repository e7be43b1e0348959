"""How alike two pieces of code are once the starter is taken off, by tokens and by syntax tree.

Runs of tokens are blind to names, comments, layout and the values of literals. Names of attributes
are kept: `.amax` is the library's word and not the candidate's. All runs are compared: a winnowing
library keeps some of them, chosen by Python's salted hash, and the figure in a report would change
from process to process. A subtree of the syntax is known by its digest, and as blind; statements
that were moved, and functions in another order, keep theirs.
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

from hotloop.alike.parts import Language, Part, parts, with_more
from hotloop.curriculum import Module

SMALLEST = 7
"""Nodes of a subtree that counts: `x[i] = y + 1` has about as many, and anybody writes that."""

Subtrees = Counter[bytes]


@lru_cache(maxsize=1024)
def subtrees(text: str) -> Subtrees | None:
    """By digest, with how often each is there; None for what does not parse. Not to
    be changed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            tree = ast.parse(text)
        found: Subtrees = Counter()
        _add(tree, found)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return found


def _add(node: ast.AST, found: Subtrees) -> tuple[bytes, int]:
    """Digest and size of a subtree; it and all within it go into `found`."""
    size = 1
    total = hashlib.blake2b(_label(node).encode(), digest_size=12)
    for child in ast.iter_child_nodes(node):
        if _is_docstring(child):
            continue
        digest, count = _add(child, found)
        total.update(digest)
        size += count
    digest = total.digest()
    if size >= SMALLEST and not isinstance(node, ast.Module):
        found[digest] += 1
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
"""Tokens of a run. Longer ones break at every edit, shorter ones are the language's idioms."""

_NAMED = re.compile(r"\\N(?=\{)")
_SPACES = re.compile(r"[^\S\n]+")
_LINES = re.compile(r"\s*\n\s*")

_NAMES: dict[Language, str] = {"python": "python", "cuda": "cuda", "text": "text"}
"""What Pygments calls them."""


@lru_cache(maxsize=1024)
def token_runs(text: str, language: Language) -> Runs:
    """All runs of `RUN` tokens, with how often each is there. Not to be changed."""
    found = list(tokens(text, language))
    return Counter(tuple(found[i : i + RUN]) for i in range(len(found) - RUN + 1))


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


Printed = tuple[Part, "Print"]
"""A part of a work, and its print."""

KeyT = TypeVar("KeyT")

MODERATE, STRONG = 0.5, 0.75
"""Likeness from which on it is told. How often honest work crosses these bounds comes from
`tests/benchmarks/similarity.py`."""

FEWEST_RUNS = 40
"""Runs of tokens that both must have of their own. What is shorter is alike by chance."""


@dataclass(frozen=True)
class Print:
    """What is known of a piece of code. trees: None where it is no Python that parses."""

    runs: Runs = field(repr=False)
    trees: Subtrees | None = field(repr=False)

    @property
    def long_enough(self) -> bool:
        """Whether it can be compared at all."""
        return self.runs.total() >= FEWEST_RUNS


@dataclass(frozen=True)
class Likeness:
    """Shares, 0 to 1, of the smaller one that the larger one has too. trees: None: not known."""

    tokens: float
    trees: float | None

    @property
    def score(self) -> float:
        """Both must agree: the smaller of the two."""
        return self.tokens if self.trees is None else min(self.tokens, self.trees)

    @property
    def said(self) -> str:
        """What was seen, in a sentence."""
        trees = "" if self.trees is None else f" and {self.trees:.0%} of the syntax subtrees"
        return (
            f"{self.tokens:.0%} of the runs of tokens{trees} of the shorter one are also in the "
            "longer one; what was handed out is not counted."
        )


def print_of(text: str, language: Language, starters: Iterable[str] = ()) -> Print:
    """The print of a text, without what any of the starters has."""
    return _print_of(text, language, tuple(starters))


@lru_cache(maxsize=1024)
def _print_of(text: str, language: Language, starters: tuple[str, ...]) -> Print:
    """Kept, because every new submission is compared with all earlier ones."""
    runs = token_runs(text, language)
    found = subtrees(text) if language == "python" else None
    for starter in starters:
        runs = _without(runs, token_runs(starter, language))
        given = subtrees(starter) if language == "python" else None
        if found is not None and given is not None:
            found = _without(found, given)
    return Print(runs, found)


def print_of_part(part: Part, starters: Iterable[Part] = ()) -> Print:
    """Likewise for a part of a submission, with the parts of the same name as its starters."""
    given = [starter.text for starter in starters if starter.name == part.name]
    return print_of(part.text, part.language, given)


def prints(
    module: Module, tasks: Sequence[str], files: Mapping[str, bytes], starter: Mapping[str, bytes]
) -> list[Printed]:
    """Each part with what was added behind it, where anything was, and then by itself.

    starter: what the work began from.
    """
    given = parts(starter, module, tasks)
    own = parts(files, module, tasks)
    more = [found for part in own if (found := with_more(part, files, starter)) is not None]
    return [(part, print_of_part(part, given)) for part in (*more, *own)]


def alike(mine: Iterable[Printed], theirs: Iterable[Printed]) -> Iterator[tuple[Part, Likeness]]:
    """How alike the parts of two works are that both have; what is too short is left out."""
    others = {part.name: found for part, found in theirs}
    for part, own in mine:
        found = likeness(own, others[part.name]) if part.name in others else None
        if found is not None:
            yield part, found


def likeness(first: Print, second: Print) -> Likeness | None:
    """None where one of them is too short to say."""
    if not (first.long_enough and second.long_enough):
        return None
    structure = None
    if first.trees and second.trees:
        structure = _shared(first.trees, second.trees)
    return Likeness(_shared(first.runs, second.runs), structure)


def _shared(first: Counter[KeyT], second: Counter[KeyT]) -> float:
    return (first & second).total() / min(first.total(), second.total())


def _without(own: Counter[KeyT], given: Counter[KeyT]) -> Counter[KeyT]:
    """Whatever the starter has goes, however often it is repeated."""
    return Counter({key: count for key, count in own.items() if key not in given})
