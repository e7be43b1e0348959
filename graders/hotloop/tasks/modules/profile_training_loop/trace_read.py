"""The candidate's figures agree with a trace that it recorded just before."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from hotloop.core.verdict import Ruling, Verdict
from hotloop.engines.trace import Trace
from hotloop.judge.author_guard import Check
from hotloop.judge.questions import ask_plainly, shown
from hotloop.judge.session import Session
from hotloop.tasks.modules.profile_training_loop.trace_recorded import recorded, trace_of


@dataclass(frozen=True)
class TraceRead(Check):
    """recorder: name of the learner's recording function, from the task before.

    mismatch: compares a trace and an answer; returns the beginning of a sentence, or None.
    """

    reads_answer: ClassVar[frozenset[str]] = frozenset({"mismatch"})
    recorder: str
    mismatch: Callable[[Trace, object], str | None]
    after: tuple[str, ...] | None = field(default=("correct",), kw_only=True)
    timeout_s: float = 90.0

    def __call__(self, session: Session) -> str:
        """Record a trace, ask about it, and compute the expected answer from the same file."""
        worker = session.of(self.recorder, "json").worker()
        reported = recorded(worker, (1, 1, 3, "own"), session.timeout(self.timeout_s))
        path = reported.get("chrome")
        if not isinstance(path, str):
            raise Ruling(
                Verdict.WRONG_ANSWER, f"`{self.recorder}` named {shown(path)} as its trace."
            )
        trace = trace_of(worker, path)
        if not trace.steps or not trace.ops():
            raise Ruling(Verdict.WRONG_ANSWER, "Your own trace has no steps or no operators.")
        session.worker()
        answer = ask_plainly(worker, (path,), session.timeout(self.timeout_s))
        mismatch = self.mismatch(trace, answer)
        if mismatch is not None:
            raise Ruling(Verdict.WRONG_ANSWER, f"About your own trace: {mismatch}.")
        session.note(events=trace.events)
        return f"Right about your own trace of {trace.events:,} events."
