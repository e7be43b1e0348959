"""Hidden lowered modules to read: which arguments are taken over, and what that saves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hotloop.checks.xla_vs_eager.answers import complaint
from hotloop.checks.xla_vs_eager.given_files import program, told
from hotloop.judge.questions import GivenFile, Question
from hotloop.judge.session import Session

Rng = np.random.Generator

MAKER = program("donating.py")
KEYS = ("aliased", "arguments", "results", "held")
MODULES = 5


def questions(rng: Rng, session: Session) -> Iterator[Question]:
    """Modules that jax.jit has lowered, with donations that fit and such as do not."""
    maker = MAKER.trusted(session)
    for number in range(MODULES):
        truth = told(maker.ask("make", number, int(rng.integers(1 << 30))))
        file = GivenFile("module.txt", maker.take(truth["path"]))
        yield Question(f"Module {number + 1}", (file,), complaint(truth, KEYS))
