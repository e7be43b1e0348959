"""The order of a comparison and its rulings, on simulated windows: no clock is involved."""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hotloop
from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.budget import Budget
from hotloop.judge.levels import TOTAL_TIME_MARGIN, Level, earned
from hotloop.judge.speed import (
    FEWEST_REPETITIONS,
    HOPEFUL_TRIES,
    HOPELESS,
    MAX_BROKEN,
    PATIENCE_S,
    USUAL,
    Pace,
    SpeedComparison,
    require_hope,
)


@dataclass(frozen=True)
class FakeWindow:
    seconds: float
    foreign: float = 0.0
    intact: bool = True
    counts: bool = True


class FakeTimer:
    def __init__(self, make: Callable[[int], FakeWindow]) -> None:
        self.calls: Sequence[object] = [None] * 4
        self.make = make
        self.windows = 0

    def window(self, adversarial: Sequence[bool]) -> FakeWindow:
        assert sum(adversarial) <= 1
        self.windows += 1
        return self.make(self.windows)


def _noisy(middle: float, noise: float, seed: int) -> Callable[[int], FakeWindow]:
    rng = np.random.default_rng(seed)
    return lambda _n: FakeWindow(middle * float(np.exp(rng.normal(0, noise))))


def _comparison(baseline, candidate, level: float = 1.5, seconds: float = 5.0) -> SpeedComparison:
    return SpeedComparison(
        FakeTimer(baseline),
        FakeTimer(candidate),
        (Level(level, 1.0),),
        np.random.default_rng(0),
        time.monotonic() + seconds,
    )


def test_ten_percent_above_a_level_is_reached_at_the_first_look() -> None:
    comparison = _comparison(_noisy(1.65, 0.03, 1), _noisy(1.0, 0.03, 2))
    outcome = comparison.run()
    assert outcome.decided
    assert outcome.figure.interval.low >= 1.5
    assert len(comparison.samples.baseline) == 10


@pytest.mark.parametrize(("speed", "blocks"), [(1.2, 4), (1.35, 7), (1.6, 10), (2.5, 10)])
def test_what_is_clear_is_decided_early(clock: "Clock", speed: float, blocks: int) -> None:
    """Only below a level before ten blocks: above it, slow windows may be still to come."""
    noise = np.random.default_rng(1)
    comparison = clock.compare(
        lambda _n: FakeWindow(BASELINE_S / speed * float(np.exp(noise.normal(0, 0.01)))), pace=USUAL
    )
    comparison.levels = (Level(1.45, 1.0),)
    assert comparison.run().decided
    assert len(comparison.samples.baseline) <= blocks


def test_an_early_look_waits_until_the_blocks_spread_over_time() -> None:
    """No time passes here: nothing is decided before the first of the other looks."""
    comparison = _comparison(_noisy(4.0, 0.01, 1), _noisy(1.0, 0.01, 2))
    comparison.run()
    assert len(comparison.samples.baseline) == 10


def test_one_long_window_among_few_decides_nothing(clock: "Clock") -> None:
    """The total of four blocks is nearly that window; their medians know nothing of it."""
    comparison = clock.compare(lambda n: FakeWindow(6.0 if n == 5 else BASELINE_S / 1.9))
    comparison.run()
    assert len(comparison.samples.baseline) >= 10


@pytest.mark.parametrize("fast_windows", [1, 4, 7, 8, 12, 13, 20])
@pytest.mark.parametrize("speed", [1.5, 1.9, 3.0, 20.0])
def test_whoever_is_fast_in_the_first_windows_only_has_to_be_so_in_all_that_are_measured(
    clock: "Clock", speed: float, fast_windows: int
) -> None:
    """Those are the windows of ten blocks, however fast it is."""

    def theirs(number: int) -> FakeWindow:
        return FakeWindow(BASELINE_S / (speed if number <= fast_windows else 0.9))

    verdict = _verdict_of(clock.compare(theirs))
    assert verdict is (Verdict.PASSED if fast_windows == 20 else Verdict.TOO_SLOW)


