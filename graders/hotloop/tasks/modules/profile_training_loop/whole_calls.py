"""Speed of whole training runs on a CPU: a window is one call, of tenths of a second."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.arithmetic_ceiling import flops_per_second
from hotloop.judge.author_guard import Check
from hotloop.judge.calls import CallSpec, PlacedCall
from hotloop.judge.checks.fast import Baseline
from hotloop.judge.constants import published
from hotloop.judge.machine_figure import machine_figure
from hotloop.judge.oracle import OracleFunction
from hotloop.judge.scheduling import undisturbed
from hotloop.judge.session import Session
from hotloop.judge.speed import Pace, SpeedComparison, require_hope
from hotloop.judge.speed_record import Limit, measured_on, rule_on_speed, speed_evidence
from hotloop.judge.verification import Rows
from hotloop.judge.window import TimedWorker, Workload

WARMUP_WINDOWS = 2
IMPLAUSIBLE = 1.3
FEW_WINDOWS = Pace(pairs=2, looks=(3, 6))
MORE_WINDOWS = Pace(pairs=3, looks=(8, 16, 24))
"""For calls of less than a tenth of a second, whose times differ by more."""


@dataclass(frozen=True)
class FastWholeCalls(Check):
    """Speed of whole calls, with every timed answer compared with the oracle's.

    `Fast` lengthens its windows, warms up for longer and starts the baseline twice, which takes
    minutes with calls as long as these.

    fewest_flops: operations of one call.
    cores: what a candidate may use, if not as many as it has threads. With all cores of a machine
        its processes share them with the judge, which waits meanwhile.
    """

    timed: bool = field(default=True, kw_only=True)
    scored_by: str = field(default="levels", kw_only=True)
    workload: Workload
    baseline: Baseline
    oracle: OracleFunction
    fewest_flops: Callable[[CallSpec], int]
    after: tuple[str, ...] | None = field(default=("correct",), kw_only=True)
    cores: int = 0
    pace: Pace = FEW_WINDOWS
    seconds: float = 60.0

    def __call__(self, session: Session) -> str:
        """Measure both sides and rule on the speedup; an earlier check decides correctness."""
        cores = self.cores or session.launcher.threads
        if len(os.sched_getaffinity(0)) < cores:
            raise Ruling(Verdict.NOT_MEASURED, f"Needs {cores} cores, and this machine has fewer.")
        worker = session.worker()
        other = self.baseline.start(session)
        with self.oracle.verifying(session) as verify:
            workload = replace(self.workload, verify=verify)
            theirs = replace(workload, verify=published(verify))
            ours = self.baseline.candidate
            baseline = TimedWorker(other, ours, theirs, cores, session.seeds)
            candidate = TimedWorker(worker, session.candidate, workload, cores, session.seeds)
            try:
                session.alone()
                with undisturbed((worker, other), cores):
                    return self._judge(baseline, candidate, session)
            finally:
                baseline.close()
                candidate.close()

    def _judge(self, baseline: TimedWorker, candidate: TimedWorker, session: Session) -> str:
        session.progress("warming up")
        spec = self.workload.spec(session.seeds.shapes(), 0)
        baseline.plan([spec])
        candidate.plan([spec])
        baseline_s = min(baseline.window([False]).seconds for _ in range(WARMUP_WINDOWS))
        require_hope(candidate, baseline_s, session.levels)
        # The baseline's answers were verified during warm-up.
        baseline.workload = replace(baseline.workload, verify=_was_verified)
        outcome = SpeedComparison(
            baseline,
            candidate,
            session.levels,
            session.rng(),
            session.deadline_in(self.seconds),
            session.progress,
            pace=self.pace,
            budget=session.budget,
        ).run()
        least = float(self.fewest_flops(spec))
        peak = machine_figure(session, "limit", lambda: flops_per_second(session))
        evidence = speed_evidence(
            outcome,
            baseline=self.baseline.title,
            limit=Limit(least / peak, flops_per_call=least, flops_per_s=peak),
            calls_per_window=1,
            threads=session.launcher.threads,
            cores=candidate.threads,
            **measured_on(spec),
        )
        return rule_on_speed(session, outcome, evidence, IMPLAUSIBLE)


def _was_verified(_call: PlacedCall, _rows: Rows) -> None:
    """Verifier of the baseline after warm-up, where its answers were compared."""
