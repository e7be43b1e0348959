"""A grade is removed when the work that it was given for changes."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from nbgrader.api import Gradebook

from hotloop.core.user_error import UserError
from hotloop.course import grade
from hotloop.course.attempts.store import store
from hotloop.course.config import CONFIG_FILE, course_api, database, load_config
from hotloop.course.progress import Progress

from .exported import exported


def scores(root: Path, student: str = "ada") -> dict[str, tuple[float | None, bool]]:
    with Gradebook(database(root)) as gradebook:
        submission = gradebook.find_submission("tiny", student)
        grades = [row for notebook in submission.notebooks for row in notebook.grades]
        return {row.name: (row.auto_score, row.needs_manual_grade) for row in grades}


@pytest.mark.slow
def test_pending_is_pending_everywhere(
    course: Any, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    course.submit("ada", make.lab(explain="Because."))
    course.submit("bob", make.lab("41", "41", explain="Write here."))
    course.grade()
    found = scores(course.root)
    assert found["answer"] == (4.0, False)
    assert found["gpu_answer"] == (None, False)
    assert found["explain"] == (None, True)
    page = course.page("ada")
    assert "5 of 5" in page
    assert "3 of 5, 2 pending" in page
    assert "6 points pending" in page
    total = page.partition('<p class="total">')[2].partition("</p>")[0]
    assert "12 of 20" in total
    assert "8" in total.partition("12 of 20")[2]
    assert "pending" in total
    rows = exported(course.root, monkeypatch)
    assert rows["ada"]["score"] == rows["ada"]["raw_score"] == "pending"
    assert float(rows["ada"]["points_so_far"]) == 12
    assert float(rows["ada"]["points_pending"]) == 8
    assert rows["ada"]["pending_tasks"] == "explain gpu_answer"
    assert rows["bob"]["status"] == "final"
    assert float(rows["bob"]["score"]) == 5
    assert "0 of 5" in course.page("bob")
    assert "A person has yet to grade this" in page
    assert "Not answered" in course.page("bob")


@pytest.mark.slow
def test_a_worse_regrade_replaces_the_better_grade(course: Any, make: SimpleNamespace) -> None:
    course.submit("ada", make.lab())
    course.grade()
    course.submit("ada", b"{")
    course.grade()
    assert scores(course.root)["answer"] == (0.0, False)
    assert scores(course.root)["gpu_answer"] == (0.0, False)
    assert len(store(course.root).history("ada", "tiny")) == 2


@pytest.mark.slow
def test_a_grader_that_fails_leaves_pending_and_goes_on(
    course: Any, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for student in ("ada", "bob"):
        course.submit(student, make.lab())
    course.grade()
    working = course.settings["isolation"]

    def broken() -> Any:
        if "ada" in seen[-1:]:
            raise RuntimeError("the disk is full")
        return working()

    seen: list[str] = []
    graded = _grade_watched(course, broken, seen)
    assert list(graded.problems) == ["ada/tiny"]
    assert "the disk is full" in graded.problems["ada/tiny"]
    assert all(auto is None for auto, _ in scores(course.root, "ada").values())
    assert scores(course.root, "bob")["answer"] == (4.0, False)
    by_student = course.verdicts(graded)
    assert by_student["ada"]["answer"] == "judge_error"
    assert by_student["bob"]["answer"] == "passed"
    rows = exported(course.root, monkeypatch)
    assert rows["ada"]["score"] == "pending"
    assert float(rows["ada"]["points_so_far"]) == 0
    assert float(rows["ada"]["points_pending"]) == 20


def _grade_watched(course: Any, isolation: Any, seen: list[str]) -> Any:
    settings = {**course.settings, "isolation": isolation}
    return grade.grade(
        course.root,
        settings=settings,
        on_progress=lambda step: seen.append(step.student),
        again=True,
    )


@pytest.mark.slow
def test_a_judge_that_fails_costs_nothing(course: Any, make: SimpleNamespace) -> None:
    class Broken:
        def judge(self, *_: Any, **__: Any) -> Any:
            raise RuntimeError("no judge")

    course.submit("ada", make.lab())
    graded = course.grade(judge_factory=Broken)
    found = {r.task: (r.verdict, r.points, r.pending) for r in graded.results}
    assert found["answer"] == ("judge_error", 0.0, 4.0)
    assert scores(course.root)["answer"] == (None, False)


@pytest.mark.slow
def test_what_a_person_decided_stays(course: Any, make: SimpleNamespace) -> None:
    course.submit("ada", make.lab())
    course.grade()
    with Gradebook(database(course.root)) as gradebook:
        row = gradebook.find_grade("gpu_answer", "lab", "tiny", "ada")
        row.manual_score, row.needs_manual_grade = 4.5, False
        gradebook.db.commit()
    graded = course.grade()
    (result,) = (r for r in graded.results if r.task == "gpu_answer")
    assert (result.points, result.pending) == (4.5, 0.0)


@pytest.mark.slow
def test_the_comment_says_what_is_pending(course: Any, make: SimpleNamespace) -> None:
    course.submit("ada", make.lab())
    course.grade()
    with Gradebook(database(course.root)) as gradebook:
        comment = gradebook.find_comment("gpu_answer_solution", "lab", "tiny", "ada")
        assert comment.auto_comment.startswith("Pending, not lost: gpu_correct: not measured")
        assert gradebook.find_comment("answer_solution", "lab", "tiny", "ada").auto_comment is None


@pytest.mark.slow
def test_nbgraders_own_batch_grades_and_survives(course: Any, make: SimpleNamespace) -> None:
    """Runs `nbgrader autograde tiny --force`, which grades all students in one process."""
    course.submit("ada", make.lab())
    course.submit("bad", b"nonsense")
    course.submit("zoe", make.lab("41"))
    config = load_config(course.root)
    config.Grading.update(course.settings)
    result = course_api(config).autograde("tiny", "*", force=True)
    assert result["success"], result
    assert scores(course.root, "ada")["answer"] == (4.0, False)
    assert scores(course.root, "bad")["answer"] == (0.0, False)
    assert scores(course.root, "zoe")["answer"] == (0.0, False)


@pytest.mark.slow
def test_ctrl_c_ends_the_batch_and_leaves_pending(course: Any, make: SimpleNamespace) -> None:
    for student in ("ada", "bob"):
        course.submit(student, make.lab())
    course.grade()
    course.submit("ada", make.lab("41 + 1"))
    seen: list[str] = []

    def press(step: Progress) -> None:
        seen.append(step.student)
        if step.task == "answer":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grade.grade(course.root, settings=course.settings, on_progress=press)
    assert set(seen) == {"ada"}
    assert all(auto is None for auto, _ in scores(course.root, "ada").values())
    assert scores(course.root, "bob")["answer"] == (4.0, False)


@pytest.mark.slow
def test_only_some_tasks(course: Any, make: SimpleNamespace) -> None:
    course.submit("ada", make.lab())
    graded = grade.grade(course.root, settings=course.settings, tasks={"ada": ["answer"]})
    found = {r.task: (r.verdict, r.points, r.pending) for r in graded.results}
    assert found["answer"] == ("passed", 4.0, 0.0)
    assert found["gpu_answer"] == ("not_measured", 0.0, 5.0)
    assert found["from_file"] == ("not_measured", 0.0, 5.0)
    assert scores(course.root)["from_file"] == (None, False)


@pytest.mark.slow
def test_an_instructors_own_settings_count(course: Any, make: SimpleNamespace) -> None:
    with (course.root / CONFIG_FILE).open("a") as config:
        config.write("c.Grading.tasks = ['from_file']\n")
    course.submit("ada", make.lab())
    found = {r.task: r.verdict for r in course.grade().results}
    assert found["from_file"] == "passed"
    assert found["answer"] == "not_measured"


def test_a_folder_without_a_course_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no submissions"):
        grade.grade(tmp_path)
