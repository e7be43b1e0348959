"""Checks for a training loop: it computes on a GPU, but receives its inputs in host memory.

Data transfer to the GPU is part of what is judged. The timer runs from the first byte that the loop
can read until its result is in the judge's host memory, so GPU work still in flight cannot be left
out. The protocol is the CPU one; GPU and clocks are monitored as for kernels.
"""

import inspect
import math
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import ClassVar

from hotloop.judge.author_guard import Authored, Check
from hotloop.judge.calls import CallSpec, PlacedCall
from hotloop.judge.candidate import ANY_KIND, OF_TENSORS, Candidate, Kind
from hotloop.judge.checks.correct import Case, Require, Running, ask, frozen
from hotloop.judge.checks.fast import Baseline
from hotloop.judge.checks.gpu_fast import blaming
from hotloop.judge.constants import published
from hotloop.judge.gpu.card import Card
from hotloop.judge.gpu.ceiling import FILE as LIMITS
from hotloop.judge.gpu.ceiling import measure
from hotloop.judge.gpu.workers import candidate_worker, card_for_three, trusted_worker
from hotloop.judge.oracle import OracleFunction
from hotloop.judge.scheduling import undisturbed
from hotloop.judge.session import Session
from hotloop.judge.speed import Pace, SpeedComparison, require_hope
from hotloop.judge.speed_record import Limit, measured_on, rule_on_speed, speed_evidence
from hotloop.judge.time_limit import Overrun
from hotloop.judge.verification import Rows
from hotloop.judge.window import TimedWorker, Window, Workload
from hotloop.judge.worker_connection import WorkerConnection

RESOLVE_TIMEOUT_S = 120.0
CONTROL_TOLERANCE = 0.03
IMPLAUSIBLE = 1.3
WARMUP_WINDOWS = 3
"""Windows in which algorithms are selected, graphs captured and code compiled; they are not timed.
"""

LONG_WINDOWS = Pace(pairs=3, looks=(6, 9, 14))
"""Fewer windows: each one is a whole call of tenths of a second, so a short disturbance matters
little."""

Entrant = Callable[[Session, Card], AbstractContextManager[tuple[WorkerConnection, Candidate]]]
"""Yields what is judged for a candidate: a worker and the function to call in it."""


@contextmanager
def own_worker(session: Session, card: Card) -> Generator[tuple[WorkerConnection, Candidate]]:
    """Yield the candidate's own worker and function."""
    with candidate_worker(session, card) as worker:
        yield worker, session.candidate


def _kinds(entrant: Entrant) -> frozenset[Kind]:
    own = inspect.unwrap(entrant) is inspect.unwrap(own_worker)
    return OF_TENSORS if own else ANY_KIND


@dataclass(frozen=True)
class OnGpuFromHost(Authored):
    """A GPU, with the tensors in host memory. An oracle computes on the same GPU.

    entrant: yields what is judged, if not the candidate itself but a file that it made.
    after: as in `OnGpu`.
    """

    reads_answer: ClassVar[frozenset[str]] = frozenset({"entrant"})
    entrant: Entrant = own_worker
    after: tuple[str, ...] = ("correct",)
    case_timeout_s: float = 120.0

    @property
    def can_judge(self) -> frozenset[Kind]:
        """Whatever makes a file that is judged in its place; else a function of tensors."""
        return _kinds(self.entrant)

    @contextmanager
    def running(self, session: Session, timeout_s: float) -> Generator[Running]:
        """Yield the candidate in a worker that may use the GPU."""
        with card_for_three(session) as card, self.entrant(session, card) as (worker, candidate):
            about = session.about(candidate)

            def run(case: Case, require: Require) -> None:
                answer = ask(case, worker, about, timeout_s)
                with frozen(worker):
                    require(answer)

            with blaming(worker, card):
                yield Running(run, ", on the GPU", card)


class TimedGpuWorker(TimedWorker):
    """A side whose windows count only if the GPU was free and not throttled when they ended."""

    card: Card | None = None

    def window(self, adversarial: Sequence[bool]) -> Window:
        """Make a window as on a CPU; check the GPU after the worker is frozen again."""
        window = super().window(adversarial)
        if self.card is None or self.card.clean():
            return window
        return replace(window, foreign=1.0)


