"""The function raises an exception for inputs that it cannot compute correctly."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from hotloop.core.verdict import Raised, Ruling, Verdict
from hotloop.judge.author_guard import Check
from hotloop.judge.calls import CallBuffers
from hotloop.judge.candidate import CALLED_WITH_TENSORS, OF_DATA, Candidate, Kind
from hotloop.judge.case_label import labeled
from hotloop.judge.checks.correct import Case, fill, ruling_about
from hotloop.judge.questions import PlainCase, ask_plainly
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import WorkerConnection


@dataclass(frozen=True)
class RaisesError(Check):
    """Every case must end in an exception of any type; for functions that take tensors.

    Another check must show that the function works, since a function that always raises passes
    here. For a function that takes plain data there is `RaisesErrorForData`.
    """

    fits: ClassVar[frozenset[Kind]] = CALLED_WITH_TENSORS
    cases: Callable[[np.random.Generator], Iterable[Case]]
    after: tuple[str, ...] | None = field(default=("correct",), kw_only=True)
    case_timeout_s: float = 30.0

    def __call__(self, session: Session) -> str:
        """Make every call; raise Ruling at the first one that is accepted."""
        worker = session.worker()
        refused = 0
        for case in self.cases(session.rng()):
            with ruling_about(case):
                _require_refusal(
                    case, session.candidate, worker, session.timeout(self.case_timeout_s)
                )
            refused += 1
        session.note(cases=refused)
        return _refuses(refused)


@dataclass(frozen=True)
class RaisesErrorForData(Check):
    """Every case must end in an exception of any type; for functions that take plain data.

    As in `RaisesError`, another check must show that the function works.
    """

    fits: ClassVar[frozenset[Kind]] = OF_DATA
    cases: Callable[[np.random.Generator], Iterable[PlainCase]]
    after: tuple[str, ...] | None = field(default=("correct",), kw_only=True)
    case_timeout_s: float = 30.0

    def __call__(self, session: Session) -> str:
        """Make every call; raise Ruling at the first one that is accepted."""
        refused = 0
        for case in self.cases(session.rng()):
            worker = session.worker()
            with labeled(case.label, case):
                try:
                    ask_plainly(worker, case.arguments, session.timeout(self.case_timeout_s))
                except Raised:
                    refused += 1
                    continue
                raise Ruling(
                    Verdict.WRONG_ANSWER,
                    "It was accepted: check the arguments and raise an exception instead.",
                )
        session.note(cases=refused)
        return _refuses(refused)


def _refuses(count: int) -> str:
    which = "the input" if count == 1 else f"all {count} inputs"
    return f"Refuses {which} that it cannot compute."


def _require_refusal(
    case: Case, candidate: Candidate, worker: WorkerConnection, timeout_s: float
) -> None:
    buffers = CallBuffers([case.spec], seal_inputs=False)
    try:
        fill(buffers.calls[0], case)
        buffers.hand_to(worker, candidate, timeout_s)
        try:
            worker.request({"op": "run"}, timeout_s)
        except Raised:
            worker.request({"op": "unmap"}, timeout_s)
            return
        raise Ruling(
            Verdict.WRONG_ANSWER, "It was accepted: check the tensor and raise an error instead."
        )
    finally:
        buffers.close()