@pytest.mark.parametrize(("speed", "controls"), [(1.6, 1), (4.0, 0), (0.9, 0)])
def test_a_second_baseline_is_asked_only_where_it_could_change_the_verdict(
    speed: float, controls: int
) -> None:
    asked: list[bool] = []

    @contextmanager
    def second_baseline() -> Iterator[FakeTimer]:
        asked.append(True)
        yield FakeTimer(_noisy(speed, 0.01, 5))

    comparison = _comparison(_noisy(speed, 0.01, 1), _noisy(1.0, 0.01, 2))
    comparison.second_baseline = second_baseline
    assert comparison.run().decided
    assert len(asked) == controls


def test_ten_percent_below_a_level_is_missed() -> None:
    outcome = _comparison(_noisy(1.35, 0.03, 1), _noisy(1.0, 0.03, 2)).run()
    assert outcome.decided
    assert outcome.figure.interval.high < 1.5


def test_exactly_at_the_level_looks_until_the_end_and_stays_open() -> None:
    comparison = _comparison(_noisy(1.5, 0.04, 3), _noisy(1.0, 0.04, 4))
    outcome = comparison.run()
    assert not outcome.decided
    assert len(comparison.samples.baseline) == 46
    assert outcome.samples.quiet


def test_running_while_frozen_is_tampering_only_when_it_repeats() -> None:
    def sometimes(windows: int) -> Callable[[int], FakeWindow]:
        return lambda n: FakeWindow(1.0, intact=n > windows, counts=n > windows)

    assert _comparison(_noisy(2, 0.01, 1), sometimes(MAX_BROKEN - 1)).run().decided
    with pytest.raises(Ruling) as caught:
        _comparison(_noisy(2, 0.01, 1), sometimes(MAX_BROKEN)).run()
    assert caught.value.verdict is Verdict.TAMPERED


def test_a_candidate_that_delays_itself_does_not_stay_undecided() -> None:
    with pytest.raises(Ruling) as caught:
        _comparison(_noisy(2, 0.01, 1), lambda _n: FakeWindow(1.0, counts=False)).run()
    assert caught.value.verdict is Verdict.TOO_SLOW


@pytest.mark.slow
@pytest.mark.parametrize(
    ("disturbed", "verdict"), [(False, Verdict.TOO_SLOW), (True, Verdict.UNDECIDED)]
)
def test_long_delayed_windows_are_blamed_on_whoever_delays(
    disturbed: bool, verdict: Verdict
) -> None:
    """The deadline comes before the usual number of delays; the baseline's windows decide."""

    def delayed(_n: int) -> FakeWindow:
        time.sleep(0.005)
        return FakeWindow(1.0, counts=False)

    def baseline(n: int) -> FakeWindow:
        return FakeWindow(2.0, counts=not (disturbed and n > 12 and n % 4))

    with pytest.raises(Ruling) as caught:
        _comparison(baseline, delayed, seconds=0.3).run()
    assert caught.value.verdict is verdict


def test_a_busy_machine_is_undecided_never_too_slow() -> None:
    with pytest.raises(Ruling) as caught:
        _comparison(
            lambda _n: FakeWindow(2.0, counts=False),
            lambda _n: FakeWindow(1.0, counts=False),
            seconds=0.05,
        ).run()
    assert caught.value.verdict is Verdict.UNDECIDED


def test_a_baseline_slowed_only_beside_the_candidate_is_undecided() -> None:
    alone = 12  # windows of the A/A control

    def slowed(n: int) -> FakeWindow:
        return FakeWindow(2.0 if alone < n <= alone + 20 else 1.0)

    with pytest.raises(Ruling) as caught:
        _comparison(slowed, _noisy(1.0, 0.01, 1)).run()
    assert caught.value.verdict is Verdict.UNDECIDED


def test_who_slows_the_baseline_down_and_is_slow_even_so_does_not_stay_undecided() -> None:
    def slowed(n: int) -> FakeWindow:
        return FakeWindow(1.2 if 12 < n <= 32 else 1.0)

    outcome = _comparison(slowed, _noisy(1.0, 0.01, 1)).run()
    assert outcome.decided
    assert earned((Level(1.5, 1.0),), outcome.figure) == 0


def test_an_uneven_control_is_repeated_and_then_undecided() -> None:
    with pytest.raises(Ruling) as caught:
        _comparison(
            lambda n: FakeWindow(1.0 + 0.2 * (n % 2)), _noisy(1, 0.01, 1), seconds=0.02
        ).run()
    assert caught.value.verdict is Verdict.UNDECIDED


