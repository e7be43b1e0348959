"""Speed comparison: the candidate's time against the baseline's, in interleaved windows A B B A.

Order of events: warm-up (it looks like any window) → choice of the window's length → A/A control,
which also measures the baseline alone → blocks until the confidence interval decides every level, a
few if that is clear → the baseline alone again → a second process of the baseline, unless none is
slow enough to change what was decided. The candidate is frozen whenever it is not timed.

A candidate whose windows have already taken longer than all of them may is too slow, without any
further window (`SpeedComparison._require_within_reach`). One whose calls are far beyond that ends
before there is a comparison (`require_hope`).
"""

import math
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.budget import Budget
from hotloop.judge.levels import TOTAL_TIME_MARGIN, Level, decided, earned, stands
from hotloop.judge.statistics import EARLY_LOOKS, LOOKS, Estimate, estimate, spent, spread

CONTROL_TOLERANCE = 0.05
CONTROL_PAIRS = 6


@dataclass(frozen=True)
class Pace:
    """Number of windows and of looks at the samples.

    pairs: pairs of baseline windows in a control; at the end, as many windows of the baseline
        alone.
    looks: numbers of blocks (A B B A) after which the samples are evaluated.
    early: the same before the first of `looks`, for what is clear.
    """

    pairs: int = CONTROL_PAIRS
    looks: tuple[int, ...] = LOOKS
    early: tuple[int, ...] = ()

    @property
    def windows(self) -> int:
        """Number of windows for a decision: controls, and blocks up to the first of `looks`."""
        return 3 * self.pairs + 4 * self.looks[0]

    @property
    def most_windows(self) -> int:
        """Number of windows of each side at the last look."""
        return 2 * self.looks[-1]


USUAL = Pace(early=EARLY_LOOKS)

EARLIEST_S = 1.0
"""Least time from the first block to an early look, so that no spell of the machine decides."""

SECOND_BASELINE_TOLERANCE = 0.08
"""Allowed deviation between two processes of the baseline, whose memory layouts differ."""

SECOND_BASELINE_LOOKS = 3

SLOW_PROCESS = 1.25
"""No process of a baseline is so many times slower than another; of 240 recorded ones, none was by
more than 4 %. What is decided for such a baseline as well needs no second one."""

QUIET_SPREAD = 0.05
QUIET_DISCARDS = 0.34
RETRIES = 8
RETRY_SHARE = 0.1
"""Share of the measuring time for retrying a candidate's window; if its windows are long and
delayed, time must be left for the baseline."""

HOPELESS = 8
"""A candidate is too slow at once if its fastest warm-up call takes so many times as long as the
lowest level allows.

A right answer is slower in its first calls than in its windows: pages and caches are cold, clocks
ramp up, and a neighbor shares memory and cores. Each costs a factor of up to two, and three of
them do not come near. What is slower by less is decided by a few windows.
"""

HOPEFUL_TRIES = 8
PATIENCE_S = 4.0
"""A call is repeated so many times, or until its repetitions have taken so many seconds, before it
counts as hopeless: the first compiles, and some compile, record or choose again in later ones."""

FEWEST_REPETITIONS = 2

KEPT_WAITING = 0.75
"""A candidate for which the judge waits for this share of the measuring time has used it up. Of two
equally fast sides each takes less than half, so it takes at least three times as long as ours."""

MAX_SELF_DELAYED = 12
FEWEST_SELF_DELAYED = 3
"""This many delayed blocks, each between two undisturbed windows of the baseline, are no
coincidence: foreign load would disturb as many windows of the baseline."""

MAX_BROKEN = 3

MOST_OF_MEDIAN = 2.0
"""A baseline window that takes longer than this many medians was disturbed unnoticed."""


class _TimeIsUp(Exception):
    """The deadline has passed; no further window is started."""


class TimedWindow(Protocol):
    """Result of one window, on a CPU or a GPU."""

    @property
    def seconds(self) -> float:
        """Time of the whole window."""
        ...

    @property
    def foreign(self) -> float:
        """Share of the time that others took, as far as it was measured."""
        ...

    @property
    def intact(self) -> bool:
        """False if the side ran while it should have been frozen."""
        ...

    @property
    def counts(self) -> bool:
        """True if the window is used as a sample."""
        ...


class Timer(Protocol):
    """One side of the comparison: baseline or candidate."""

    @property
    def calls(self) -> Sequence[object]:
        """The planned calls of a window."""
        ...

    def window(self, adversarial: Sequence[bool]) -> TimedWindow:
        """Run one window; `adversarial` marks the calls that get adversarial inputs."""
        ...


