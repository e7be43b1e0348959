"""Rung: fast on a CPU, against a baseline measured in the same minutes, and against the limit."""

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from hotloop.judge.arithmetic_ceiling import flops_per_second
from hotloop.judge.calls import Call, CallSpec, TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.constants import published
from hotloop.judge.link import Link
from hotloop.judge.scheduling import cores_of, join, promote, spread, undisturbed
from hotloop.judge.seeds import Seeds
from hotloop.judge.session import RESOLVE_TIMEOUT_S, Session
from hotloop.judge.speed import Trial
from hotloop.judge.speed_record import Limit, measured_on, rule_on_speed, speed_evidence
from hotloop.judge.verification import Rows
from hotloop.judge.window import Side, Window, Workload

WINDOW_S = 0.045
"""A window is at least this long, so that the protocol costs at most 1 % of it."""

MOST_CALLS = 256
MOST_BYTES = 1 << 30
"""Of a window's inputs and outputs; a window of fast calls is shorter instead."""

WARMUP_WINDOWS = 3
WARMUP_CALLS = 8
BINDING_LOSS = 1.03
IMPLAUSIBLE = 1.3
"""Nobody is this many times faster than the measured copy; caches explain some of it."""


Entrant = Callable[[Session], tuple[Link, Candidate]]
"""What is timed for a candidate: a worker, and the function that is called in it."""


def own_worker(session: Session) -> tuple[Link, Candidate]:
    """The candidate itself, where it lives."""
    return session.worker(), session.candidate


def _nothing(_link: Link, _session: Session) -> None:
    """Most baselines are ready when they have started."""


@dataclass(frozen=True)
class Baseline:
    """A function in a file of ours, destination style.

    copy: a function in the same file that only copies, for the ceiling.
    beside: other files of ours that it needs, by the name that it knows them by; without any, it
        sees the folder that it lies in.
    prepare: what is to be done in a worker that has just started, such as giving it a model.
    environment: variables of its process.
    label: what the evidence calls it, if not by its name.
    """

    path: Path
    name: str
    copy: str = "copy"
    beside: Mapping[str, Path] = field(default_factory=dict[str, Path])
    prepare: Callable[[Link, Session], None] = _nothing
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    label: str = ""

    @property
    def told(self) -> str:
        """For the evidence."""
        return self.label or self.name

    def start(self, session: Session) -> tuple[Link, Candidate]:
        """A worker of its own, and what is called in it."""
        link = session.trusted(self.folder(session), self.environment)
        self.prepare(link, session)
        ours = Candidate(self.name, self.path.name, "destination")
        link.resolve(ours.name, ours.file, RESOLVE_TIMEOUT_S)
        return link, ours

    def folder(self, session: Session) -> Path:
        """What its worker sees."""
        if not self.beside:
            return self.path.parent
        files = {self.path.name: self.path, **self.beside}
        return session.once(f"files of {self.path}", lambda: session.staged(files))


