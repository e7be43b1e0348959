"""Speedup on a CPU over a baseline measured at the same time, and fraction of the limit."""

import ast
import inspect
import math
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.arithmetic_ceiling import FILE as LIMITS
from hotloop.judge.arithmetic_ceiling import flops_per_second
from hotloop.judge.author_guard import Authored, Check
from hotloop.judge.calls import CallSpec, PlacedCall
from hotloop.judge.candidate import ANY_KIND, OF_TENSORS, Candidate, Kind
from hotloop.judge.constants import published
from hotloop.judge.levels import Level, decided, earned, lowered
from hotloop.judge.machine_figure import LONGEST_S, RECENT_S, machine_figure
from hotloop.judge.scheduling import cores_of, join, promote, spread, undisturbed
from hotloop.judge.seeds import Seeds
from hotloop.judge.session import RESOLVE_TIMEOUT_S, Session
from hotloop.judge.speed import Pace, SpeedComparison, SpeedEstimate, require_hope
from hotloop.judge.speed_record import Limit, measured_on, rule_on_speed, speed_evidence
from hotloop.judge.verification import Rows
from hotloop.judge.window import TimedWorker, Window, Workload
from hotloop.judge.worker_connection import WorkerConnection

if TYPE_CHECKING:  # most speed checks have no oracle, and a judge would start more slowly
    from hotloop.judge.oracle import OracleFunction

WINDOW_S = 0.024
"""Minimum length of a window in seconds, so that the protocol takes at most 1 % of it. Writing and
comparing a window's data takes twice as long as running it, so longer ones cost a class's time."""

MOST_CALLS = 256
MOST_BYTES = 1 << 30
"""Maximum bytes of a window's inputs and outputs; a window of fast calls is then shorter than
WINDOW_S."""

WARMUP_WINDOWS = 3
WARMUP_CALLS = 8
BINDING_LOSS = 1.03
IMPLAUSIBLE = 1.3
"""Maximum credible speed as a multiple of the measured limit; caches explain some excess."""


LEAST_REACHABLE = 1.25
"""Least speedup of the strong baseline that leaves room for levels between it and the baseline."""

REACHABLE_LOOKS = (15,)
"""Blocks in which the strong baseline is compared with the baseline."""

COPY = Candidate("copy", LIMITS.name, "destination")

Entrant = Callable[[Session], tuple[WorkerConnection, Candidate]]
"""Returns what is timed for a candidate: a worker and the function to call in it."""


def own_worker(session: Session) -> tuple[WorkerConnection, Candidate]:
    """Return the candidate's own worker and function."""
    return session.worker(), session.candidate


def bytes_of(spec: CallSpec) -> int:
    """Default of `fewest_bytes`: all inputs are read and the output is written once."""
    return spec.bytes


def _nothing(_worker: WorkerConnection, _session: Session) -> None:
    """Default `prepare`: most baselines need no preparation."""


@dataclass(frozen=True)
class Baseline(Authored):
    """A function in a file of the check, in destination style.

    path: relative to the folder of the check's `tasks.py`.
    copy: name of a function in the same file that only copies, for measuring the bandwidth limit;
        if the file has none, the judge copies the largest tensor of each call.
    beside: other files that the baseline needs, by the name under which it imports or reads them;
        if empty, the worker sees the whole folder of `path`.
    prepare: called with each new worker, for example to load a model.
    environment: environment variables of its process.
    label: its name in the evidence; by default `name`.
    """

    path: Path | str
    name: str
    copy: str = "copy"
    beside: Mapping[str, Path] = field(default_factory=dict[str, Path])
    prepare: Callable[[WorkerConnection, Session], None] = _nothing
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    label: str = ""

    @property
    def title(self) -> str:
        """The baseline's name in the evidence."""
        return self.label or self.name

    @property
    def candidate(self) -> Candidate:
        """The function to call in the baseline's worker."""
        return Candidate(self.name, Path(self.path).name, "destination")

    def start(self, session: Session) -> WorkerConnection:
        """Start a worker for the baseline, with the function found in it."""
        worker = session.trusted(self.folder(session), self.environment)
        self.prepare(worker, session)
        worker.resolve(self.name, self.candidate.file, RESOLVE_TIMEOUT_S)
        return worker

    def folder(self, session: Session) -> Path:
        """Return the folder that the baseline's worker sees."""
        path = session.options.folder / self.path
        if not self.beside:
            return path.parent
        files = {path.name: path, **self.beside}
        return session.once(f"files of {path}", lambda: session.staged(files))

    def copies(self, session: Session) -> bool:
        """Return True if the file has a function that only copies."""
        code = ast.parse((session.options.folder / self.path).read_bytes())
        return any(isinstance(s, ast.FunctionDef) and s.name == self.copy for s in code.body)