@dataclass
class Samples:
    """Seconds per call, as blocks of two windows, and numbers of discarded windows.

    control, alone_after: baseline windows in the A/A control and at the end.
    counted: all baseline windows that count.
    own_s: seconds of each intact candidate window, discarded ones too, less what others took.
    broken: candidate windows during which it ran although frozen.
    self_delayed: blocks given up because the candidate's windows were delayed.
    """

    baseline: list[list[float]] = field(default_factory=list[list[float]])
    candidate: list[list[float]] = field(default_factory=list[list[float]])
    control: list[float] = field(default_factory=list[float])
    alone_after: list[float] = field(default_factory=list[float])
    counted: list[float] = field(default_factory=list[float])
    own_s: list[float] = field(default_factory=list[float])
    discarded_baseline: int = 0
    discarded_candidate: int = 0
    broken: int = 0
    self_delayed: int = 0

    def flat_baseline(self) -> list[float]:
        """Return all baseline samples of the blocks."""
        return [s for block in self.baseline for s in block]

    def flat_candidate(self) -> list[float]:
        """Return all candidate samples of the blocks."""
        return [s for block in self.candidate for s in block]

    @property
    def quiet(self) -> bool:
        """True if the baseline ran undisturbed, so that any noise comes from the candidate."""
        windows = self.flat_baseline()
        if len(windows) < 4:
            return False
        share = self.discarded_baseline / (self.discarded_baseline + len(windows))
        return spread(windows) <= QUIET_SPREAD and share <= QUIET_DISCARDS


@dataclass(frozen=True)
class SpeedEstimate:
    """figure: the last estimate. decided: True if it decides every level that earns points."""

    levels: Sequence[Level]
    figure: Estimate
    decided: bool
    samples: Samples


