"""Hidden TIR functions to read, and recorded tunings to explain, in plain answers.

Functions and recordings are made by programs of ours that see nothing of the learner's; they also
give the truth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hotloop.checks.tvm_passes.products import HARNESS
from hotloop.core import paths
from hotloop.core.wire import Message, as_message
from hotloop.judge.fault import JudgeFault
from hotloop.judge.program import Program
from hotloop.judge.questions import GivenFile, Question, dict_complaint, number_complaint, shown
from hotloop.judge.session import Session

Rng = np.random.Generator

GIVEN = paths.exercises() / "tvm_passes"
RECORDED = {name: GIVEN / name for name in ("recorded_workload.json", "recorded_trials.json")}

FUNCTIONS = Program(
    {name: HARNESS / name for name in ("bare_tvm.py", "reading_inputs.py")}, "reading_inputs.py"
)
TUNINGS = Program(
    {"tuning_inputs.py": HARNESS / "tuning_inputs.py", **RECORDED}, "tuning_inputs.py"
)

READ = ("loops", "reductions", "bytes", "flops")
EXPLAINED = ("best", "failed", "tiles", "sampled", "unroll")
SPEED_UP = 0.001
RECORDINGS = 4


def functions(rng: Rng, session: Session) -> Iterator[Question]:
    """Each kind of function, with loops of its own."""
    program = FUNCTIONS.trusted(session)
    kinds = program.ask("kinds")
    if not isinstance(kinds, int):
        raise JudgeFault("our own program does not know how many functions it has")
    for kind in range(kinds):
        truth = _told(program.ask("make", kind, int(rng.integers(1 << 30))))
        file = GivenFile("function.json", program.take(truth["path"]))
        yield Question(str(truth["label"]).capitalize(), (file,), _complaint(truth, READ))


@dataclass(frozen=True)
class Asked:
    """Which trial is explained, 1 for the best, and how many runs of the first it is put beside."""

    rank: int = 1
    runs: int = 1


PLAIN = Asked()


def tunings(rng: Rng, session: Session, asked: Asked = PLAIN) -> Iterator[Question]:
    """The recording with other trials, in another order, with other times and tiles."""
    program = TUNINGS.trusted(session)
    for number in range(RECORDINGS):
        seed = int(rng.integers(1 << 30))
        truth = _told(program.ask("make", seed, number, asked.rank, asked.runs))
        files = tuple(
            GivenFile(name, program.take(truth[key]))
            for name, key in zip(RECORDED, ("workload", "trials"), strict=True)
        )
        yield Question(f"Recording {number + 1}", files, _tuning_complaint(truth))


def _tuning_complaint(truth: Message) -> Callable[[object], str | None]:
    exact = _complaint(truth, EXPLAINED)

    def complaint(answer: object) -> str | None:
        found = exact(answer)
        if found is not None:
            return found
        got = (as_message(answer) or {}).get("speed_up")
        return number_complaint("'speed_up'", got, truth["speed_up"], SPEED_UP)

    return complaint


def _complaint(truth: Message, keys: tuple[str, ...]) -> Callable[[object], str | None]:
    """About the first of the answers that is not exactly right."""

    def complaint(answer: object) -> str | None:
        given = as_message(answer)
        if given is None:
            return f"the answer is {shown(answer)}, not a dict"
        for key in keys:
            if key not in given:
                return f"the answer has no {key!r}"
            got, want = given[key], truth[key]
            if _same(got, want):
                continue
            entries = as_message(want)
            found = None if entries is None else dict_complaint(repr(key), got, entries)
            return found or f"{key!r} is {shown(got)} and should be {shown(want)}"
        return None

    return complaint


def _same(got: Any, want: Any) -> bool:
    """Equal, where True is no number."""
    return type(got) is type(want) and got == want


def _told(answer: object) -> Message:
    truth = as_message(answer)
    if truth is None:
        raise JudgeFault("our own program gave no truth")
    return truth
