"""Rung: the files that the candidate's function makes are what was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from hotloop.judge import fault
from hotloop.judge.artifact import TIMEOUT_S, Assignment, made
from hotloop.judge.bench import Bench
from hotloop.judge.check import Candidate
from hotloop.judge.labelled import labelled
from hotloop.judge.record import RungRecord
from hotloop.judge.verdict import Ruling, Verdict


@dataclass(frozen=True)
class Makes:
    """Every file must stand up to what its assignment asks of it.

    assignments: made from a secret generator, anew for each judging; hidden inputs and their truth
        may come from a `Program`. entry: the function that is asked, if not the task's own.
    """

    assignments: Callable[[np.random.Generator, Bench], Iterable[Assignment]]
    entry: str | None = None
    needs: tuple[str, ...] = ()
    timeout_s: float = TIMEOUT_S

    def judge(self, name: str, candidate: Candidate, bench: Bench) -> RungRecord:
        """Have all of them made; the first wrong one rules."""
        asked = candidate if self.entry is None else replace(candidate, name=self.entry)
        count = 0
        for assignment in fault.made(self.assignments(bench.seeds.generator(), bench)):
            bench.progress(assignment.label)
            with labelled(assignment.label):
                data = made(assignment, asked, bench, self.timeout_s)
                complaint = assignment.complaint(data)
            if complaint is not None:
                raise Ruling(Verdict.WRONG_ANSWER, f"{assignment.label}: {complaint}.")
            count += 1
        said = f"Right on all {count} hidden inputs." if count > 1 else "It is what was asked for."
        return RungRecord(name, Verdict.PASSED, said, 1.0, evidence={"files": count})
