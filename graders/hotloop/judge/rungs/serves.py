"""Rung: a real server over the candidate's repository gives right answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from hotloop.judge.bench import Bench
from hotloop.judge.check import Candidate
from hotloop.judge.fault import made
from hotloop.judge.inquiry import Inquiry, ask
from hotloop.judge.record import RungRecord
from hotloop.judge.served import over, require_sound
from hotloop.judge.verdict import Verdict


@dataclass(frozen=True)
class Serves:
    """repository: puts it together. inquiries: made anew for each judging, from secrets."""

    repository: Callable[[Bench], Path]
    inquiries: Callable[[Bench], Iterable[Inquiry]]
    needs: tuple[str, ...] = ()
    timeout_s: float = 10.0

    def judge(self, name: str, candidate: Candidate, bench: Bench) -> RungRecord:
        """Start it and ask; the first wrong answer rules."""
        folder = self.repository(bench)
        require_sound(folder)
        server = over(folder, bench)
        requests = 0
        for inquiry in made(self.inquiries(bench)):
            bench.progress(inquiry.label)
            ask(server, inquiry, bench.patience(self.timeout_s))
            requests += len(inquiry.exchanges)
        server.stop()
        said = f"Right on all {requests} hidden requests to a running server."
        return RungRecord(name, Verdict.PASSED, said, 1.0, evidence={"requests": requests})
