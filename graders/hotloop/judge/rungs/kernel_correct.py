"""Rung: the answers are right, and they are the kernel's own."""

from __future__ import annotations

from dataclasses import dataclass

from hotloop.judge.bench import Bench
from hotloop.judge.check import Candidate
from hotloop.judge.record import RungRecord
from hotloop.judge.rungs.correct import Correct
from hotloop.judge.rungs.traffic import Traffic


@dataclass(frozen=True)
class KernelCorrect:
    """`Correct`, and one call is computed again by the launched kernels alone.

    A launcher that leaves the work to a library call has no kernels to show, or ones that give
    another answer when nothing else of the file runs.
    """

    correct: Correct
    alone: Traffic
    needs: tuple[str, ...] = ()

    def judge(self, name: str, candidate: Candidate, bench: Bench) -> RungRecord:
        """All cases first, because their sentences help most."""
        record = self.correct.judge(name, candidate, bench)
        self.alone.replay(candidate, bench)
        return record
