"""Formgrader's lists agree with feedback and CSV."""

from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from bs4 import BeautifulSoup
from nbgrader.api import Gradebook

from hotloop.course import dates, export
from hotloop.course.config import database

LATE = 3.0


@pytest.fixture
def graded(desk: Any, make: SimpleNamespace) -> Any:
    """ada: points pending, some for a person; bob: all settled; cid: late."""
    desk.course.submit("ada", make.lab(explain="Because."))
    desk.course.submit("bob", make.lab("41", "41", explain="Write here."))
    desk.course.submit("cid", make.lab(explain="Write here."))
    desk.course.grade()
    with Gradebook(database(desk.course.root)) as gradebook:
        gradebook.find_submission_notebook("lab", "tiny", "cid").late_submission_penalty = LATE
        gradebook.db.commit()
    return desk


def exported(desk: Any) -> dict[str, Any]:
    with Gradebook(database(desk.course.root)) as gradebook:
        return {row["student_id"]: row for row in export.rows(gradebook, desk.course.root)}


def points(row: Any) -> tuple[float, float]:
    return row["score"], row["pending"]


@pytest.mark.slow
def test_every_list_has_the_points_of_the_csv(graded: Any) -> None:
    wanted = {"ada": (12, 8), "bob": (5, 0), "cid": (12 - LATE, 2)}
    csv = {s: (r["points_so_far"], r["points_pending"]) for s, r in exported(graded).items()}
    assert csv == wanted
    by_assignment = {r["student"]: points(r) for r in graded.get("submissions/tiny")}
    by_notebook = {r["student"]: points(r) for r in graded.get("submitted_notebooks/tiny/lab")}
    learners = {r["id"]: points(r) for r in graded.get("students")}
    assert by_assignment == by_notebook == learners == wanted
    for student, expected in wanted.items():
        (of_all,) = graded.get(f"student_submissions/{student}")
        (of_one,) = graded.get(f"student_notebook_submissions/{student}/tiny")
        alone = graded.get(f"submission/tiny/{student}")
        learner = graded.get(f"student/{student}")
        assert {points(r) for r in (of_all, of_one, alone, learner)} == {expected}


@pytest.mark.slow
def test_means_tell_pending_from_lost(graded: Any) -> None:
    (assignment,) = graded.get("assignments")
    (notebook,) = graded.get("notebooks/tiny")
    for row in (assignment, notebook):
        assert row["average_score"] == pytest.approx((12 + 5 + 12 - LATE) / 3)
        assert row["pending"] == pytest.approx(10 / 3)
        assert row["code_pending"] == pytest.approx(4 / 3)
        assert row["written_pending"] == pytest.approx(2)


@pytest.mark.slow
def test_only_a_written_answer_needs_a_person(graded: Any) -> None:
    rows = {r["student"]: r for r in graded.get("submissions/tiny")}
    assert [rows[s]["needs_manual_grade"] for s in ("ada", "bob", "cid")] == [True, False, False]
    assert [rows[s]["judged_pending"] for s in ("ada", "bob", "cid")] == [2, 0, 2]


@pytest.mark.slow
def test_the_page_and_feedback_have_one_total(graded: Any) -> None:
    page = BeautifulSoup(graded.page("ada"), "html.parser")
    feedback = BeautifulSoup(graded.course.page("ada"), "html.parser")
    (said,) = page.select("#hotloop-total")
    (told,) = feedback.select(".total")
    assert said.get_text() == told.get_text() == "12 of 20 points, 8 pending"


@pytest.mark.slow
def test_what_was_not_graded_and_what_is_no_module_is_nbgraders(
    desk: Any, make: SimpleNamespace
) -> None:
    (desk.course.root / "source" / "essay").mkdir()
    desk.course.submit("ada", make.lab())
    names = {row["name"]: row for row in desk.get("assignments")}
    assert names["essay"]["average_score"] == 0
    (row,) = desk.get("submissions/tiny")
    assert (row["autograded"], row["score"]) == (False, 0)
    (learner,) = desk.get("students")
    assert points(learner) == (0, 0)


@pytest.mark.slow
def test_an_extension_alone_is_no_hand_in(graded: Any) -> None:
    with Gradebook(database(graded.course.root)) as gradebook:
        gradebook.find_assignment("tiny").duedate = datetime(2900, 1, 1)
        gradebook.db.commit()
    dates.extend(graded.course.root, "tiny", ["dan"], timedelta(days=1), "ill")
    (assignment,) = graded.get("assignments")
    assert assignment["average_score"] == pytest.approx((12 + 5 + 12 - LATE) / 3)
    assert exported(graded)["dan"]["status"] == "not submitted"
    assert {points(row) for row in graded.get("students") if row["id"] == "dan"} == {(0, 0)}
    assert points(graded.get("student/dan")) == (0, 0)
    rows = {row["student"]: row for row in graded.get("submissions/tiny")}
    assert (rows["dan"]["autograded"], rows["dan"]["submitted"]) == (False, False)
    assert rows["dan"]["extension_hours"] == 24


@pytest.mark.slow
def test_a_time_that_is_none_does_not_break_the_list(desk: Any, make: SimpleNamespace) -> None:
    desk.course.submit("ada", make.lab(), files={"timestamp.txt": "yesterday evening"})
    assert desk.get("submissions/tiny")[0]["timestamp"] is None
    desk.course.grade()
    assert points(desk.get("submissions/tiny")[0]) == (12, 2)