@dataclass(frozen=True)
class Fast(Check):
    """Throughput in windows of many calls, whose inputs are unknown until the clock starts.

    fewest_bytes: minimum traffic of one call in bytes; by default all inputs are read and the
        output is written once.
    fewest_flops: operations of one call; set it if arithmetic is the limit instead of bandwidth.
    entrant: returns what is timed, if not the candidate itself but a file that it made.
    baseline_workload: workload of the baseline, if it computes something else of the same cost.
    oracle: the reference of every timed answer, instead of the workload's `verify`.
    reachable: a strong baseline, measured against `baseline` by the same judge process, and again
        if that could give more points. Where it is slower than on the machine that the levels are
        for, they are lowered; where it is hardly faster than the baseline, nothing is measured.
    seconds: time for measuring.
    """

    timed: bool = field(default=True, kw_only=True)
    reads_answer: ClassVar[frozenset[str]] = frozenset({"entrant"})
    scored_by: str = field(default="levels", kw_only=True)
    workload: Workload
    baseline: Baseline
    fewest_bytes: Callable[[CallSpec], int] = bytes_of
    fewest_flops: Callable[[CallSpec], int] | None = None
    entrant: Entrant = own_worker
    after: tuple[str, ...] | None = field(default=("correct",), kw_only=True)
    seconds: float = 30.0
    baseline_workload: Workload | None = None
    oracle: "OracleFunction | None" = None
    reachable: Baseline | None = None

    @property
    def can_judge(self) -> frozenset[Kind]:
        """Whatever makes a file that is timed in its place; else a function of tensors."""
        return OF_TENSORS if inspect.unwrap(self.entrant) is own_worker else ANY_KIND

    def __call__(self, session: Session) -> str:
        """Measure both sides and rule on the speedup; an earlier check decides correctness."""
        if self.oracle is None:
            return self._measured(session)
        with self.oracle.verifying(session) as verify:
            workload = replace(self.workload, verify=verify)
            return replace(self, workload=workload)._measured(session)

    def _measured(self, session: Session) -> str:
        threads = session.launcher.threads
        worker, run = self.entrant(session)
        session.progress("starting the baseline")
        other = self.baseline.start(session)
        right = published(self.workload.verify)
        theirs = self.baseline_workload or replace(self.workload, verify=right)
        timed_baseline = TimedWorker(other, self.baseline.candidate, theirs, threads, session.seeds)
        timed_candidate = TimedWorker(worker, run, self.workload, threads, session.seeds)
        try:
            session.progress("warming up")
            baseline_s = warm_up(timed_baseline, self.workload, session.seeds)
            warm_up_within_reach(
                timed_candidate, self.workload, session.seeds, baseline_s, session.levels
            )
            session.alone()
            with undisturbed((worker, other), threads):
                return self._judge(timed_baseline, timed_candidate, session)
        finally:
            timed_baseline.close()
            timed_candidate.close()

    @contextmanager
    def _beside(
        self, baseline: Baseline, like: TimedWorker, session: Session
    ) -> Generator[TimedWorker]:
        """Start a baseline in another process, placed and warmed up like the first one."""
        worker = baseline.start(session)
        try:
            side = TimedWorker(
                worker, baseline.candidate, like.workload, like.threads, session.seeds
            )
            try:
                warm_up(side, self.workload, session.seeds)
                join(worker, cores_of(like.worker))
                lengthen_side(side, self.workload, session.seeds, len(like.calls))
                yield side
            finally:
                side.close()
        finally:
            worker.close()

    def _judge(
        self, timed_baseline: TimedWorker, timed_candidate: TimedWorker, session: Session
    ) -> str:
        rng = session.rng()
        window_s = lengthen_side(timed_baseline, self.workload, session.seeds)
        lengthen_side(timed_candidate, self.workload, session.seeds)
        # Before the strong baseline starts, which may take longer to compile than all the rest.
        same_calls = len(timed_candidate.calls) / len(timed_baseline.calls)
        require_hope(timed_candidate, same_calls * window_s, session.levels)

        def compared(levels: tuple[Level, ...]) -> SpeedEstimate:
            return SpeedComparison(
                timed_baseline,
                timed_candidate,
                levels,
                rng,
                session.deadline_in(self.seconds),
                session.progress,
                second_baseline=lambda: self._beside(self.baseline, timed_baseline, session),
                budget=session.budget,
            ).run()

        outcome = compared(self._levels_here(timed_baseline, session, rng))
        if self._may_be_lower(outcome, session):
            levels = self._levels_here(timed_baseline, session, rng, at_most_s=RECENT_S)
            if decided(levels, outcome.figure):
                outcome = replace(outcome, levels=levels, decided=True)
            else:  # what was clear for other levels may be close to these
                outcome = compared(levels)
        seconds = float(np.median(outcome.samples.flat_candidate()))
        evidence = speed_evidence(
            outcome,
            baseline=self.baseline.title,
            limit=self._limit(timed_baseline, timed_candidate, seconds, session),
            calls_per_window=len(timed_candidate.calls),
            threads=timed_candidate.threads,
            **measured_on(timed_candidate.calls[0].spec),
        )
        return rule_on_speed(session, outcome, evidence, IMPLAUSIBLE)

    def _levels_here(
        self,
        timed_baseline: TimedWorker,
        session: Session,
        rng: np.random.Generator,
        at_most_s: float = LONGEST_S,
    ) -> tuple[Level, ...]:
        """Return the levels, lowered if the strong baseline reaches less on this machine.

        The candidate is frozen. at_most_s: how old the measurement of what is reachable may be.
        Raises Ruling (NOT_MEASURED) if there is too little to reach.
        """
        strong = self.reachable
        if strong is None:
            return session.levels

        def measure() -> float:
            return self._reached_here(strong, timed_baseline, session, rng)

        ratio = machine_figure(session, "reachable", measure, at_most_s)
        session.note(reachable=ratio)
        return lowered(session.levels, ratio, session.reachable)

    def _may_be_lower(self, outcome: SpeedEstimate, session: Session) -> bool:
        """Return True if the lowest levels that there could be here would give more points."""
        if self.reachable is None:
            return False
        lowest = lowered(session.levels, LEAST_REACHABLE, session.reachable)
        return earned(lowest, outcome.figure) > earned(outcome.levels, outcome.figure)

    def _reached_here(
        self,
        baseline: Baseline,
        timed_baseline: TimedWorker,
        session: Session,
        rng: np.random.Generator,
    ) -> float:
        """Return how many times as fast as the baseline the strong one is.

        Raises Ruling (NOT_MEASURED) if that is too little.
        """
        session.progress("measuring what is reachable here")
        with self._beside(baseline, timed_baseline, session) as strong:
            deadline = session.deadline_in(self.seconds)
            pace = Pace(pairs=3, looks=REACHABLE_LOOKS)
            figure = (
                SpeedComparison(timed_baseline, strong, (), rng, deadline, pace=pace).run().figure
            )
        if figure.interval.low < LEAST_REACHABLE:
            session.note(reachable=figure.ratio)
            raise Ruling(
                Verdict.NOT_MEASURED,
                f"On this machine even {baseline.title} is only {figure.ratio:.2f}× the "
                "baseline, so speed cannot be judged here.",
            )
        return figure.ratio

    def _limit(
        self,
        timed_baseline: TimedWorker,
        timed_candidate: TimedWorker,
        seconds: float,
        session: Session,
    ) -> Limit:
        """Return the limit for an average call of the candidate, which takes `seconds`."""
        specs = [call.spec for call in timed_candidate.calls]
        of_arithmetic = self.fewest_flops is not None
        least = sum(map(self.fewest_flops or self.fewest_bytes, specs)) / len(specs)

        def measure() -> float:
            session.progress("measuring the device's limit")
            if of_arithmetic:
                return flops_per_second(session)
            return self._copied_per_second(timed_baseline, session)

        peak = machine_figure(session, "limit", measure)
        if least / peak > IMPLAUSIBLE * seconds:
            peak = machine_figure(session, "limit", measure, RECENT_S)
        if of_arithmetic:
            return Limit(least / peak, flops_per_call=least, flops_per_s=peak)
        return Limit(least / peak, least, peak)

    def _copied_per_second(self, side: TimedWorker, session: Session) -> float:
        """Return the bandwidth in bytes/s of a plain copy over buffers of the same sizes.

        It uses the same threads.
        """
        if not self.baseline.copies(session):
            return self._copied_by_the_judge(side, session)
        side.worker.thaw()
        side.worker.resolve(self.baseline.copy, side.candidate.file, 60)
        side.workload = replace(self.workload, verify=_anything)
        fastest = lengthen_side(side, side.workload, session.seeds, 2 * len(side.calls))
        return sum(self.fewest_bytes(call.spec) for call in side.calls) / fastest

    def _copied_by_the_judge(self, like: TimedWorker, session: Session) -> float:
        """Return the bandwidth in bytes/s of copying the largest tensor of each call."""

        def spec(rng: np.random.Generator, index: int) -> CallSpec:
            tensors = self.workload.spec(rng, index).tensors
            largest = max(tensors, key=lambda tensor: tensor.bytes)
            return CallSpec((largest,), largest)

        worker = session.trusted(LIMITS.parent)
        worker.resolve(COPY.name, COPY.file, RESOLVE_TIMEOUT_S)
        side = TimedWorker(
            worker, COPY, Workload(spec, _zeros, _anything), like.threads, session.seeds
        )
        try:
            join(worker, cores_of(like.worker))
            fastest = lengthen_side(side, side.workload, session.seeds, 2 * len(like.calls))
            return sum(call.spec.bytes for call in side.calls) / fastest
        finally:
            side.close()


