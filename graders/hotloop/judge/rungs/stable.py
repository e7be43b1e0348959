"""Rung: the same answers in another process, on another day.

What depends on the process, such as Python's own `hash` of a text, differs between two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hotloop.judge.bench import Bench
from hotloop.judge.check import Candidate
from hotloop.judge.questions import Plain, ask_plainly
from hotloop.judge.record import RungRecord
from hotloop.judge.verdict import Ruling, Verdict


@dataclass(frozen=True)
class Stable:
    """arguments: of one call, from a secret generator. The candidate is a file's function."""

    arguments: Callable[[np.random.Generator], tuple[Plain, ...]]
    needs: tuple[str, ...] = ("correct",)
    timeout_s: float = 30.0

    def judge(self, name: str, candidate: Candidate, bench: Bench) -> RungRecord:
        """Ask two processes the same."""
        given = self.arguments(bench.seeds.generator())
        links = (bench.worker(candidate), bench.another_worker(candidate))
        first, second = (ask_plainly(link, given, bench.patience(self.timeout_s)) for link in links)
        if first != second:
            raise Ruling(
                Verdict.WRONG_ANSWER,
                "A second process answers differently: nothing may depend on the process.",
            )
        return RungRecord(name, Verdict.PASSED, "Two processes give the same answers.", 1.0)
