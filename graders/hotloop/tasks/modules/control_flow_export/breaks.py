"""Graph breaks in hidden programs, and a model whose graph breaks the learner removes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from hotloop.core.wire import Message, as_list, as_message
from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.constants import constant
from hotloop.judge.dtypes import FP32, I64
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.questions import GivenFile, Question, same, shown
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.tasks.modules.control_flow_export import models
from hotloop.tasks.modules.control_flow_export.encoder_paths import LONGEST, QUEUES, departs, seed
from hotloop.tasks.modules.control_flow_export.given_files import program

COUNT = 4
MAKER = program("broken_programs.py")
TRIAGE = program("triage_truth.py", "triage.py")
SIZES = ((1, 1), (1, 40), (2, 7), (5, 33), (16, LONGEST))


def questions(rng: Rng, session: Session) -> Iterator[Question]:
    """Yield programs with different graph breaks, among lines that only look like breaks."""
    first = constant("FIRST_LINE", 1, range(2, 1000))
    maker = MAKER.trusted(session)
    for number in range(1, COUNT + 1):
        truth = as_message(maker.ask("make", seed(rng)))
        if truth is None:
            raise JudgeFault("our own program gave no truth")
        file = GivenFile("program.py", maker.take(truth["path"]))
        lines = [int(line) - 1 + first for line in as_list(truth["lines"])]
        yield Question(
            f"Program {number} of {COUNT}", (file,), partial(_mismatch, {**truth, "lines": lines})
        )


def one_graph(file: models.Written, session: Session) -> str | None:
    """Check that the archive is sound, free in both sizes, and gives the original model's scores.

    Returns a message or None.
    """
    mismatch = models.dynamic(file, session)
    if mismatch is not None:
        return mismatch
    runner = models.exported(file, session)
    truth = TRIAGE.trusted(session)
    rng = session.rng()
    for n, length in SIZES:
        for kind in range(3):
            request = Case("messages", (seed(rng),), TensorSpec((n, length), I64))
            tokens = InputTensor(truth.answer("messages", request).astype(np.int64), I64)
            out = TensorSpec((n, QUEUES), FP32)
            want = truth.answer("run", Case("truth", (file.weights, tokens, kind), out))
            label = f"{n} of {length} tokens, kind {kind}"
            mismatch = departs(runner.answer("run", Case(label, (tokens, kind), out)), want)
            if mismatch is not None:
                return f"messages: {label}: {mismatch}"
    return None


def _mismatch(truth: Message, answer: object) -> str | None:
    reported = as_message(answer)
    if reported is None:
        return f"it is {shown(answer)}, not a dict"
    got = reported.get("graphs"), _lines(reported.get("lines"))
    want = truth["graphs"], _lines(truth["lines"])
    for key, one, other in zip(("graphs", "lines"), got, want, strict=True):
        if not same(one, other):
            return f"“{key}” is {shown(reported.get(key))} and should be {shown(truth[key])}"
    return None


def _lines(value: object) -> object:
    """Return numbers of lines in order, each once; anything else as it is."""
    lines = as_list(value)
    return sorted(set(lines)) if all(type(line) is int for line in lines) else value
