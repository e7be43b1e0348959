"""Speedup on the GPU over a baseline measured at the same time, and fraction of the limit."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.author_guard import Check
from hotloop.judge.calls import CallSpec
from hotloop.judge.candidate import ON_GPU, Candidate, Kind
from hotloop.judge.checks.fast import Baseline, bytes_of
from hotloop.judge.constants import published
from hotloop.judge.gpu.card import Card, CardBusy
from hotloop.judge.gpu.ceiling import FILE as LIMITS
from hotloop.judge.gpu.ceiling import Ceiling, measure
from hotloop.judge.gpu.length import MOST_CALLS, WINDOW_S, fitting, lengthen
from hotloop.judge.gpu.nsight import profile
from hotloop.judge.gpu.replay import explained, kernels_alone, one_claim
from hotloop.judge.gpu.window import TimedDeviceWorker
from hotloop.judge.gpu.workers import (
    RESOLVE_TIMEOUT_S,
    candidate_worker,
    card_for,
    guests_of,
    require_capability,
    trusted_worker,
)
from hotloop.judge.gpu.workload import DeviceWorkload
from hotloop.judge.session import Session
from hotloop.judge.speed import USUAL, Pace, SpeedComparison, require_hope
from hotloop.judge.speed_record import Limit, measured_on, rule_on_speed, speed_evidence
from hotloop.judge.worker_connection import WorkerConnection

CONTROL_TOLERANCE = 0.03
IMPLAUSIBLE = 1.10
"""Maximum credible speed as a multiple of the measured copy bandwidth; the tensors do not fit in
L2."""

MOST_UNCERTAIN = 0.01
"""Maximum uncertainty of the protocol cost subtracted from the time, as a share of a leg."""


@dataclass(frozen=True)
class GpuFast(Check):
    """Throughput on the GPU, in windows of many calls on fresh inputs.

    fewest_bytes, fewest_flops: minimum of one call; a time shorter than either allows is
        implausible.
    baseline_truth: reference of the baseline if it computes something else, such as a copy; a level
        is then a share of the copy's speed.
    seconds: time for measuring.
    implausible: fraction of the limit above which some of the work cannot have been done.
    capability: as in `OnGpu`.
    alone: time the Triton kernels that the function launches, without the function, as
        `hotloop.judge.gpu.replay` says.
    helpers, helper_bytes: number of further processes of the check on the GPU, and their memory.
    """

    fits: ClassVar[frozenset[Kind]] = ON_GPU
    scored_by: str = field(default="levels", kw_only=True)
    workload: DeviceWorkload
    baseline: Baseline
    fewest_bytes: Callable[[CallSpec], int] = bytes_of
    fewest_flops: Callable[[CallSpec], int] | None = None
    baseline_truth: Callable[..., Any] | None = None
    after: tuple[str, ...] | None = field(default=("gpu_correct",), kw_only=True)
    seconds: float = 90.0
    pace: Pace = USUAL
    implausible: float = IMPLAUSIBLE
    capability: int | None = None
    helpers: int = 0
    helper_bytes: int = 0
    alone: bool = False

    def __call__(self, session: Session) -> str:
        """Measure both sides and rule on the speedup; an earlier check decides correctness."""
        card = card_for(session)
        require_capability(card, self.capability)
        # The judge and the notebook's kernel, if any; each worker adds one when it starts.
        card.clocks.expected_clients = (
            1 + self.helpers + max(guests_of(session), int(session.candidate.file is None))
        )
        try:
            return self._judge_on(card, session)
        except CardBusy as busy:
            raise _others_use_it(str(busy)) from None
        finally:
            if session.options.nsight:
                session.progress("profiling with Nsight Compute")
                profile(session, self.workload, card)

    def _judge_on(self, card: Card, session: Session) -> str:
        session.progress("measuring the GPU's limits")
        with trusted_worker(session, LIMITS.parent, card) as worker:
            ceiling = measure(worker, matmul=self.fewest_flops is not None)
        session.progress("starting the baseline")
        before = card.driver.memory()[0]
        with trusted_worker(session, self.baseline.folder(session), card) as other:
            card.clocks.expected_clients += 1
            ours = self.baseline.candidate
            other.resolve(ours.name, ours.file, 120)
            timed_baseline = self._side(other, ours, self.of_baseline(), card, session, before)
            baseline_s = lengthen(timed_baseline)
            taken = self.helper_bytes + max(0, before - card.driver.memory()[0])
            with self._judged_worker(session, card, card.free_bytes - taken) as timed_candidate:
                worker = timed_candidate.worker

                def hopeful() -> None:
                    # A short window may be mostly protocol, which is measured and subtracted later.
                    ours_s = max(WINDOW_S, baseline_s * len(timed_candidate.calls))
                    require_hope(timed_candidate, ours_s, session.levels)

                try:
                    with blaming(worker, card):
                        session.progress("warming up")
                        lengthen(timed_candidate, hopeful)
                        return self._judge(timed_baseline, timed_candidate, ceiling, session)
                finally:
                    timed_candidate.close()

    @contextmanager
    def _judged_worker(
        self, session: Session, card: Card, free: int
    ) -> Generator[TimedDeviceWorker]:
        """Yield the side that is timed: the function, or the kernels that it launches."""
        own = int(session.candidate.file is not None)
        with candidate_worker(session, card) as worker:
            card.clocks.expected_clients += own
            side = self._side(worker, session.candidate, self.workload, card, session, free)
            if not self.alone:
                yield side
                return
            session.progress("asking which kernels it launches")
            with blaming(worker, card):
                claims = self._claims(side)
        # The worker with the kernels takes the place of the function's, which has ended.
        with kernels_alone(session, card, [claims]) as (worker, [program]), explained():
            worker.resolve(program.name, program.file, RESOLVE_TIMEOUT_S)
            yield self._side(worker, program, self.workload, card, session, free)

    def _claims(self, side: TimedDeviceWorker) -> dict[CallSpec, object]:
        """Return what the function says of its launches, for each shape that is timed."""
        claims: dict[CallSpec, object] = {}
        side.watch = "launches"
        for spec in dict.fromkeys(fitting(side, index) for index in range(MOST_CALLS)):
            side.plan([spec])
            side.window([False])
            claims[spec] = one_claim(side.reply)
        return claims

    def _side(
        self,
        worker: WorkerConnection,
        candidate: Candidate,
        workload: DeviceWorkload,
        card: Card,
        session: Session,
        free: int,
    ) -> TimedDeviceWorker:
        return TimedDeviceWorker(
            worker, candidate, workload, card, session.seeds, free, session.budget
        )

    def of_baseline(self) -> DeviceWorkload:
        """Return the workload with the baseline's reference."""
        if self.baseline_truth is not None:
            return replace(self.workload, truth=self.baseline_truth)
        return replace(
            self.workload,
            truth=published(self.workload.truth),
            tolerance=published(self.workload.tolerance),
        )

    def _judge(
        self,
        timed_baseline: TimedDeviceWorker,
        timed_candidate: TimedDeviceWorker,
        ceiling: Ceiling,
        session: Session,
    ) -> str:
        shares = [
            take_off_protocol(timed_baseline, side) for side in (timed_baseline, timed_candidate)
        ]
        comparison = SpeedComparison(
            timed_baseline,
            timed_candidate,
            session.levels,
            session.rng(),
            session.deadline_in(self.seconds),
            session.progress,
            control_tolerance=CONTROL_TOLERANCE,
            pace=self.pace,
            budget=session.budget,
        )
        outcome = comparison.run()
        evidence = speed_evidence(
            outcome,
            baseline=self.baseline.title,
            limit=self._limit(ceiling, timed_candidate),
            calls_per_window=len(timed_candidate.calls),
            gpu=timed_candidate.card.facts.name,
            clock=timed_candidate.card.clocks.state().words(),
            neighbors_seen=not timed_candidate.card.clocks.blind,
            legs_per_window=timed_candidate.legs,
            protocol_shares=shares,
            **measured_on(timed_candidate.calls[0].spec),
        )
        return rule_on_speed(session, outcome, evidence, self.implausible)

    def _limit(self, ceiling: Ceiling, side: TimedDeviceWorker) -> Limit:
        """Return the limit for an average call, from the GPU's measured bandwidth and FLOP/s."""
        count = len(side.calls)
        moved = sum(self.fewest_bytes(c.spec) for c in side.calls) / count
        moving = moved / ceiling.bytes_per_s
        if self.fewest_flops is None or ceiling.flops_per_s is None:
            return Limit(moving, moved, ceiling.bytes_per_s)
        flops = sum(self.fewest_flops(c.spec) for c in side.calls) / count
        seconds = max(moving, flops / ceiling.flops_per_s)
        return Limit(seconds, moved, ceiling.bytes_per_s, flops, ceiling.flops_per_s)


