"""Shapes of hidden cases that stand in problem.yaml or module.yaml: `cases` of a task.

They are fixed while a task is judged, as a variant's constants are (`hotloop.judge.constants`).
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from hotloop.core.variant import Value
from hotloop.judge.author_guard import Authored
from hotloop.judge.checks.correct import Case
from hotloop.judge.judge_fault import JudgeFault

Shape = Mapping[str, Value]

_declared: Sequence[Shape] = ()


@dataclass(frozen=True)
class Each(Authored):
    """Generates one case for each shape in the task's `cases`, for `Truth.cases`.

    make: takes a secret generator, and the numbers of a shape by name; returns the case. With
        `cases: [{columns: 1}, {columns: 4099}]` in problem.yaml, `make(rng, columns=1)` is first.
    """

    make: Callable[..., Case]

    def __call__(self, rng: np.random.Generator) -> Iterator[Case]:
        """Yield the cases in the file's order."""
        if not _declared:
            raise JudgeFault("the task has no `cases` in its YAML file, which `hl.Each` reads")
        for shape in _declared:
            yield self.make(rng, **shape)


@contextmanager
def declared(shapes: Sequence[Shape]) -> Generator[None]:
    """Use these shapes inside the `with` block."""
    global _declared
    before, _declared = _declared, shapes
    try:
        yield
    finally:
        _declared = before
