"""Comparisons: candidates with overlapping intervals are not ranked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotloop.core.intervals import Interval
from hotloop.core.verdict import Verdict
from hotloop.takehome.compare import CandidateComparison, CompareError, compare, share_words
from hotloop.takehome.report import TakehomeReport
from hotloop.takehome.score import weighted
from hotloop.takehome.scorecard import Mark, Review, Scorecard
from hotloop.takehome.submission import Submission

from .conftest import Hired
from .made_reports import all_of, report_on

PSEUDONYMS = ["amber-otter-11", "brave-heron-22", "calm-wren-33", "deep-pike-44", "early-lark-55"]


@pytest.fixture(scope="module")
def report(worked: tuple[Hired, Submission]) -> TakehomeReport:
    return report_on(worked[0].team, worked[1])


def with_share(report: TakehomeReport, name: str, low: float, high: float) -> TakehomeReport:
    """Return the report for another pseudonym, with this share of the only weighted task."""
    task = report.task("online_pass")
    possible = task.checks[0].possible
    points = Interval(low=low * possible, high=high * possible)
    check = task.checks[0].model_copy(update={"points": points})
    changed = task.model_copy(update={"checks": [check], "points": points})
    return report.model_copy(update={"pseudonym": name, "tasks": [changed]})


@pytest.mark.slow
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted), min_size=2, max_size=5))
def test_overlapping_intervals_are_never_ranked(
    report: TakehomeReport, shares: list[list[float]]
) -> None:
    reports = [
        with_share(report, name, *share) for name, share in zip(PSEUDONYMS, shares, strict=False)
    ]
    found = compare(reports)
    by_name = {one.pseudonym: one for one in found.candidates}
    for pair in found.pairs:
        first, second = by_name[pair.first], by_name[pair.second]
        overlap = first.score.overlaps(second.score)
        assert (pair.higher is None) == overlap
        if overlap:
            assert second.pseudonym not in [*first.is_above, *first.is_below]
            assert first.best_place <= second.worst_place
            assert second.best_place <= first.worst_place
    for one in found.candidates:
        assert one.best_place == 1 + len(one.is_below)
        assert one.worst_place == len(reports) - len(one.is_above)
    assert list(by_name) == sorted(by_name)


@pytest.mark.slow
def test_who_is_certainly_higher_is_ranked(report: TakehomeReport) -> None:
    found = compare(
        [with_share(report, PSEUDONYMS[0], 0.1, 0.3), with_share(report, PSEUDONYMS[1], 0.4, 0.9)]
    )
    assert found.pairs[0].higher == PSEUDONYMS[1]
    assert [one.best_place for one in found.candidates] == [2, 1]


def test_what_is_measured_for_none_can_be_left_out(report: TakehomeReport) -> None:
    other = report.model_copy(update={"pseudonym": PSEUDONYMS[0]})
    whole, measured = compare([report, other]), compare([report, other], measured_only=True)
    assert whole.candidates[0].score.high - whole.candidates[0].score.low > 30
    # The written answer is still to be read: a fifth of the weight.
    assert measured.candidates[0].score == Interval(low=80, high=100)
    assert measured.left_out == ["triton_forward.gpu_correct", "triton_forward.gpu_fast"]


def marked(report: TakehomeReport, mark: int) -> Scorecard:
    marks = {"task.explain": Mark(mark=mark, note="half of it")}
    return Scorecard.model_construct(
        submission=report.submission.digest, reviews=[Review.model_construct(marks=marks)]
    )


def by_marks(report: TakehomeReport, first: int, second: int) -> CandidateComparison:
    names = PSEUDONYMS[:2]
    reports = [report.model_copy(update={"pseudonym": name}) for name in names]
    cards = {name: marked(report, m) for name, m in zip(names, (first, second), strict=True)}
    return compare(reports, cards, measured_only=True)


def test_a_filed_mark_settles_what_was_written_to_half_a_step(report: TakehomeReport) -> None:
    """The written task is a fifth of the weight: a step of its mark is five points."""
    scores = [one.score for one in by_marks(report, 2, 4).candidates]
    assert scores == [Interval(low=87.5, high=92.5), Interval(low=97.5, high=100)]


@pytest.mark.parametrize("lower", range(4))
def test_one_step_of_one_reader_ranks_nobody(report: TakehomeReport, lower: int) -> None:
    found = by_marks(report, lower, lower + 1)
    assert [pair.higher for pair in found.pairs] == [None]
    assert not any("marks alone" in said for said in found.cautions)


def test_where_marks_alone_rank_two_it_is_said(report: TakehomeReport) -> None:
    found = by_marks(report, 1, 3)
    assert [pair.higher for pair in found.pairs] == [PSEUDONYMS[1]]
    names = " and ".join(PSEUDONYMS[:2])
    assert f"Ranked by people's marks alone: {names}. Have a second person read them." in (
        found.cautions
    )


def test_each_task_of_each_candidate_is_in_the_table(
    worked: tuple[Hired, Submission], report: TakehomeReport
) -> None:
    """The shares of a row make its score, with marks and without what was left out."""
    wrong = report_on(
        worked[0].team, worked[1], {"online_pass": all_of("online_pass", Verdict.WRONG_ANSWER)}
    ).model_copy(update={"pseudonym": PSEUDONYMS[0]})
    cards = {report.pseudonym: marked(report, 2)}
    found = compare([report, wrong], cards, measured_only=True)
    assert [(one.task, one.weight) for one in found.tasks] == [
        (task.task, task.weight) for task in report.tasks
    ]
    rows = {one.pseudonym: one.tasks for one in found.candidates}
    assert rows[report.pseudonym]["explain"] == Interval(low=0.375, high=0.625)
    assert rows[PSEUDONYMS[0]]["explain"] == Interval(low=0, high=1)
    assert rows[PSEUDONYMS[0]]["online_pass"] == Interval.exactly(0)
    for one in found.candidates:
        shares = ((one.tasks[task.task], task.weight) for task in found.tasks)
        assert weighted(shares) == one.score
    assert share_words(rows[report.pseudonym]["explain"]) == "37.5 to 62.5 %"
    assert share_words(None) == "does not count"


def test_who_has_strong_signals_is_named(report: TakehomeReport) -> None:
    weak = [one.model_copy(update={"strength": "weak"}) for one in report.signals]
    strong = [report.signals[0].model_copy(update={"strength": "strong"})]
    reports = [
        report.model_copy(update={"pseudonym": name, "signals": signals})
        for name, signals in zip(PSEUDONYMS, (weak, strong, strong), strict=False)
    ]
    names = ", ".join(PSEUDONYMS[1:3])
    assert f"Strong integrity signals, to read first: {names}." in compare(reports).cautions
    assert not any("Strong" in said for said in compare([reports[0], report.model_copy(
        update={"signals": weak})]).cautions)  # fmt: skip


def test_different_roles_are_not_compared(report: TakehomeReport) -> None:
    other = report.model_copy(update={"pseudonym": PSEUDONYMS[0], "role": "another"})
    with pytest.raises(CompareError, match="different roles"):
        compare([report, other])
    with pytest.raises(CompareError, match="two reports on"):
        compare([report, report])
    with pytest.raises(CompareError, match="takes two"):
        compare([report])


def test_other_graders_and_devices_are_cautioned_of(report: TakehomeReport) -> None:
    reproduce = report.reproduce.model_copy(update={"grader_digest": "other"})
    environment = report.environment.model_copy(update={"device": "another"})
    update = {"pseudonym": PSEUDONYMS[0], "reproduce": reproduce, "environment": environment}
    found = compare([report, report.model_copy(update=update)])
    assert any("grader" in said for said in found.cautions)
    assert any("devices" in said for said in found.cautions)


def test_a_changed_role_is_not_compared(report: TakehomeReport) -> None:
    tasks = [report.tasks[0].model_copy(update={"weight": 9.0}), *report.tasks[1:]]
    other = report.model_copy(update={"pseudonym": PSEUDONYMS[0], "tasks": tasks})
    with pytest.raises(CompareError, match="was changed"):
        compare([report, other])


def test_wrong_is_below_right_where_nothing_else_is_open(
    worked: tuple[Hired, Submission], report: TakehomeReport
) -> None:
    judged = {"online_pass": all_of("online_pass", Verdict.WRONG_ANSWER)}
    wrong = report_on(worked[0].team, worked[1], judged)
    wrong = wrong.model_copy(update={"pseudonym": PSEUDONYMS[0]})
    assert compare([wrong, report]).pairs[0].higher is None
    alone = [one.model_copy(update={"tasks": [one.task("online_pass")]}) for one in (wrong, report)]
    found = compare(alone)
    assert found.pairs[0].higher == report.pseudonym
    assert {one.pseudonym: one.score for one in found.candidates} == {
        wrong.pseudonym: Interval.exactly(0),
        report.pseudonym: Interval.exactly(100),
    }


def test_what_was_not_judged_in_the_sandbox_is_cautioned_of(report: TakehomeReport) -> None:
    outside = report.environment.model_copy(update={"isolation": "none"})
    other = report.model_copy(update={"pseudonym": PSEUDONYMS[0], "environment": outside})
    same = report.model_copy(update={"pseudonym": PSEUDONYMS[0]})
    outcomes = [compare([report, one]).cautions for one in (other, same)]
    assert [any("sandbox" in said for said in cautions) for cautions in outcomes] == [True, False]