@dataclass(frozen=True)
class Fast:
    """Speed in windows of many calls: throughput, with the inputs unknown before the clock runs.

    fewest_bytes: of one call, read and written once.
    fewest_flops: of one call, where arithmetic is the limit and not the bytes.
    entrant: gives what is timed, if that is not the candidate itself but a file that it has made.
    baseline_workload: where the baseline computes something else that costs the same.
    """

    timed: ClassVar[bool] = True
    workload: Workload
    baseline: Baseline
    fewest_bytes: Callable[[CallSpec], int]
    fewest_flops: Callable[[CallSpec], int] | None = None
    entrant: Entrant = own_worker
    after: tuple[str, ...] = ("correct",)
    seconds: float = 30.0
    baseline_workload: Workload | None = None

    def __call__(self, session: Session) -> str:
        """Correctness is known; measure, compare, rule."""
        threads = session.launcher.threads
        link, run = self.entrant(session)
        session.progress("starting the baseline")
        other, ours = self.baseline.start(session)
        right = published(self.workload.verify)
        theirs = self.baseline_workload or replace(self.workload, verify=right)
        side_a = Side(other, ours, theirs, threads, session.seeds)
        side_b = Side(link, run, self.workload, threads, session.seeds)
        try:
            session.progress("warming up")
            for side in (side_b, side_a):
                warm_up(side, self.workload, session.seeds)
            session.alone()
            with undisturbed((link, other), threads):
                return self._judge(side_a, side_b, session)
        finally:
            side_a.close()
            side_b.close()

    @contextmanager
    def _twin(self, like: Side, session: Session) -> Generator[Side]:
        """The baseline in another process, placed and warmed up like the first one."""
        link, _ = self.baseline.start(session)
        try:
            twin = Side(link, like.candidate, like.workload, like.threads, session.seeds)
            try:
                join(link, cores_of(like.link))
                lengthen_side(twin, self.workload, session.seeds, len(like.calls))
                yield twin
            finally:
                twin.close()
        finally:
            link.close()

    def _judge(self, side_a: Side, side_b: Side, session: Session) -> str:
        rng = session.rng()
        for side in (side_b, side_a):
            lengthen_side(side, self.workload, session.seeds)
        deadline = session.deadline_in(self.seconds)
        trial = Trial(
            side_a,
            side_b,
            session.levels,
            rng,
            deadline,
            session.progress,
            twin=lambda: self._twin(side_a, session),
        )
        outcome = trial.run()
        evidence = speed_evidence(
            outcome,
            session.levels,
            baseline=self.baseline.told,
            limit=self._limit(side_a, side_b, session),
            calls_per_window=len(side_b.calls),
            threads=side_b.threads,
            **measured_on(side_b.calls[0].spec),
        )
        return rule_on_speed(session, outcome, evidence, IMPLAUSIBLE)

    def _limit(self, side_a: Side, side_b: Side, session: Session) -> Limit:
        """Of a mean call of the candidate."""
        session.progress("measuring the device's limit")
        specs = [call.spec for call in side_b.calls]
        if self.fewest_flops is not None:
            flops = sum(map(self.fewest_flops, specs)) / len(specs)
            peak = flops_per_second(session)
            return Limit(flops / peak, flops_per_call=flops, flops_per_s=peak)
        moved = sum(map(self.fewest_bytes, specs)) / len(specs)
        peak = self._copied_per_second(side_a, session)
        return Limit(moved / peak, moved, peak)

    def _copied_per_second(self, side: Side, session: Session) -> float:
        """Bytes a second of a plain copy over buffers of the same sizes, on the same threads."""
        side.link.thaw()
        side.link.resolve(self.baseline.copy, side.candidate.file, 60)
        side.workload = replace(self.workload, verify=_anything)
        fastest = lengthen_side(side, side.workload, session.seeds, 2 * len(side.calls))
        return sum(self.fewest_bytes(call.spec) for call in side.calls) / fastest


def warm_up(side: Side, workload: Workload, seeds: Seeds) -> None:
    """Let a compiler compile, with all cores and before anything is measured.

    Outwardly it is a window like any other. It has each kind of call once: one like another brings
    nothing to compile, and a slow baseline takes seconds for each.
    """
    specs = (workload.spec(seeds.shapes(), i) for i in range(WARMUP_CALLS))
    side.plan(list(dict.fromkeys(specs)))
    _windows(side, 1)


def lengthen_side(side: Side, workload: Workload, seeds: Seeds, count: int = 1) -> float:
    """Plan so many calls that a window lasts at least WINDOW_S; warms up on the way.

    count: to begin with. Returns the seconds of the fastest window that was seen at the end.
    """
    while True:
        specs = [workload.spec(seeds.shapes(), i) for i in range(count)]
        side.plan(specs)
        fastest = min(w.seconds for w in _windows(side, WARMUP_WINDOWS))
        promote(side.link)
        most = _most_calls(specs)
        if fastest >= WINDOW_S or count >= most:
            side.patience_s = max(5.0, 50 * fastest)
            _bind_if_it_helps(side, fastest)
            return fastest
        wanted = math.ceil(count * WINDOW_S * 1.1 / fastest)
        count = min(most, max(count + 1, min(wanted, 16 * count)))


def _most_calls(specs: Sequence[CallSpec]) -> int:
    """How many calls like these a window may have."""
    mean_bytes = sum(map(call_bytes, specs)) / len(specs)
    return max(1, min(MOST_CALLS, int(MOST_BYTES // mean_bytes)))


def _bind_if_it_helps(side: Side, fastest: float) -> None:
    """One core a thread, unless that is slower: who starts threads in each call loses by it."""
    if side.threads == 1:
        return
    cores = cores_of(side.link)
    spread(side.link, side.threads)
    if min(w.seconds for w in _windows(side, WARMUP_WINDOWS)) > BINDING_LOSS * fastest:
        side.link.freezer.set_affinity(cores)


def call_bytes(spec: CallSpec) -> int:
    """Memory that one call's tensors take."""
    tensors = [a for a in spec.arguments if isinstance(a, TensorSpec)]
    return sum(t.bytes for t in (*tensors, spec.out))


def _anything(_call: Call, _rows: Rows) -> None:
    """What a ceiling's calls write is nobody's answer."""


def _windows(side: Side, count: int) -> Sequence[Window]:
    return [side.window([False] * len(side.calls)) for _ in range(count)]