@pytest.mark.slow
def test_windows_that_last_a_tenth_of_the_time_are_blamed_as_well() -> None:
    def delayed(_n: int) -> FakeWindow:
        time.sleep(0.06)
        return FakeWindow(1.0, counts=False)

    with pytest.raises(Ruling) as caught:
        _comparison(_noisy(2.0, 0.01, 1), delayed, seconds=0.4).run()
    assert caught.value.verdict is Verdict.TOO_SLOW


@pytest.mark.parametrize(("twin_seconds", "agrees"), [(1.65, True), (1.2, False), (2.4, False)])
def test_a_baseline_that_is_slow_as_a_process_decides_nothing(
    twin_seconds: float, agrees: bool
) -> None:
    closed: list[bool] = []

    @contextmanager
    def second_baseline() -> Iterator[FakeTimer]:
        yield FakeTimer(_noisy(twin_seconds, 0.01, 5))
        closed.append(True)

    comparison = _comparison(_noisy(1.65, 0.01, 1), _noisy(1.0, 0.01, 2))
    comparison.second_baseline = second_baseline
    if agrees:
        assert comparison.run().decided
        assert closed == [True]
        return
    with pytest.raises(Ruling) as caught:
        comparison.run()
    assert caught.value.verdict is Verdict.UNDECIDED


# --- a slow candidate on a simulated clock --------------------------------------------------------

LEVELS = (Level(1.2, 0.5), Level(1.3, 1.0))
BASELINE_S = 0.05


class Clock:
    """Simulated seconds, instead of the time that passes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr("hotloop.judge.speed.time.monotonic", lambda: self.now)

    def timer(
        self, make: Callable[[int], FakeWindow], calls: int = 4, own_s: float = 0.05
    ) -> FakeTimer:
        """Return a side whose windows take their time, and the judge `own_s` for each of them."""

        def window(number: int) -> FakeWindow:
            made = make(number)
            self.now += made.seconds + own_s
            return made

        timer = FakeTimer(window)
        timer.calls = [None] * calls
        return timer

    def compare(
        self,
        candidate: Callable[[int], FakeWindow],
        baseline: Callable[[int], FakeWindow] = lambda _n: FakeWindow(BASELINE_S),
        *,
        seconds: float = 30.0,
        own_s: float = 0.05,
        **more: Any,
    ) -> SpeedComparison:
        """Return a comparison that has 30 simulated seconds."""
        sides = self.timer(baseline, own_s=own_s), self.timer(candidate, own_s=own_s)
        deadline = self.now + seconds
        return SpeedComparison(*sides, LEVELS, np.random.default_rng(0), deadline, **more)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def _verdict_of(comparison: SpeedComparison) -> Verdict:
    """Return what a speed check says at the end, on a machine where the baseline is quiet."""
    try:
        outcome = comparison.run()
    except Ruling as ruling:
        return ruling.verdict
    if not outcome.decided and not outcome.samples.quiet:
        return Verdict.UNDECIDED
    return Verdict.PASSED if earned(LEVELS, outcome.figure) >= 1 else Verdict.TOO_SLOW


@pytest.mark.parametrize("own_s", [0.02, 0.1, 0.3])
@pytest.mark.parametrize("times", [4, 10, 16, 20, 30, 50, 100, 1000])
def test_however_slow_it_is_too_slow(clock: Clock, times: float, own_s: float) -> None:
    seconds = times * BASELINE_S
    began = clock.now
    comparison = clock.compare(lambda _n: FakeWindow(seconds), own_s=own_s)
    assert _verdict_of(comparison) is Verdict.TOO_SLOW
    if times >= 10:
        enough_s = 92 * BASELINE_S / 1.2 / TOTAL_TIME_MARGIN + 2 * seconds
        around_s = 50 * (BASELINE_S + own_s)
        assert clock.now - began <= enough_s + around_s, "it ends as soon as nothing helps"


def test_the_sentence_names_the_ratio_and_the_level(clock: Clock) -> None:
    with pytest.raises(Ruling, match=r"0\.02× the baseline: .* 625.0 ms in 3 .* level is 1\.2×"):
        clock.compare(lambda _n: FakeWindow(2.5)).run()


@given(
    slow_s=st.floats(0.5, 20.0),
    share=st.floats(0.1, 1.0),
    quick_s=st.floats(0.02, 0.06),
    seed=st.integers(0, 1000),
)
@settings(max_examples=25, deadline=None)
def test_no_mixture_of_slow_and_quick_windows_stays_open(
    slow_s: float, share: float, quick_s: float, seed: int
) -> None:
    """A tenth of the windows, at ten times the baseline's, makes the total miss all levels."""
    rng = np.random.default_rng(seed)
    with pytest.MonkeyPatch.context() as patch:
        comparison = Clock(patch).compare(
            lambda _n: FakeWindow(slow_s if rng.random() < share else quick_s)
        )
        assert _verdict_of(comparison) in {Verdict.TOO_SLOW, Verdict.PASSED}