def warm_up(side: TimedWorker, workload: Workload, seeds: Seeds) -> float:
    """Compile what needs compiling, on all cores, before anything is measured.

    Returns how long the workload's first WARMUP_CALLS take together once they are compiled, in
    seconds. To the worker, a warm-up looks like any other window.
    """
    total_s = 0.0
    for spec, count in _first_calls(workload, seeds).items():
        side.plan([spec])
        _, compiled = _windows(side, 2)
        total_s += count * compiled.seconds
    return total_s


def warm_up_within_reach(
    side: TimedWorker,
    workload: Workload,
    seeds: Seeds,
    baseline_s: float,
    levels: Sequence[Level],
) -> None:
    """Warm up a candidate. Raises TOO_SLOW if one distinct call alone is hopelessly slow.

    baseline_s: what `warm_up` returned for the baseline. A call that occurs n times may take an
        n-th of it even if all others took no time.
    """
    for spec, count in _first_calls(workload, seeds).items():
        side.plan([spec])
        require_hope(side, baseline_s / count, levels)


def _first_calls(workload: Workload, seeds: Seeds) -> Counter[CallSpec]:
    """Return each distinct one of the first calls, and how often it occurs."""
    return Counter(workload.spec(seeds.shapes(), i) for i in range(WARMUP_CALLS))


