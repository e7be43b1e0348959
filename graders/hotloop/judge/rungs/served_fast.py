"""Rung: a repository that serves faster than another, both running, asked in turn.

Throughput at many clients, or the time of an answer at one: the same measurement, with the number
of clients as its difference. With many, the slowest answers may not have become slower.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from hotloop.judge.bench import Bench
from hotloop.judge.check import Candidate
from hotloop.judge.levels import Level
from hotloop.judge.loaded import TAIL, LoadedSide, Questions
from hotloop.judge.record import RungRecord
from hotloop.judge.rungs.batches import candidate_server
from hotloop.judge.scheduling import undisturbed
from hotloop.judge.served import over
from hotloop.judge.speed import Samples, Trial
from hotloop.judge.speed_record import Limit, rule_on_speed, speed_evidence
from hotloop.judge.statistics import Estimate, estimate
from hotloop.judge.verdict import Verdict
from hotloop.serving.server import Server

WARMUP_WINDOWS = 2
CONTROL_TOLERANCE = 0.06
"""Servers are many processes: windows of one differ by more than those of a kernel do."""

TAIL_MARGIN = 0.95
IMPLAUSIBLE = 1.3


@dataclass(frozen=True)
class ServedFast:
    """repository, baseline: put together the two that are compared.

    clients, requests: of a window. limit_s: seconds that the network alone needs for a row when
    this many rows come together, on one thread.
    """

    timed: ClassVar[bool] = True
    repository: Callable[[Bench], Path]
    baseline: Callable[[Bench], Path]
    questions: Callable[[Bench], Questions]
    levels: tuple[Level, ...]
    limit_s: Callable[[Bench, int], float]
    clients: int
    requests: int
    needs: tuple[str, ...] = ("batches",)
    seconds: float = 40.0

    def judge(self, name: str, candidate: Candidate, bench: Bench) -> RungRecord:
        """Correctness is known; measure, compare, rule."""
        # Before the servers start: they age while one waits for the machine.
        bench.have_machine_alone()
        bench.progress("starting the untuned server")
        theirs = candidate_server(self.repository, bench)
        ours = bench.shared(
            "untuned server", lambda: over(self.baseline(bench), bench, trusted=True)
        )
        with (
            undisturbed((theirs.process, ours.process), bench.launcher.threads),
            closing(self._side(ours, bench, trusted=True)) as a,
            closing(self._side(theirs, bench)) as b,
        ):
            bench.progress("warming up")
            for side in (b, a):
                for _ in range(WARMUP_WINDOWS):
                    side.window([False] * len(side.calls))
            return self._judge(name, a, b, bench)

    def _side(self, server: Server, bench: Bench, *, trusted: bool = False) -> LoadedSide:
        return LoadedSide(
            server,
            self.questions(bench),
            bench.seeds,
            clients=self.clients,
            requests=self.requests,
            threads=bench.launcher.threads,
            trusted=trusted,
        )

    def _judge(self, name: str, a: LoadedSide, b: LoadedSide, bench: Bench) -> RungRecord:
        rng = bench.seeds.generator()
        deadline = bench.deadline_in(self.seconds)
        trial = Trial(
            a,
            b,
            self.levels,
            rng,
            deadline,
            bench.progress,
            control_tolerance=CONTROL_TOLERANCE,
        )
        outcome = trial.run()
        bench.progress("measuring the network alone")
        threads = bench.launcher.threads
        samples = outcome.samples
        tails = [tail_of(samples.baseline, a), tail_of(samples.candidate, b)]
        tail = tail_estimate(samples, a, b, rng)
        evidence = speed_evidence(
            outcome,
            self.levels,
            baseline="the untuned repository",
            limit=Limit(self.limit_s(bench, self.clients) / min(threads, self.clients)),
            calls_per_window=len(b.calls),
            threads=threads,
            shape=[self.clients],
            dtype="clients",
            p95_seconds=tails,
            p95_ratio=[tail.ratio, tail.interval.low, tail.interval.high],
        )
        who = "one client" if self.clients == 1 else f"{self.clients} clients"
        evidence["measures"] = f"requests of {who}, in a closed loop"
        evidence["limit"] = "the network alone"
        record = rule_on_speed(name, outcome, self.levels, evidence, IMPLAUSIBLE)
        record = replace(record, sentence=f"{who.capitalize()}: {record.sentence}")
        return _with_tail(record, tail, tails) if self.clients > 1 else record


def tail_of(blocks: list[list[float]], side: LoadedSide) -> float:
    """The median over windows of what 95 % of the answers stayed below, in seconds."""
    return float(np.median([side.tails[s] for block in blocks for s in block]))


def tail_estimate(
    samples: Samples, a: LoadedSide, b: LoadedSide, rng: np.random.Generator
) -> Estimate:
    """The baseline's p95 over the candidate's: below 1, the slowest answers have become slower."""
    return estimate(
        [[a.tails[s] for s in block] for block in samples.baseline],
        [[b.tails[s] for s in block] for block in samples.candidate],
        rng,
    )


def _with_tail(record: RungRecord, tail: Estimate, tails: list[float]) -> RungRecord:
    """No points for throughput at the cost of those who wait longest."""
    if record.earned == 0 or tail.interval.high >= TAIL_MARGIN:
        return record
    before, after = (1e3 * seconds for seconds in tails)
    said = (
        f"{record.sentence} But {TAIL:.0%} of the answers came within {before:.1f} ms, and now "
        f"within {after:.1f}: no points for throughput that others wait for."
    )
    return replace(record, verdict=Verdict.TOO_SLOW, sentence=said, earned=0.0)
