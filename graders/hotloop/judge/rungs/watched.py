"""Rung: the answers are right, in calls that the worker watches for another rung about *how*.

Every judged call is watched, so that a function cannot tell which ones are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hotloop.judge.bench import Bench
from hotloop.judge.check import Candidate
from hotloop.judge.fault import made
from hotloop.judge.link import NO_PROTOCOL
from hotloop.judge.record import RungRecord
from hotloop.judge.rungs.correct import Case, Correct, call, require_agreement, ruling_about
from hotloop.judge.verdict import Ruling, Verdict
from hotloop.worker.wire import Message, as_list, as_message


@dataclass(frozen=True)
class Watched:
    """`Correct`, with what the worker notes of each call. watch: as in `Worker.on_plan`."""

    correct: Correct
    watch: str
    needs: tuple[str, ...] = ()

    def judge(self, name: str, candidate: Candidate, bench: Bench) -> RungRecord:
        """As `Correct`."""
        passed = len(self.calls(candidate, bench))
        sentence = f"Right on all {passed} hidden cases."
        return RungRecord(name, Verdict.PASSED, sentence, 1.0, evidence={"cases": passed})

    def calls(self, candidate: Candidate, bench: Bench) -> Sequence[tuple[Case, Message]]:
        """The cases with the worker's notes; made once. Ruling about the first wrong answer."""
        key = f"calls of {candidate.name}"
        return bench.shared(key, lambda: self._calls(candidate, bench))

    def _calls(self, candidate: Candidate, bench: Bench) -> list[tuple[Case, Message]]:
        cases = made(self.correct.cases(bench.seeds.generator()))
        return [(case, self._call(case, candidate, bench)) for case in cases]

    def _call(self, case: Case, candidate: Candidate, bench: Bench) -> Message:
        with ruling_about(case):
            link, patience = bench.worker(candidate), bench.patience(self.correct.case_timeout_s)
            answer, reply = call(case, candidate, link, bench, patience, watch=self.watch)
            tolerance = self.correct.tolerance(case)
            require_agreement(case, answer, self.correct.reference, tolerance)
        notes = [as_message(note) for note in as_list(reply.get("watched"))]
        if len(notes) != 1 or notes[0] is None:
            raise Ruling(Verdict.TAMPERED, NO_PROTOCOL)
        return notes[0]
