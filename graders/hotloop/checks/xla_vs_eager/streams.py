"""Hidden streams of calls: how many programs jax.jit makes of each, and whose fault that is."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from hotloop.checks.xla_vs_eager.given_files import program, told
from hotloop.core.wire import Message, as_message
from hotloop.judge.fault import JudgeFault
from hotloop.judge.questions import GivenFile, Question, shown
from hotloop.judge.session import Session

Rng = np.random.Generator

STREAMS = program("call_streams.py")


def count_questions(rng: Rng, session: Session, processes: int = 1) -> Iterator[Question]:
    """How many programs. processes: how many make all of these calls, each for itself."""
    yield from _questions(rng, session, ("programs",), processes)


def culprit_questions(rng: Rng, session: Session) -> Iterator[Question]:
    """Which argument, and what of it."""
    yield from _questions(rng, session, ("culprit", "cause"))


def _questions(
    rng: Rng, session: Session, keys: tuple[str, ...], processes: int = 1
) -> Iterator[Question]:
    maker = STREAMS.trusted(session)
    kinds = maker.ask("kinds")
    if not isinstance(kinds, int):
        raise JudgeFault("our own program does not know how many streams it has")
    for kind in range(kinds):
        truth = told(maker.ask("make", kind, int(rng.integers(1 << 30))))
        file = GivenFile("calls.json", maker.take(truth["path"]))
        asked = {**truth, "programs": processes * int(truth["programs"])}
        yield Question(f"Stream {kind + 1}", (file,), _complaint(asked, keys))


def _complaint(truth: Message, keys: tuple[str, ...]) -> Callable[[object], str | None]:
    def complaint(answer: object) -> str | None:
        given = as_message(answer)
        if given is None:
            return f"the answer is {shown(answer)}, not a dict"
        for key in keys:
            got, want = given.get(key), truth[key]
            if type(got) is not type(want) or got != want:
                return f"“{key}” is {shown(got)} and should be {shown(want)}"
        return None

    return complaint
