"""Points with their uncertainty, from records."""

import pytest

from hotloop.core.intervals import Interval
from hotloop.core.verdict import Verdict
from hotloop.takehome.score import Points, check_score, share, weighted
from hotloop.tasks.problem import CheckEntry, LevelEntry, Threshold

from .made_reports import SPEED, check, record

LEVELS = [LevelEntry(ratio=1.5, earned=0.5), LevelEntry(ratio=2.05, earned=1.0)]
FAST = CheckEntry(
    id="fast_cpu",
    points=10,
    what="Fast.",
    threshold=Threshold(against="eager", levels=LEVELS, provisional=False, reason="measured"),
)


def scored(*checks: object) -> Interval:
    return check_score(FAST, record("compiled_chain", checks)).points  # type: ignore[arg-type]


@pytest.mark.parametrize("verdict", [Verdict.NOT_MEASURED, Verdict.UNDECIDED, Verdict.JUDGE_ERROR])
def test_what_is_open_may_be_lost_or_earned(verdict: Verdict) -> None:
    assert scored(check("fast_cpu", verdict)) == Interval(low=0, high=10)


def test_silence_is_open_and_no_zero() -> None:
    assert scored(check("correct")) == Interval(low=0, high=10)
    assert check_score(FAST, None).points == Interval(low=0, high=10)


def test_a_speed_check_is_scored_by_its_interval() -> None:
    """1.9 to 2.1: the lower bound earns half, the upper one all."""
    found = scored(check("fast_cpu", Verdict.PARTIAL, 0.5, evidence=SPEED))
    assert found == Interval(low=5, high=10)


def test_a_speed_check_that_is_far_from_a_level_is_exact() -> None:
    evidence = {**SPEED, "interval": [1.6, 1.7]}
    assert scored(check("fast_cpu", Verdict.PARTIAL, 0.5, evidence=evidence)).settled


@pytest.mark.parametrize(
    "evidence", [{"interval": "wide"}, {"interval": [1], "levels": [3]}, {**SPEED, "levels": [{}]}]
)
def test_strange_evidence_earns_nothing_more(evidence: dict[str, object]) -> None:
    assert scored(check("fast_cpu", Verdict.TOO_SLOW, 0.0, evidence=evidence)).high == 0


def test_instrumented_evidence_counts_neither_way() -> None:
    for verdict in (Verdict.PASSED, Verdict.WRONG_ANSWER):
        found = check_score(FAST, record("t", [check("fast_cpu", verdict, instrumented=True)]))
        assert not found.counted
        assert found.points == Interval.exactly(0)


def test_a_share_is_of_the_points_that_count() -> None:
    whole, half = Interval.exactly(4), Interval(low=0, high=6)
    nothing = Points(points=Interval.exactly(0), possible=0)
    checks = [Points(points=whole, possible=4), Points(points=half, possible=12), nothing]
    assert share(checks) == Interval(low=0.25, high=0.625)
    assert share([nothing]) is None


def test_shares_are_weighted() -> None:
    found = weighted([(Interval.exactly(1), 1), (Interval(low=0, high=0.5), 3)])
    assert found == Interval(low=25, high=62.5)
    assert weighted([(Interval.exactly(1), 1), (None, 3)]) == Interval.exactly(100)
    assert weighted([]) == Interval(low=0, high=100)