def test_one_window_that_uses_up_the_time_is_too_slow(clock: Clock) -> None:
    assert _verdict_of(clock.compare(lambda _n: FakeWindow(60.0))) is Verdict.TOO_SLOW


def test_one_long_window_is_not_held_against_a_good_answer(clock: Clock) -> None:
    noise = np.random.default_rng(3)

    def good(number: int) -> FakeWindow:
        ordinary = BASELINE_S / 1.5 * float(np.exp(noise.normal(0, 0.01)))
        return FakeWindow(6.0 if number == 5 else ordinary)

    comparison = clock.compare(good)
    comparison.run()
    assert len(comparison.samples.baseline) >= 10


@pytest.mark.parametrize("taken", [0.5, 0.9, 0.99])
def test_what_others_took_is_not_held_against_a_good_answer(clock: Clock, taken: float) -> None:
    """Its windows are long because others have the core, and are discarded for that."""
    seconds = BASELINE_S / 1.5 / (1 - taken)
    busy = FakeWindow(seconds, foreign=taken, counts=False)
    comparison = clock.compare(lambda _n: busy, lambda n: FakeWindow(0.05, counts=n <= 12))
    assert _verdict_of(comparison) is Verdict.UNDECIDED


def test_a_slow_answer_is_too_slow_on_a_busy_machine_as_well(clock: Clock) -> None:
    """Of its long windows none counts; but its own share of them is known, and is too long."""
    slow = FakeWindow(2.0, foreign=0.3, counts=False)
    comparison = clock.compare(lambda _n: slow, lambda n: FakeWindow(BASELINE_S, counts=n % 2 == 0))
    assert _verdict_of(comparison) is Verdict.TOO_SLOW


def test_a_disturbed_window_of_the_baseline_does_not_keep_it_open(clock: Clock) -> None:
    def baseline(number: int) -> FakeWindow:
        return FakeWindow(BASELINE_S * (10 if number == 3 else 1))

    comparison = clock.compare(lambda _n: FakeWindow(2.0), baseline)
    assert _verdict_of(comparison) is Verdict.TOO_SLOW


def test_a_judging_without_time_is_told_by_whoever_used_it(clock: Clock) -> None:
    for waited_s, verdict in ((0.4, Verdict.TIMEOUT), (0.1, Verdict.UNDECIDED)):
        budget = Budget(1.0)
        budget.waited_s = waited_s
        comparison = clock.compare(lambda _n: FakeWindow(0.04), seconds=0.5, budget=budget)
        assert _verdict_of(comparison) is verdict


# --- who keeps the judge waiting ------------------------------------------------------------------


def _kept_waiting(
    clock: Clock,
    wait_s: Callable[[int], float],
    baseline_s: float,
    theirs_s: Callable[[], float] = lambda: BASELINE_S / 1.5,
) -> Verdict:
    """Return the verdict on windows around which the judge waits `wait_s` for the candidate.

    baseline_s: how long the judge takes for each window of the baseline.
    """
    budget = Budget(1000.0)

    def theirs(number: int) -> FakeWindow:
        waited_s = wait_s(number)
        clock.now += waited_s
        seconds = theirs_s()
        budget.waited_s += waited_s + seconds
        return FakeWindow(seconds)

    def ours(_number: int) -> FakeWindow:
        clock.now += baseline_s
        return FakeWindow(BASELINE_S)

    return _verdict_of(clock.compare(theirs, ours, budget=budget))