@dataclass(frozen=True)
class GpuFastFromHost(Check):
    """Speed of whole calls on the GPU, with every timed answer compared with the oracle's.

    oracle: the reference of every timed answer.
    fewest_flops: operations of one call; the GPU's measured matmul FLOP/s gives the limit.
    entrant: as in `OnGpuFromHost`.
    """

    scored_by: str = field(default="levels", kw_only=True)
    reads_answer: ClassVar[frozenset[str]] = frozenset({"entrant"})
    workload: Workload
    baseline: Baseline
    oracle: OracleFunction
    fewest_flops: Callable[[CallSpec], int]
    after: tuple[str, ...] | None = field(default=("gpu_correct",), kw_only=True)
    seconds: float = 120.0
    pace: Pace = LONG_WINDOWS
    entrant: Entrant = own_worker

    @property
    def can_judge(self) -> frozenset[Kind]:
        """As of `OnGpuFromHost`."""
        return _kinds(self.entrant)

    def __call__(self, session: Session) -> str:
        """Measure both sides and rule on the speedup; an earlier check decides correctness."""
        try:
            return self._measured(session)
        except Overrun:
            raise session.budget.time_is_up() from None

    def _measured(self, session: Session) -> str:
        with card_for_three(session) as card:
            session.progress("measuring the GPU's limits")
            with trusted_worker(session, LIMITS.parent, card) as worker:
                peak = measure(worker, matmul=True).flops_per_s
            with (
                self.entrant(session, card) as (worker, run),
                trusted_worker(session, self.baseline.folder(session), card) as other,
                self.oracle.verifying(session, card) as verify,
            ):
                self.baseline.prepare(other, session)
                ours = self.baseline.candidate
                other.resolve(ours.name, ours.file, RESOLVE_TIMEOUT_S)
                workload = replace(self.workload, verify=verify)
                threads = session.launcher.threads
                theirs = replace(workload, verify=published(verify))
                timed_baseline = TimedGpuWorker(other, ours, theirs, threads, session.seeds)
                timed_candidate = TimedGpuWorker(worker, run, workload, threads, session.seeds)
                try:
                    with blaming(worker, card):
                        return self._judge(
                            timed_baseline, timed_candidate, card, peak or 0.0, session
                        )
                finally:
                    timed_baseline.close()
                    timed_candidate.close()

    def _judge(
        self, a: TimedGpuWorker, b: TimedGpuWorker, card: Card, peak: float, session: Session
    ) -> str:
        session.progress("warming up")
        spec = self.workload.spec(session.seeds.shapes(), 0)
        a.plan([spec])
        b.plan([spec])
        baseline_s = _warm_up(a, WARMUP_WINDOWS, session)
        require_hope(b, baseline_s, session.levels)
        _warm_up(b, WARMUP_WINDOWS - 1, session)
        # The baseline's answers were verified during warm-up; spend the time on the candidate's.
        a.workload = replace(a.workload, verify=_was_verified)
        workers: tuple[WorkerConnection, WorkerConnection] = (b.worker, a.worker)
        with undisturbed(workers, session.launcher.threads):
            a.card = b.card = card
            comparison = SpeedComparison(
                a,
                b,
                session.levels,
                session.rng(),
                session.deadline_in(self.seconds),
                session.progress,
                control_tolerance=CONTROL_TOLERANCE,
                pace=self.pace,
                budget=session.budget,
            )
            outcome = comparison.run()
        flops = float(self.fewest_flops(spec))
        evidence = speed_evidence(
            outcome,
            baseline=self.baseline.title,
            limit=Limit(flops / peak, flops_per_call=flops, flops_per_s=peak),
            calls_per_window=1,
            gpu=card.facts.name,
            clock=card.clocks.state().words(),
            **measured_on(spec),
        )
        return rule_on_speed(session, outcome, evidence, IMPLAUSIBLE)


def _warm_up(side: TimedGpuWorker, windows: int, session: Session) -> float:
    """Make so many windows; return the seconds of the fastest."""
    fastest_s = math.inf
    for _ in range(windows):
        session.budget.remaining_s()
        fastest_s = min(fastest_s, side.window([False]).seconds)
    return fastest_s


def _was_verified(_call: PlacedCall, _rows: Rows) -> None:
    """Verifier of the baseline after warm-up, where its answers were compared."""
