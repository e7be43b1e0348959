"""The registry of mutations: each is a function, registered under the level that it works at."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Generic, TypeVar

from notebook_mutations.handed import Expectation, Handed

Notebook = dict[str, Any]
Cell = dict[str, Any]
Of = TypeVar("Of")


@dataclass(frozen=True)
class Mutation(Generic[Of]):
    """name: `level.what`. change: what it does, drawing from the generator that it is given."""

    name: str
    expect: Expectation
    change: Callable[[Random, Any], Of]


TREES: list[Mutation[None]] = []
"""They change a parsed notebook in place."""
TEXTS: list[Mutation[bytes]] = []
"""They make a file's bytes out of a parsed notebook."""
FOLDERS: list[Mutation[Handed]] = []
"""They make a folder out of a notebook file's bytes."""


def tree(level: str, expect: Expectation) -> Callable[[Callable[[Random, Any], None]], None]:
    """Register a change of the parsed notebook."""
    return lambda change: TREES.append(Mutation(_named(level, change), expect, change))


def text(level: str, expect: Expectation) -> Callable[[Callable[[Random, Any], bytes]], None]:
    """Register a way to write the notebook down."""
    return lambda change: TEXTS.append(Mutation(_named(level, change), expect, change))


def folder(level: str, expect: Expectation) -> Callable[[Callable[[Random, Any], Handed]], None]:
    """Register a way to hand the file in."""
    return lambda change: FOLDERS.append(Mutation(_named(level, change), expect, change))


def _named(level: str, change: Callable[..., object]) -> str:
    return f"{level}.{change.__name__.strip('_')}"
