"""Questions about streams of calls: how many programs jax.jit makes of each, and which argument
causes them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hotloop.checks.xla_vs_eager.answers import mismatch_with
from hotloop.checks.xla_vs_eager.given_files import program, reported
from hotloop.judge.constants import constant
from hotloop.judge.fault import JudgeFault
from hotloop.judge.questions import GivenFile, Question
from hotloop.judge.session import Session

Rng = np.random.Generator

STREAMS = program("call_streams.py")


def count_questions(rng: Rng, session: Session) -> Iterator[Question]:
    """How many programs are made."""
    yield from _questions(rng, session, ("programs",))


def culprit_questions(rng: Rng, session: Session) -> Iterator[Question]:
    """Which argument causes most programs, and whether by shape, dtype, weak type or value."""
    yield from _questions(rng, session, ("culprit", "cause"))


def _questions(rng: Rng, session: Session, keys: tuple[str, ...]) -> Iterator[Question]:
    maker = STREAMS.trusted(session)
    kinds = maker.ask("kinds")
    if not isinstance(kinds, int):
        raise JudgeFault("our own program does not know how many streams it has")
    for kind in range(kinds):
        truth = reported(maker.ask("make", kind, int(rng.integers(1 << 30))))
        file = GivenFile("calls.json", maker.take(truth["path"]))
        # In a variant several processes make all of these calls, and compile them each for itself.
        programs = constant("PROCESSES", 1) * int(truth["programs"])
        want = {**truth, "programs": programs}
        yield Question(f"Stream {kind + 1}", (file,), mismatch_with(want, keys))