class SpeedComparison:
    """Comparison of one candidate with one baseline."""

    def __init__(
        self,
        baseline: Timer,
        candidate: Timer,
        levels: Sequence[Level],
        rng: np.random.Generator,
        deadline: float,
        on_progress: Callable[[str], None] = lambda _text: None,
        *,
        control_tolerance: float = CONTROL_TOLERANCE,
        pace: Pace = USUAL,
        second_baseline: Callable[[], AbstractContextManager[Timer]] | None = None,
        budget: Budget | None = None,
    ) -> None:
        self.budget = budget or Budget(math.inf)
        self.second_baseline = second_baseline
        self.pace = pace
        self.control_tolerance = control_tolerance
        self.baseline = baseline
        self.candidate = candidate
        self.levels = levels
        self.rng = rng
        self.deadline = deadline
        self.retry_s = (deadline - time.monotonic()) * RETRY_SHARE
        self.on_progress = on_progress
        self.samples = Samples()
        self._started = time.monotonic()
        self._waited_before_s = self.budget.waited_s

    def run(self) -> SpeedEstimate:
        """Measure until decided, or until looks or time are used up.

        Raises Ruling: UNDECIDED if time or noise prevents a figure, TAMPERED if the candidate ran
        while frozen, TOO_SLOW if it delays itself or its windows use up the time.
        """
        try:
            control_s = self._control()
            figure = self._measure(self.deadline - control_s)
            # A candidate's last window that overran the deadline takes no time from the controls.
            self.deadline = max(self.deadline, time.monotonic() + control_s)
            self._require_baseline_undisturbed(figure)
            if not stands(self.levels, figure, SLOW_PROCESS):
                self._require_second_baseline_alike()
        except _TimeIsUp:
            self._require_within_reach(hiccups=0)
            self._require_not_kept_waiting()
            raise self.budget.time_is_up() from None
        return SpeedEstimate(self.levels, figure, decided(self.levels, figure), self.samples)

    def _measure(self, deadline: float) -> Estimate:
        """Measure up to the deadline, which leaves time for the final control."""
        figure: Estimate | None = None
        started, early = time.monotonic(), self.pace.early
        looks = (*early, *self.pace.looks)
        for look, error in zip(looks, spent(looks), strict=True):
            self.on_progress(f"measuring, up to {look} blocks")
            while len(self.samples.baseline) < look:
                if time.monotonic() > deadline or not self._block_in_time():
                    return figure or self._nothing_counted()
            if look in early and time.monotonic() - started < EARLIEST_S:
                continue
            baseline, candidate = self.samples.baseline, self.samples.candidate
            current = estimate(baseline, candidate, self.rng, error=error)
            current = replace(current, early=look if look in early else 0)
            if decided(self.levels, current):
                return current
            # What an early look leaves open says nothing: it asks for more than the others.
            figure = None if current.early else current
        return figure or self._too_noisy()

    def _block_in_time(self) -> bool:
        """Run one block; return False if time runs out during it."""
        try:
            self._block()
        except _TimeIsUp:
            return False
        return True

    def _block(self) -> None:
        a1 = self._baseline_window()
        b1 = self._candidate_window()
        b2 = self._candidate_window() if b1 is not None else None
        a2 = self._baseline_window()
        if b1 is None or b2 is None:
            # Those of the baseline were not delayed.
            self.samples.self_delayed += 1
            if self.samples.self_delayed >= MAX_SELF_DELAYED:
                self._nothing_counted()
            return
        self.samples.baseline.append([a1, a2])
        self.samples.candidate.append([b1, b2])

    def _baseline_window(self) -> float:
        return self._window_of(self.baseline)

    def _window_of(self, timer: Timer) -> float:
        """Run windows of a baseline until one counts; return its seconds per call."""
        while True:
            window = self._in_time(timer)
            if window.counts:
                seconds = window.seconds / len(timer.calls)
                self.samples.counted.append(seconds)
                return seconds
            self.samples.discarded_baseline += 1
            if time.monotonic() > self.deadline:
                self._too_noisy()

    def _in_time(self, timer: Timer) -> TimedWindow:
        """Run one window, unless the deadline has passed."""
        if time.monotonic() > self.deadline:
            raise _TimeIsUp
        return timer.window(self._hostile(timer))

    def _candidate_window(self) -> float | None:
        """Return the seconds per call of a window that counts; None if all tries were delayed."""
        given_up = time.monotonic() + self.retry_s
        for _ in range(RETRIES):
            window = self._in_time(self.candidate)
            if not window.intact:
                self._note_broken()
                continue
            self.samples.own_s.append(_own_s(window))
            self._require_within_reach(hiccups=1)
            if window.counts:
                return window.seconds / len(self.candidate.calls)
            self.samples.discarded_candidate += 1
            if time.monotonic() > given_up:
                return None
        return None

    def _require_within_reach(self, hiccups: int) -> None:
        """Raise TOO_SLOW if the candidate's total time misses every level whatever follows.

        All its windows up to the last look may take as long as that many of the slowest baseline
        window, divided by the lowest level. It is too slow if those made so far have taken longer,
        without the time that others took from them, and without the `hiccups` longest ones: a
        single long window may have another cause.
        """
        baseline = self.samples.counted
        level = min((at.ratio for at in self.levels if at.earned > 0), default=0.0)
        if not baseline or level <= 0:
            return
        calls, usual_s = len(self.candidate.calls), float(np.median(baseline))
        own_s = sorted(self.samples.own_s)
        windows = max(self.pace.most_windows, len(own_s))
        allowed_s = windows * calls * min(max(baseline), MOST_OF_MEDIAN * usual_s) / level
        if TOTAL_TIME_MARGIN * sum(own_s[: len(own_s) - hiccups]) <= allowed_s:
            return
        mean_s = sum(own_s) / len(own_s) / calls
        raise Ruling(
            Verdict.TOO_SLOW,
            f"{usual_s / mean_s:.2g}× the baseline: a call takes {_readable(mean_s)} in "
            f"{len(own_s)} windows, and {_readable(usual_s)} in the baseline. The first level is "
            f"{level:g}×, and no further window could make up for these.",
        )

    def _require_not_kept_waiting(self) -> None:
        """Raise TOO_SLOW if most of the time went into waiting for the candidate.

        Its windows may be short: many processes take long to be frozen and thawed around them.
        """
        taken_s = time.monotonic() - self._started
        waited_s = self.budget.waited_s - self._waited_before_s
        if waited_s < KEPT_WAITING * taken_s:
            return
        raise Ruling(
            Verdict.TOO_SLOW,
            f"Of the {_readable(taken_s)} for measuring, {_readable(waited_s)} went into starting, "
            "awaiting and stopping your processes: start none that outlive your function.",
        )

    def _note_broken(self) -> None:
        self.samples.broken += 1
        if self.samples.broken >= MAX_BROKEN:
            raise Ruling(
                Verdict.TAMPERED,
                "Your process ran while it was frozen for the measurement: "
                "leave no timers, threads or child processes running.",
            )

    def _nothing_counted(self) -> Estimate:
        """Raise UNDECIDED if the baseline was disturbed too, otherwise TOO_SLOW.

        In the second case, the candidate delays itself, or its windows have used up the time.
        """
        self._require_within_reach(hiccups=0)
        discarded, counted = self.samples.discarded_baseline, len(self.samples.counted)
        noisy = discarded > QUIET_DISCARDS * (discarded + counted)
        if noisy or self.samples.self_delayed < FEWEST_SELF_DELAYED:
            self._too_noisy()
        raise Ruling(
            Verdict.TOO_SLOW,
            "Your own threads or processes keep delaying your code: "
            "use no more threads than the task gives you.",
        )

    def _control(self) -> float:
        """A/A control: measure the baseline against itself until alternate windows agree.

        Returns the seconds that measuring the baseline alone will take again at the end.
        """
        while True:
            self.on_progress("control: the baseline against itself")
            started = time.monotonic()
            pairs = [self._baseline_window() for _ in range(2 * self.pace.pairs)]
            ratio = float(np.median(pairs[0::2]) / np.median(pairs[1::2]))
            self.samples.control = pairs
            if abs(ratio - 1) <= self.control_tolerance:
                return (time.monotonic() - started) / 2
            if time.monotonic() > self.deadline:
                self._too_noisy()

    def _require_baseline_undisturbed(self, figure: Estimate) -> None:
        """Raise UNDECIDED if the baseline was slower between the candidate's windows than alone.

        That makes the candidate look faster, so what misses every level even so is decided.
        """
        if self.levels and decided(self.levels, figure) and not earned(self.levels, figure):
            return
        self.on_progress("control: the baseline alone again")
        interleaved = float(np.median(self.samples.flat_baseline()))
        alone = list(self.samples.control)
        while True:
            self.samples.alone_after = [self._baseline_window() for _ in range(self.pace.pairs)]
            alone += self.samples.alone_after
            if interleaved <= float(np.median(alone)) * (1 + self.control_tolerance):
                return
            if len(alone) > 6 * self.pace.pairs or time.monotonic() > self.deadline:
                raise Ruling(
                    Verdict.UNDECIDED,
                    "Timing too noisy: the baseline ran slower next to your code than alone. "
                    "Run the check again.",
                )

    def _require_second_baseline_alike(self) -> None:
        """Raise UNDECIDED unless a second process of the baseline is as fast as the first.

        A process can be slow for as long as it lives.
        """
        if self.second_baseline is None:
            return
        self.on_progress("control: the baseline in another process")
        ours: list[float] = []
        theirs: list[float] = []
        with self.second_baseline() as second_baseline:
            for _ in range(SECOND_BASELINE_LOOKS):
                # Alternate, since the machine's speed drifts while the second baseline starts.
                for _ in range(self.pace.pairs):
                    theirs.append(self._window_of(second_baseline))
                    ours.append(self._baseline_window())
                if abs(float(np.median(theirs) / np.median(ours)) - 1) <= SECOND_BASELINE_TOLERANCE:
                    return
        raise Ruling(
            Verdict.UNDECIDED,
            "Timing too noisy: two baseline processes disagree. Run the check again.",
        )

    def _hostile(self, timer: Timer) -> list[bool]:
        """Return which calls get adversarial inputs: about a quarter, the same share per side."""
        count = len(timer.calls)
        hostile = np.zeros(count, bool)
        hostile[: max(1, count // 4)] = True
        return [bool(h) for h in self.rng.permutation(hostile)]

    def _too_noisy(self) -> Estimate:
        self._require_not_kept_waiting()
        late = self.budget.time_is_up()
        if late.verdict is not Verdict.UNDECIDED:
            raise late
        raise Ruling(
            Verdict.UNDECIDED,
            "Timing too noisy: this machine is busy. Run the check again.",
        )


def require_hope(candidate: Timer, baseline_s: float, levels: Sequence[Level]) -> None:
    """Warm up with the planned window; raise TOO_SLOW if nothing can make up for how long it takes.

    It is repeated only until it is within reach. The time that others took does not count.
    baseline_s: how long the baseline takes for the same calls, in seconds.
    levels: those above 1 may be lowered later, but not below 1, so 1 is what counts of them.
    """
    level = min((at.ratio for at in levels if at.earned > 0), default=0.0)
    allowed_s = HOPELESS * baseline_s / min(level, 1.0) if level > 0 else math.inf
    took_s: list[float] = []
    while not _enough_tries(took_s):
        took_s.append(_own_s(candidate.window([False] * len(candidate.calls))))
        if took_s[-1] <= allowed_s:
            return
    calls = len(candidate.calls)
    raise Ruling(
        Verdict.TOO_SLOW,
        f"At most {baseline_s / min(took_s):.1g}× the baseline: a call takes "
        f"{_readable(min(took_s) / calls)} in the fastest of {len(took_s)} tries. The first level "
        f"is {level:g}×, and no measurement could make up for that.",
    )


def _enough_tries(took_s: Sequence[float]) -> bool:
    """Return True if the first try, which may compile, was repeated often enough."""
    repetitions = took_s[1:]
    if len(repetitions) < FEWEST_REPETITIONS:
        return False
    return len(took_s) >= HOPEFUL_TRIES or sum(repetitions) >= PATIENCE_S


def _own_s(window: TimedWindow) -> float:
    """Return a window's seconds without the time that others took."""
    return window.seconds * max(0.0, 1 - window.foreign)


def _readable(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1e3 * seconds:.1f} ms"
