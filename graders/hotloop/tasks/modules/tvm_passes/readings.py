"""Questions about generated TIR functions and about recorded tunings.

Our programs, which never see a file of the candidate's, generate them with the right answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from hotloop.core.wire import Message, as_message
from hotloop.judge.constants import constant
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.program import Program
from hotloop.judge.questions import (
    GivenFile,
    Question,
    dict_mismatch,
    number_mismatch,
    same,
    shown,
    without_zeros,
)
from hotloop.judge.session import Session
from hotloop.tasks.modules.tvm_passes.given_files import EXERCISE, ours

Rng = np.random.Generator

RECORDED = {name: EXERCISE / name for name in ("recorded_workload.json", "recorded_trials.json")}

FUNCTIONS = Program(ours("accesses.py", "bare_tvm.py", "reading_inputs.py"), "reading_inputs.py")
TUNINGS = Program({**ours("tuning_inputs.py"), **RECORDED}, "tuning_inputs.py")

READ = ("loops", "reductions", "bytes", "flops")
EXPLAINED = ("best", "failed", "tiles", "sampled", "unroll")
COUNTS = ("bytes", "sampled", "operators")
"""Answers by name, of which what would be 0 may be left out."""
SPEED_UP = 0.001
RECORDINGS = 4


def functions(rng: Rng, session: Session) -> Iterator[Question]:
    """Yield a question about one function of each kind, with random loops.

    Raises JudgeFault if the program does not know how many kinds it has.
    """
    program = FUNCTIONS.trusted(session)
    kinds = program.ask("kinds")
    if not isinstance(kinds, int):
        raise JudgeFault("our own program does not know how many functions it has")
    for kind in range(kinds):
        truth = reported(program.ask("make", kind, int(rng.integers(1 << 30))))
        file = GivenFile("function.json", program.take(truth["path"]))
        yield Question(str(truth["label"]).capitalize(), (file,), mismatch_with(truth, READ))


def tunings(rng: Rng, session: Session) -> Iterator[Question]:
    """Yield questions about the recording with other trials, order, times and tile sizes."""
    program = TUNINGS.trusted(session)
    rank, runs = constant("RANK", 1, range(1, 5)), constant("RUNS", 1, range(2, 61))
    for number in range(RECORDINGS):
        seed = int(rng.integers(1 << 30))
        truth = reported(program.ask("make", seed, number, rank, runs))
        files = tuple(
            GivenFile(name, program.take(truth[key]))
            for name, key in zip(RECORDED, ("workload", "trials"), strict=True)
        )
        yield Question(f"Recording {number + 1}", files, _tuning_mismatch(truth))


def _tuning_mismatch(truth: Message) -> Callable[[object], str | None]:
    exact = mismatch_with(truth, EXPLAINED)

    def mismatch(answer: object) -> str | None:
        got = (as_message(answer) or {}).get("speed_up")
        return exact(answer) or number_mismatch("'speed_up'", got, truth["speed_up"], SPEED_UP)

    return mismatch


def mismatch_with(truth: Message, keys: Sequence[str]) -> Callable[[object], str | None]:
    """Return a function that reports which of an answer's `keys` is the first to differ."""

    def mismatch(answer: object) -> str | None:
        entries = as_message(answer)
        if entries is None:
            return f"the answer is {shown(answer)}, not a dict"
        for key in keys:
            if key not in entries:
                return f"the answer has no {key!r}"
            got = without_zeros(entries[key]) if key in COUNTS else entries[key]
            want = truth[key]
            if same(got, want):
                continue
            expected = as_message(want)
            detail = None if expected is None else dict_mismatch(repr(key), got, expected)
            return detail or f"{key!r} is {shown(got)} and should be {shown(want)}"
        return None

    return mismatch


def reported(answer: object) -> Message:
    """Return what a program of ours has answered. Raises JudgeFault if it is no dict."""
    truth = as_message(answer)
    if truth is None:
        raise JudgeFault(f"our own program gave no truth, but {str(answer)[:80]}")
    return truth
