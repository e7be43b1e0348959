"""The registry of mutations: each is a function, registered under the level that it changes."""

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
    """name: `level.what`. change: applies it, with random draws from the given generator."""

    name: str
    expect: Expectation
    change: Callable[[Random, Any], Of]


TREES: list[Mutation[None]] = []
"""These change a parsed notebook in place."""
TEXTS: list[Mutation[bytes]] = []
"""These turn a parsed notebook into a file's bytes."""
FOLDERS: list[Mutation[Handed]] = []
"""These turn a notebook file's bytes into a folder."""


def tree(level: str, expect: Expectation) -> Callable[[Callable[[Random, Any], None]], None]:
    """Register a change of the parsed notebook."""
    return lambda change: TREES.append(Mutation(_named(level, change), expect, change))


def text(level: str, expect: Expectation) -> Callable[[Callable[[Random, Any], bytes]], None]:
    """Register a way to serialize the notebook."""
    return lambda change: TEXTS.append(Mutation(_named(level, change), expect, change))


def folder(level: str, expect: Expectation) -> Callable[[Callable[[Random, Any], Handed]], None]:
    """Register a way to hand the file in."""
    return lambda change: FOLDERS.append(Mutation(_named(level, change), expect, change))


def _named(level: str, change: Callable[..., object]) -> str:
    return f"{level}.{change.__name__.strip('_')}"