def take_off_protocol(trusted: TimedDeviceWorker, side: TimedDeviceWorker) -> float:
    """Subtract the protocol's cost per leg from `side`'s windows; return its share of a leg.

    Handing over device memory takes driver time that neither side causes; an empty leg of `trusted`
    measures it. Raises Ruling(UNDECIDED) if it varies too much to be subtracted.
    """
    cost, uncertain = trusted.protocol_cost(side.layout)
    side.leg_cost_s = 0.0
    leg = side.window([False] * len(side.calls)).seconds / side.legs
    if uncertain > MOST_UNCERTAIN * leg:
        raise Ruling(
            Verdict.UNDECIDED,
            "Timing too noisy: the time to hand over memory varies too much. Run the check again.",
        )
    side.leg_cost_s = cost
    return cost / leg


@contextmanager
def blaming(worker: WorkerConnection, card: Card) -> Generator[None]:
    """Raise the Ruling of `blame` if the GPU is in use all the time inside the `with` block."""
    try:
        yield
    except CardBusy as busy:
        raise blame(worker, card, str(busy)) from None


def blame(worker: WorkerConnection, card: Card, state: str) -> Ruling:
    """Return the Ruling for a busy GPU: TAMPERED if it becomes idle once the candidate is ended.

    UNDECIDED otherwise, since other programs then use it.
    """
    if worker.confined is None:
        return _others_use_it(state)
    worker.close()
    card.clocks.expected_clients -= 1
    if not card.free():
        return _others_use_it(state)
    return Ruling(
        Verdict.TAMPERED,
        "Your process kept computing on the GPU while it was stopped, or held it in further "
        "processes: leave no work behind when your function returns.",
    )


def _others_use_it(state: str) -> Ruling:
    return Ruling(
        Verdict.UNDECIDED,
        f"Others used the GPU all the time ({state}); stop them, and measure again.",
    )
