"""Rung: the candidate's figures agree with a trace that it has just recorded itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hotloop.judge.bench import Bench
from hotloop.judge.check import Candidate
from hotloop.judge.questions import ask_plainly, shown
from hotloop.judge.record import RungRecord
from hotloop.judge.rungs.trace_recorded import recorded, trace_of
from hotloop.judge.verdict import Ruling, Verdict
from hotloop.trace import Trace


@dataclass(frozen=True)
class TraceRead:
    """recorder: the learner's function of the task before. complaint: of a trace and an answer."""

    recorder: str
    complaint: Callable[[Trace, object], str | None]
    needs: tuple[str, ...] = ("correct",)
    timeout_s: float = 90.0

    def judge(self, name: str, candidate: Candidate, bench: Bench) -> RungRecord:
        """Record, ask, and recompute from the very file that was asked about."""
        link = bench.worker(Candidate(self.recorder, candidate.file, "json"))
        told = recorded(link, (1, 1, 3, "own"), bench.patience(self.timeout_s))
        path = told.get("chrome")
        if not isinstance(path, str):
            raise Ruling(
                Verdict.WRONG_ANSWER, f"`{self.recorder}` named {shown(path)} as its trace."
            )
        trace = trace_of(link, path)
        if not trace.steps or not trace.ops():
            raise Ruling(Verdict.WRONG_ANSWER, "Your own trace has no steps or no operators.")
        bench.worker(candidate)
        answer = ask_plainly(link, (path,), bench.patience(self.timeout_s))
        complaint = self.complaint(trace, answer)
        if complaint is not None:
            raise Ruling(Verdict.WRONG_ANSWER, f"About your own trace: {complaint}.")
        said = f"Right about your own trace of {trace.events:,} events."
        return RungRecord(name, Verdict.PASSED, said, 1.0, evidence={"events": trace.events})