def lengthen_side(side: TimedWorker, workload: Workload, seeds: Seeds, count: int = 1) -> float:
    """Plan enough calls for a window of at least WINDOW_S, which also warms up.

    count: number of calls to start with.

    Returns the time of the fastest window of the final plan, in seconds.
    """
    while True:
        specs = [workload.spec(seeds.shapes(), i) for i in range(count)]
        side.plan(specs)
        fastest = min(w.seconds for w in _windows(side, 2))
        promote(side.worker)
        fastest = min(fastest, *(w.seconds for w in _windows(side, WARMUP_WINDOWS - 2)))
        most = _most_calls(specs)
        if fastest >= WINDOW_S or count >= most:
            side.timeout_s = max(5.0, 50 * fastest)
            _bind_if_it_helps(side, fastest)
            return fastest
        wanted = math.ceil(count * WINDOW_S * 1.1 / fastest)
        count = min(most, max(count + 1, min(wanted, 16 * count)))


def _most_calls(specs: Sequence[CallSpec]) -> int:
    """Return the maximum number of calls like these in a window."""
    mean_bytes = sum(spec.bytes for spec in specs) / len(specs)
    return max(1, min(MOST_CALLS, int(MOST_BYTES // mean_bytes)))


def _bind_if_it_helps(side: TimedWorker, fastest: float) -> None:
    """Bind each thread to one core, unless that is slower.

    It is slower for code that starts new threads in each call.
    """
    if side.threads == 1:
        return
    cores = cores_of(side.worker)
    spread(side.worker, side.threads)
    if min(w.seconds for w in _windows(side, WARMUP_WINDOWS)) > BINDING_LOSS * fastest:
        side.worker.freezer.set_affinity(cores)


def _zeros(_rng: np.random.Generator, call: PlacedCall, _hostile: bool) -> None:
    """Write the input of the bandwidth measurement; its pages must exist."""
    call.input(0)[...] = 0


def _anything(_call: PlacedCall, _rows: Rows) -> None:
    """Verifier of the bandwidth measurement, whose output is not checked."""


def _windows(side: TimedWorker, count: int) -> Sequence[Window]:
    return [side.window([False] * len(side.calls)) for _ in range(count)]
