"""The order of a comparison and its rulings, on simulated windows: no clock is involved."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pytest

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.levels import Level
from hotloop.judge.speed import MAX_BROKEN, Comparison, Pace


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
        assert sum(adversarial) == 1
        self.windows += 1
        return self.make(self.windows)


def _noisy(middle: float, noise: float, seed: int) -> Callable[[int], FakeWindow]:
    rng = np.random.default_rng(seed)
    return lambda _n: FakeWindow(middle * float(np.exp(rng.normal(0, noise))))


def _comparison(baseline, candidate, level: float = 1.5, seconds: float = 5.0) -> Comparison:
    return Comparison(
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


def test_an_uneven_control_is_repeated_and_then_undecided() -> None:
    with pytest.raises(Ruling) as caught:
        _comparison(
            lambda n: FakeWindow(1.0 + 0.2 * (n % 2)), _noisy(1, 0.01, 1), seconds=0.02
        ).run()
    assert caught.value.verdict is Verdict.UNDECIDED


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


# --- deadlines ------------------------------------------------------------------------------------


def _slow(seconds: float) -> Callable[[int], FakeWindow]:
    """Windows that take the judge `seconds` to make."""

    def make(_number: int) -> FakeWindow:
        time.sleep(seconds)
        return FakeWindow(1.0)

    return make


def _slow_comparison(window_s: float, seconds: float, pace: Pace) -> Comparison:
    timers = FakeTimer(_slow(window_s)), FakeTimer(_slow(window_s))
    deadline = time.monotonic() + seconds
    levels = (Level(1.5, 1.0),)
    return Comparison(*timers, levels, np.random.default_rng(0), deadline, pace=pace)


@pytest.mark.parametrize("seconds", [0.05, 0.2, 0.5])
def test_no_window_is_begun_after_the_deadline(seconds: float) -> None:
    """In the control, between the blocks or at the end: a judging without time is undecided."""
    started = time.monotonic()
    with pytest.raises(Ruling) as ruling:
        _slow_comparison(0.02, seconds, Pace()).run()
    assert ruling.value.verdict is Verdict.UNDECIDED
    assert time.monotonic() - started < seconds + 0.1


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
    Comparison(*made, (Level(1.5, 1.0),), np.random.default_rng(0), later, pace=pace).run()
    assert sum(timer.windows for timer in made) == pace.windows == 33
    assert Pace().windows == 58
