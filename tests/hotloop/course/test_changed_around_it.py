"""Points stay right while the course around them changes: modules, folders, clocks, other tools."""

import json
import shutil
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.course import dates, execution, regrade
from hotloop.course.attempts import attempt
from hotloop.course.attempts.store import store
from hotloop.course.book import Book
from hotloop.course.class_page.marks import read_marks
from hotloop.course.config import CONFIG_FILE, database
from hotloop.course.executors import local
from hotloop.course.feedback_pages import FeedbackPages
from hotloop.course.hand_in import NO_TIME
from hotloop.course.policy import utc_now
from hotloop.tasks import curriculum

from .exported import exported

DAY = timedelta(days=1)


@pytest.fixture
def graded(course: Any, make: SimpleNamespace) -> Any:
    """ada has 12 points, and 2 that are pending without a GPU."""
    course.submit("ada", make.lab())
    course.grade()
    return course


@pytest.fixture
def executes_nothing(graded: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(local, "execute")


def so_far(graded: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[str, float, float]:
    row = exported(graded.root, monkeypatch)["ada"]
    return row["status"], float(row["points_so_far"]), float(row["points_pending"])


def remove_tasks(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Replace the module by one without these tasks; without names, remove the module."""
    whole = curriculum.load_module("tiny")
    tasks = [task for task in whole.tasks if task.id not in names]

    def load(name: str) -> Any:
        if not names:
            raise KeyError(name)
        return whole.model_copy(update={"tasks": tasks})

    for place in ("worth", "feedback"):
        monkeypatch.setattr(f"hotloop.course.{place}.load_module", load)


@pytest.mark.parametrize("gone", [("gpu_answer",), ()], ids=["task", "module"])
def test_a_task_that_is_gone_from_its_module_keeps_its_points(
    graded: Any, monkeypatch: pytest.MonkeyPatch, gone: tuple[str, ...]
) -> None:
    remove_tasks(monkeypatch, *gone)
    assert so_far(graded, monkeypatch) == ("pending", 12, 2)
    [found] = store(graded.root).history("ada", "tiny")
    Book(graded.root).enter(found)
    assert FeedbackPages(graded.root).make("ada", "tiny") == ""
    assert so_far(graded, monkeypatch) == ("pending", 12, 2)


@pytest.mark.slow
def test_points_that_an_instructor_changed_are_shared_out_alike(
    course: Any, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Gradebook(database(course.root)) as gradebook:
        for name, points in (("answer", 8), ("gpu_answer", 10)):
            gradebook.find_grade_cell(name, "lab", "tiny").max_score = points
        gradebook.db.commit()
    course.submit("ada", make.lab())
    course.grade()
    assert so_far(course, monkeypatch) == ("pending", 8 + 6 + 5, 4)
    assert "19 of 29" in course.page("ada")


@pytest.mark.slow
@pytest.mark.usefixtures("executes_nothing")
def test_what_was_graded_counts_where_the_hand_in_was_put_away(
    graded: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(graded.root / "submitted")
    assert so_far(graded, monkeypatch) == ("pending", 12, 2)
    assert read_marks(graded.root).modules[0].handed_in == {"ada"}


@pytest.mark.slow
@pytest.mark.usefixtures("executes_nothing")
def test_a_learner_removed_with_nbgrader_is_entered_again(
    graded: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = graded.grade().results
    with Gradebook(database(graded.root)) as gradebook:
        gradebook.remove_student("ada")
    again = graded.grade()
    assert (again.results, again.problems) == (before, {})
    assert so_far(graded, monkeypatch) == ("pending", 12, 2)


@pytest.mark.slow
@pytest.mark.usefixtures("executes_nothing")
def test_what_tools_leave_in_the_source_changes_no_hand_in(graded: Any) -> None:
    for name in (".ipynb_checkpoints/work-checkpoint.py", "__pycache__/work.cpython-311.pyc"):
        path = graded.root / "source" / "tiny" / name
        path.parent.mkdir()
        path.write_text("x")
    assert graded.grade().problems == {}


@pytest.mark.slow
def test_other_assignments_are_left_to_nbgrader(graded: Any, make: SimpleNamespace) -> None:
    with Gradebook(database(graded.root)) as gradebook:
        gradebook.add_assignment("essay")
        gradebook.add_notebook("text", "essay")
    (graded.root / "submitted" / "ada" / "essay").mkdir()
    graded.submit("ada", make.lab("41"))
    assert {result.module for result in graded.grade().results} == {"tiny"}


@pytest.mark.slow
def test_a_node_whose_clock_is_ahead_does_not_keep_a_regrade_from_counting(
    course: Any, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    course.submit("ada", make.lab())
    with monkeypatch.context() as patch:
        patch.setattr(execution, "now", lambda: attempt.now() + DAY)
        course.grade()
    for place in (execution, regrade):
        monkeypatch.setattr(place, "grader_digest", lambda _module: "changed")
    regrade.shadow(course.root, "tiny", settings=course.settings)
    regrade.publish(course.root, "tiny", "the grader changed")
    counts = store(course.root).published("ada", "tiny")
    assert counts is not None
    assert counts.grader == "changed"


def penalize_late_work(course: Any) -> None:
    with (course.root / CONFIG_FILE).open("a") as settings:
        settings.write('c.LateSubmissionPlugin.penalty_method = "zero"\n')


@pytest.mark.slow
@pytest.mark.usefixtures("executes_nothing")
def test_a_corrected_time_of_the_same_work_counts(
    graded: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    penalize_late_work(graded)
    dates.set_due(graded.root, "tiny", utc_now() - 2 * DAY)
    stamp = graded.root / "submitted" / "ada" / "tiny" / "timestamp.txt"
    for days, points in ((1, 0), (3, 12)):
        stamp.write_text(f"{utc_now() - days * DAY:%Y-%m-%d %H:%M:%S} UTC")
        graded.grade()
        assert so_far(graded, monkeypatch) == ("pending", points, 2)
        assert f"{points} of 20" in graded.page("ada")


@pytest.mark.slow
def test_a_time_that_is_none_is_told(course: Any, make: SimpleNamespace) -> None:
    course.submit("ada", make.lab(), files={"timestamp.txt": "yesterday evening"})
    assert course.grade().notes == {"ada/tiny": [f"“timestamp.txt” was left out: {NO_TIME}."]}


@pytest.mark.slow
def test_a_page_that_a_killed_command_has_not_renewed_is_renewed_later(
    course: Any, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: Any) -> str:
        raise KeyboardInterrupt

    when = f"{utc_now() - DAY:%Y-%m-%d %H:%M:%S} UTC"
    course.submit("ada", make.lab(), files={"timestamp.txt": when})
    penalize_late_work(course)
    course.grade()
    with monkeypatch.context() as patch:
        patch.setattr(FeedbackPages, "make", killed)
        with pytest.raises(KeyboardInterrupt):
            dates.set_due(course.root, "tiny", utc_now() - 2 * DAY)
    assert "12 of 20" in course.page("ada")
    course.grade()
    assert "0 of 20" in course.page("ada")


@pytest.mark.slow
def test_a_course_that_was_moved_goes_on(graded: Any, make: SimpleNamespace) -> None:
    moved = graded.root.with_name("moved")
    graded.root.rename(moved)
    course = make.Course(moved, graded.settings)
    course.submit("bob", make.lab("41"))
    found = {total.student: total.points for total in course.grade().totals}
    assert found == {"ada": 12, "bob": 8}
    listed = CliRunner().invoke(
        app, ["course", "attempts", "ada", "tiny", "--course", str(moved), "--json"]
    )
    assert len(json.loads(listed.stdout)["attempts"]) == 1
    assert (moved / "feedback" / "bob" / "tiny" / "lab.html").is_file()