@pytest.mark.parametrize("wait_s", [2.0, 3.0, 6.0])
def test_processes_that_take_long_to_freeze_do_not_keep_it_open(
    clock: Clock, wait_s: float
) -> None:
    assert _kept_waiting(clock, lambda _n: wait_s, baseline_s=0.05) is Verdict.TOO_SLOW


@given(
    st.floats(0.0, 10.0), st.floats(0.0, 1.0), st.sampled_from([1.0, 1.2, 1.3, 1.5]), st.integers(0)
)
@settings(max_examples=40, deadline=None)
def test_nobody_stays_open_on_a_quiet_machine_by_keeping_the_judge_waiting(
    wait_s: float, share: float, speed: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    with pytest.MonkeyPatch.context() as patch:
        verdict = _kept_waiting(
            Clock(patch),
            lambda _n: wait_s if rng.random() < share else 0.0,
            baseline_s=0.05,
            theirs_s=lambda: BASELINE_S / speed * float(np.exp(rng.normal(0, 0.03))),
        )
    assert verdict in {Verdict.TOO_SLOW, Verdict.PASSED}


@pytest.mark.parametrize("each_s", [0.6, 1.0, 2.0])
def test_a_machine_on_which_both_sides_wait_is_not_held_against_a_good_answer(
    clock: Clock, each_s: float
) -> None:
    verdict = _kept_waiting(clock, lambda _n: each_s, baseline_s=each_s)
    assert verdict in {Verdict.UNDECIDED, Verdict.PASSED}


def test_one_wait_of_half_of_the_time_is_not_held_against_a_good_answer(clock: Clock) -> None:
    half = _kept_waiting(clock, lambda n: 15.0 if n == 3 else 0.0, baseline_s=0.05)
    assert half is Verdict.PASSED


# --- hopeless answers -----------------------------------------------------------------------------


def _time_until_hopeless(clock: Clock, seconds_of: Callable[[int], float]) -> float | None:
    """Return the simulated seconds until TOO_SLOW; None if the warm-up ends with hope."""
    began = clock.now
    side = clock.timer(lambda number: FakeWindow(seconds_of(number)), own_s=0.0)
    try:
        require_hope(side, BASELINE_S, LEVELS)
    except Ruling:
        return clock.now - began
    return None


@pytest.mark.parametrize("times", [20, 50, 200, 2000])
def test_a_hopeless_answer_takes_a_few_of_its_own_calls(clock: Clock, times: float) -> None:
    seconds = times * BASELINE_S
    took_s = _time_until_hopeless(clock, lambda _n: seconds)
    assert took_s is not None
    assert took_s <= max(seconds * (1 + FEWEST_REPETITIONS), seconds + PATIENCE_S + seconds)


@pytest.mark.parametrize(
    "slow_calls",
    [
        pytest.param([240.0], id="compiled in its first call"),
        pytest.param([30.0, 8.0], id="compiled, then recorded or specialized in its second"),
        pytest.param([0.5] * (HOPEFUL_TRIES - 1), id="tunes itself during its first calls"),
        pytest.param([0.39, 0.2, 0.1], id="caches fill and clocks ramp up"),
    ],
)
def test_a_right_answer_whose_first_calls_are_slow_is_not_hopeless(
    clock: Clock, slow_calls: list[float]
) -> None:
    def seconds(number: int) -> float:
        return slow_calls[number - 1] if number <= len(slow_calls) else BASELINE_S / 1.5

    assert _time_until_hopeless(clock, seconds) is None
    assert _verdict_of(clock.compare(lambda n: FakeWindow(seconds(n + 100)))) is Verdict.PASSED


@given(st.floats(0.01, HOPELESS - 0.01), st.integers(0, 5), st.floats(0.0, 100.0))
@settings(max_examples=50, deadline=None)
def test_whatever_is_not_hopeless_is_left_to_the_windows(
    times: float, compiling_calls: int, compiling_s: float
) -> None:
    """Only the fastest call decides, after calls that compile for at most PATIENCE_S in all."""
    each_s = compiling_s if compiling_calls == 1 else min(compiling_s, 0.99 * PATIENCE_S / 4)
    with pytest.MonkeyPatch.context() as patch:
        clock = Clock(patch)
        slow = [each_s] * compiling_calls
        assert (
            _time_until_hopeless(
                clock, lambda n: [*slow, times * BASELINE_S][min(n, compiling_calls + 1) - 1]
            )
            is None
        )


def test_what_others_take_of_a_call_is_no_reason_to_end(clock: Clock) -> None:
    busy = FakeWindow(20 * BASELINE_S, foreign=0.95, counts=False)
    require_hope(clock.timer(lambda _n: busy), BASELINE_S, LEVELS)


def test_a_level_that_may_be_lowered_counts_as_one(clock: Clock) -> None:
    side = clock.timer(lambda _n: FakeWindow(7.9 * BASELINE_S))
    require_hope(side, BASELINE_S, (Level(3.0, 1.0),))
    assert side.windows == 1


def test_a_share_of_the_baselines_speed_may_take_longer(clock: Clock) -> None:
    side = clock.timer(lambda _n: FakeWindow(15.9 * BASELINE_S))
    require_hope(side, BASELINE_S, (Level(0.5, 1.0),))
    assert side.windows == 1


BOUNDED_WINDOWS = {"tasks/modules/triton_ensemble/analyzed.py"}
"""Comparisons without a warm-up, whose windows take the same time however slow the answer is."""


def test_every_comparison_of_a_candidate_has_its_hope_required_before() -> None:
    """A judging that goes straight to its windows waits minutes for a hopeless answer."""
    package = Path(hotloop.__file__).parent
    texts = {p.relative_to(package).as_posix(): p.read_text("utf-8") for p in package.rglob("*.py")}
    imports = re.compile(r"judge\.speed import (\([^)]*|.*)\bSpeedComparison\b")
    compares = {name for name, text in texts.items() if imports.search(text)}
    assert len(compares) >= 5
    without = {name for name in compares if " require_hope(" not in texts[name]}
    assert without == BOUNDED_WINDOWS


# --- deadlines ------------------------------------------------------------------------------------


def _slow(seconds: float) -> Callable[[int], FakeWindow]:
    """Windows that take the judge `seconds` to make."""

    def make(_number: int) -> FakeWindow:
        time.sleep(seconds)
        return FakeWindow(1.0)

    return make


def _slow_comparison(window_s: float, seconds: float, pace: Pace) -> SpeedComparison:
    timers = FakeTimer(_slow(window_s)), FakeTimer(_slow(window_s))
    deadline = time.monotonic() + seconds
    levels = (Level(1.5, 1.0),)
    return SpeedComparison(*timers, levels, np.random.default_rng(0), deadline, pace=pace)


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.05, 0.2, 0.5])
def test_no_window_is_begun_after_the_deadline(seconds: float) -> None:
    """In the control, between the blocks or at the end: a judging without time is undecided."""
    started = time.monotonic()
    with pytest.raises(Ruling) as ruling:
        _slow_comparison(0.02, seconds, Pace()).run()
    assert ruling.value.verdict is Verdict.UNDECIDED
    assert time.monotonic() - started < seconds + 0.1


@pytest.mark.slow
def test_time_is_kept_for_the_control_at_the_end() -> None:
    """Blocks end early enough for the baseline alone, so that the measurements count."""
    comparison = _slow_comparison(0.01, 0.55, Pace(pairs=6, looks=(5, 500)))
    comparison.levels = (Level(1.0, 1.0),)  # an interval of one point: open for ever
    outcome = comparison.run()
    assert len(comparison.samples.alone_after) == 6
    assert len(outcome.samples.baseline) >= 5
    assert time.monotonic() < comparison.deadline + 0.1


def test_the_fewest_windows_of_a_pace() -> None:
    made = FakeTimer(_noisy(1.65, 0.0, 1)), FakeTimer(_noisy(1.0, 0.0, 2))
    pace = Pace(pairs=3, looks=(6, 9))
    later = time.monotonic() + 5
    SpeedComparison(*made, (Level(1.5, 1.0),), np.random.default_rng(0), later, pace=pace).run()
    assert sum(timer.windows for timer in made) == pace.windows == 33
    assert Pace().windows == 58
