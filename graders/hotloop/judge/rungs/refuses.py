"""Rung: what a function cannot do right it refuses, with an error, instead of doing it wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from hotloop.judge.bench import Bench
from hotloop.judge.calls import Arena
from hotloop.judge.check import Candidate
from hotloop.judge.fault import made
from hotloop.judge.link import Link
from hotloop.judge.record import RungRecord
from hotloop.judge.rungs.correct import Case, fill, ruling_about
from hotloop.judge.verdict import Ruling, Verdict

RAISED = "It raised "


@dataclass(frozen=True)
class Refuses:
    """Every case must end in an exception.

    It needs a rung that shows that the function works at all: one that refuses everything would
    pass here.
    """

    cases: Callable[[np.random.Generator], Iterable[Case]]
    needs: tuple[str, ...] = ("correct",)
    case_timeout_s: float = 30.0

    def judge(self, name: str, candidate: Candidate, bench: Bench) -> RungRecord:
        """Make every call; the first one that is accepted rules."""
        link = bench.worker(candidate)
        refused = 0
        for case in made(self.cases(bench.seeds.generator())):
            with ruling_about(case):
                _require_refusal(case, candidate, link, bench.patience(self.case_timeout_s))
            refused += 1
        said = f"Refuses all {refused} inputs that it cannot compute."
        return RungRecord(name, Verdict.PASSED, said, 1.0, evidence={"cases": refused})


def _require_refusal(case: Case, candidate: Candidate, link: Link, timeout_s: float) -> None:
    arena = Arena([case.spec], seal_inputs=False)
    try:
        fill(arena.calls[0], case)
        arena.hand_to(link, candidate, timeout_s)
        try:
            link.request({"op": "run"}, timeout_s)
        except Ruling as ruling:
            if ruling.verdict is Verdict.RUNTIME_ERROR and ruling.sentence.startswith(RAISED):
                link.request({"op": "unmap"}, timeout_s)
                return
            raise
        raise Ruling(
            Verdict.WRONG_ANSWER, "It was accepted: check the tensor and raise an error instead."
        )
    finally:
        arena.close()
