"""Rung: what the candidate has made stands up to everything that is asked of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from hotloop.judge.bench import Bench
from hotloop.judge.check import Candidate
from hotloop.judge.labelled import labelled
from hotloop.judge.record import RungRecord
from hotloop.judge.verdict import Ruling, Verdict


@dataclass(frozen=True)
class Look:
    """At one thing. label: how the learner is told of it.

    complaint: has it made, unless an earlier rung has, and looks at it; a sentence's beginning, or
        None.
    """

    label: str
    complaint: Callable[[], str | None]


@dataclass(frozen=True)
class Holds:
    """Nothing is to be complained of.

    looks: in order, and not before the one ahead has found all well. said: then; with {count}, of
        the looks.
    """

    looks: Callable[[Candidate, Bench], Iterable[Look]]
    said: str
    needs: tuple[str, ...] = ()

    def judge(self, name: str, candidate: Candidate, bench: Bench) -> RungRecord:
        """Look at everything; the first complaint rules."""
        count = 0
        for look in self.looks(candidate, bench):
            bench.progress(look.label)
            with labelled(look.label):
                complaint = look.complaint()
            if complaint is not None:
                raise Ruling(Verdict.WRONG_ANSWER, f"{look.label}: {complaint}.")
            count += 1
        said = self.said.format(count=count)
        return RungRecord(name, Verdict.PASSED, said, 1.0, evidence={"looks": count})
