"""What a speed check measures by itself: the bytes of a call, and the bandwidth of a copy."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from hotloop.core.intervals import Interval
from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge import machine_figure
from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.checks import fast
from hotloop.judge.checks.fast import Baseline, Fast
from hotloop.judge.compare import Tolerance
from hotloop.judge.dtypes import BF16, FP32
from hotloop.judge.levels import Level
from hotloop.judge.matrices import matrices
from hotloop.judge.spec import CheckSpec, TaskSpec
from hotloop.judge.speed import Samples, SpeedEstimate
from hotloop.judge.statistics import Estimate
from hotloop.judge.window import TimedWorker, Window, Workload

from ..sessions import new_session

LevelsHere = Callable[..., float]

WORKLOAD = matrices(64, 512, lambda x: x, Tolerance(0.0, 0.0))
ONLY_COPIES = "def copy(x, out):\n    out.copy_(x)\n"


def test_a_call_moves_each_tensor_once_without_its_gaps() -> None:
    spec = CallSpec((TensorSpec((3, 5), FP32, row_gap=7), 2.0), TensorSpec((3,), BF16))
    assert spec.bytes == 3 * 5 * 4 + 3 * 2


@pytest.mark.parametrize(("text", "copies"), [(ONLY_COPIES, True), ("copy = 1\n", False)])
def test_a_baseline_is_a_file_beside_tasks_py(text: str, copies: bool, tmp_path: Path) -> None:
    (tmp_path / "baseline.py").write_text(text)
    session = new_session(folder=tmp_path)
    assert Baseline("baseline.py", "eager").folder(session) == tmp_path
    assert Baseline("baseline.py", "eager").copies(session) is copies


@pytest.mark.slow
@pytest.mark.parametrize("text", [ONLY_COPIES, ""], ids=["of its own", "of the judge"])
def test_the_limit_is_measured_with_a_copy(text: str, tmp_path: Path) -> None:
    (tmp_path / "baseline.py").write_text(text + ONLY_COPIES.replace("copy(", "eager("))
    session = new_session(folder=tmp_path)
    check = Fast(WORKLOAD, Baseline("baseline.py", "eager"))
    side = TimedWorker(
        check.baseline.start(session), check.baseline.candidate, WORKLOAD, 1, session.seeds
    )
    try:
        side.plan([WORKLOAD.spec(np.random.default_rng(0), i) for i in range(8)])
        found = check._copied_per_second(side, session)
    finally:
        side.close()
        session.close()
    assert 1e7 < found < 1e12, "bytes/s of memory or caches"


SMALL, LARGE = (CallSpec((), TensorSpec((rows,), FP32)) for rows in (1, 1000))
SEVEN_TO_ONE = Workload(lambda _rng, index: SMALL if index % 8 else LARGE, lambda *_given: None)


class Planned:
    """A side whose calls take the given seconds by spec."""

    def __init__(self, seconds: dict[CallSpec, float]) -> None:
        self.seconds = seconds
        self.made: list[CallSpec] = []
        self.calls: list[CallSpec] = []

    def plan(self, specs: list[CallSpec]) -> None:
        self.calls = specs

    def window(self, adversarial: list[bool]) -> Window:
        assert len(adversarial) == len(self.calls)
        self.made += self.calls
        return Window(sum(map(self.seconds.__getitem__, self.calls)), 0.0, 0.0, intact=True)


def _warmed_up(baseline: dict[CallSpec, float], candidate: dict[CallSpec, float]) -> Planned:
    """Return the candidate after its warm-up."""
    seeds, side = new_session().seeds, Planned(candidate)
    ours = fast.warm_up(cast(TimedWorker, Planned(baseline)), SEVEN_TO_ONE, seeds)
    assert ours == pytest.approx(7 * baseline[SMALL] + baseline[LARGE])
    levels = (Level(1.2, 1.0),)
    fast.warm_up_within_reach(cast(TimedWorker, side), SEVEN_TO_ONE, seeds, ours, levels)
    return side


def test_a_right_answer_makes_each_distinct_call_once_to_warm_up() -> None:
    side = _warmed_up({SMALL: 0.001, LARGE: 0.1}, {SMALL: 0.001, LARGE: 0.05})
    assert sorted(side.made, key=lambda spec: spec.bytes) == [SMALL, LARGE]


def test_a_call_that_hardly_counts_may_take_many_times_as_long() -> None:
    """Fixed costs of tenths of a millisecond are nothing beside the large calls."""
    _warmed_up({SMALL: 1e-5, LARGE: 0.1}, {SMALL: 1e-3, LARGE: 0.05})


@pytest.mark.parametrize("hopeless", [SMALL, LARGE], ids=["small", "large"])
def test_one_hopeless_call_is_enough(hopeless: CallSpec) -> None:
    with pytest.raises(Ruling, match="At most") as ruling:
        _warmed_up({SMALL: 0.01, LARGE: 0.1}, {SMALL: 0.01, LARGE: 0.1} | {hopeless: 60.0})
    assert ruling.value.verdict is Verdict.TOO_SLOW


@pytest.fixture
def levels_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LevelsHere]:
    """Yield a function from what the strong baseline reaches here to the lowered level of 1.3×."""
    (tmp_path / "baseline.py").write_text(ONLY_COPIES)
    spec = CheckSpec(levels=(Level(1.3, 1.0),), reachable=1.68)
    session = new_session(folder=tmp_path, spec=TaskSpec("f", ("f.py",), {"fast": spec}))
    strong = Baseline("baseline.py", "copy", label="the strong one")
    check = Fast(WORKLOAD, Baseline("baseline.py", "copy"), reachable=strong)
    machine_figure.forget()
    side = TimedWorker(strong.start(session), strong.candidate, WORKLOAD, 1, session.seeds)
    side.plan([WORKLOAD.spec(np.random.default_rng(0), 0)])

    def lowered(reachable: float, at_most_s: float = 1000.0) -> float:
        interval = Interval(reachable - 0.05, reachable + 0.05)
        figure = Estimate(reachable, interval, reachable, interval)
        measured = SimpleNamespace(run=lambda: SimpleNamespace(figure=figure))
        monkeypatch.setattr(fast, "SpeedComparison", lambda *_given, **_named: measured)
        its = session.for_check("fast"), np.random.default_rng(0)
        (level,) = check._levels_here(side, *its, at_most_s)
        return level.ratio

    yield lowered
    side.close()
    session.close()


@pytest.mark.parametrize(("reachable", "share"), [(1.4, 0.6486), (1.68, 1.0), (2.5, 1.0)])
def test_levels_follow_what_the_strong_baseline_reaches_here(
    reachable: float, share: float, levels_here: LevelsHere
) -> None:
    assert levels_here(reachable) == pytest.approx(1.3**share, rel=1e-3)


def test_nothing_is_measured_where_even_the_strong_baseline_is_hardly_faster(
    levels_here: LevelsHere,
) -> None:
    with pytest.raises(Ruling, match=r"even the strong one is only 1\.07×") as ruling:
        levels_here(1.07)
    assert ruling.value.verdict is Verdict.NOT_MEASURED
    assert levels_here(1.68) == pytest.approx(1.3), "what leaves points open is not kept"


@pytest.mark.slow
def test_what_is_reachable_is_measured_once_for_all_and_again_on_request(
    levels_here: LevelsHere,
) -> None:
    first = levels_here(1.68)
    assert levels_here(1.4) == first
    assert levels_here(1.4, 0.0) < first
    assert levels_here(1.68) < first


@pytest.mark.parametrize(("ratio", "again"), [(1.5, False), (1.25, True), (1.0, False)])
def test_whoever_misses_a_level_that_may_be_lower_here_is_not_held_to_an_old_figure(
    ratio: float, again: bool
) -> None:
    interval = Interval(ratio - 0.02, ratio + 0.02)
    levels = (Level(1.3, 1.0),)
    spec = CheckSpec(levels=levels, reachable=1.68)
    session = new_session(spec=TaskSpec("f", ("f.py",), {"fast": spec})).for_check("fast")
    figure = Estimate(ratio, interval, ratio, interval)
    outcome = SpeedEstimate(levels, figure, decided=True, samples=Samples())
    check = Fast(WORKLOAD, Baseline("b.py", "copy"), reachable=Baseline("b.py", "copy"))
    assert check._may_be_lower(outcome, session) is again
    assert not Fast(WORKLOAD, Baseline("b.py", "copy"))._may_be_lower(outcome, session)


@pytest.mark.parametrize(("seconds", "measured"), [(1.0, 1), (1e-9, 2)])
def test_nobody_is_implausible_by_a_limit_that_was_measured_earlier(
    seconds: float, measured: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    peaks: list[float] = []
    machine_figure.forget()
    monkeypatch.setattr(Fast, "_copied_per_second", lambda *_: peaks.append(1e9) or 1e9)
    monkeypatch.setattr(fast, "RECENT_S", 0.0)
    side = cast(TimedWorker, SimpleNamespace(calls=[SimpleNamespace(spec=LARGE)]))
    check, session = Fast(WORKLOAD, Baseline("b.py", "copy")), new_session()
    check._limit(side, side, 1.0, session)
    check._limit(side, side, seconds, session)
    assert len(peaks) == measured
