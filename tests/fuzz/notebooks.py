"""Malformed notebooks, made from a valid one: structure-aware, and the same for the same seed.

Mutations take turns, so that a few hundred notebooks hold each of them several times, with
different draws. Some notebooks get a second mutation of another level: a damaged tree in a damaged
file.
"""

import copy
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from notebook_mutations import folders, texts, trees  # noqa: F401 - importing registers
from notebook_mutations.handed import Expectation, Handed, Malformed
from notebook_mutations.registry import FOLDERS, TEXTS, TREES

STACKED = 0.25
"""Share of mutated trees whose file is mutated too."""


def malformed(
    notebook: Mapping[str, Any], name: str, module: str, count: int, seed: int
) -> Iterator[Malformed]:
    """Yield `count` malformed submissions of a notebook called `name`, including the suffix."""
    names = all_mutations()
    for number in range(count):
        rng = Random(f"{seed}/{number}")
        yield one(names[number % len(names)], notebook, name, module, rng)


def all_mutations() -> list[str]:
    """Return the names of all mutations, levels mixed, in the same order in every run."""
    found = [mutation.name for mutation in (*TREES, *TEXTS, *FOLDERS)]
    Random(0).shuffle(found)
    return found


def one(
    mutation: str, notebook: Mapping[str, Any], name: str, module: str, rng: Random
) -> Malformed:
    """Return the notebook after `mutation`."""
    tree = copy.deepcopy(dict(notebook))
    done: list[tuple[str, Expectation]] = []
    for change in TREES:
        if change.name == mutation:
            change.change(rng, tree)
            done.append((change.name, change.expect))
    stack = rng.random() < STACKED if done else False
    data, said = _written(mutation, tree, rng, stack)
    done += said
    handed = Handed({name: data})
    for change in FOLDERS:
        if change.name == mutation:
            handed = _of_module(change.change(rng, folders.Given(name, data)), module)
            done.append((change.name, change.expect))
    return Malformed("+".join(part for part, _ in done), _expected(done), handed)


def _written(
    mutation: str, tree: dict[str, Any], rng: Random, stack: bool
) -> tuple[bytes, list[tuple[str, Expectation]]]:
    chosen = [change for change in TEXTS if change.name == mutation]
    if stack:
        chosen = [rng.choice(TEXTS)]
    for change in chosen:
        return change.change(rng, tree), [(change.name, change.expect)]
    return texts.data(tree), []


def _expected(done: list[tuple[str, Expectation]]) -> Expectation:
    said = [expect for _, expect in done]
    if "unreadable" in said:
        return "unreadable"
    # Two harmless mutations together may be harmful: one may overwrite what the other relies on.
    return said[0] if len(said) == 1 else "any"


def _of_module(handed: Handed, module: str) -> Handed:
    """Insert the module's name where a mutation has left a placeholder for it."""

    def named(text: str) -> str:
        return text.replace("{module}", module)

    return Handed(
        {named(name): data for name, data in handed.files.items()},
        {name: named(target) for name, target in handed.links.items()},
        handed.folders,
        handed.pipes,
        handed.sockets,
        handed.sparse,
    )
