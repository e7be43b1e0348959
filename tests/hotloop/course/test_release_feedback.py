"""Which feedback nbgrader releases under each policy, as seen where learners fetch it."""

import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook

from hotloop.course.config import course_api, load_config
from hotloop.course.policy import FILE, utc_now
from hotloop.course.release_feedback import send

STUDENTS = ("ada", "bob")
DAY = timedelta(days=1)


@pytest.fixture
def graded(course: Any, tmp_path: Path) -> Path:
    """A course with nbgrader's feedback pages for two learners; due tomorrow."""
    root: Path = course.root
    (tmp_path / "exchange").mkdir(mode=0o777)
    with (root / "nbgrader_config.py").open("a") as stream:
        stream.write(f"c.Exchange.root = {str(tmp_path / 'exchange')!r}\n")
    with book(root) as gradebook:
        gradebook.find_assignment("tiny").duedate = utc_now() + DAY
        for student in STUDENTS:
            gradebook.add_student(student)
            gradebook.add_submission("tiny", student)
            folder = root / "feedback" / student / "tiny"
            folder.mkdir(parents=True)
            (folder / "lab.html").write_text(f"feedback for {student}")
            (folder / "timestamp.txt").write_text("2026-01-01 00:00:00 UTC")
            (folder / "submission_secret.txt").write_text(f"secret of {student}")
        gradebook.db.commit()
    return root


def book(root: Path) -> Any:
    return Gradebook(load_config(root).CourseDirectory.db_url)  # type: ignore[attr-defined]


def release(root: Path, student: str | None = None) -> dict[str, Any]:
    return course_api(load_config(root)).release_feedback("tiny", student)


def reaches(root: Path) -> set[str]:
    """Return the learners whose page is where nbgrader's fetch_feedback looks."""
    pages = (root.parent / "exchange").rglob("*.html")
    return {page.read_text().removeprefix("feedback for ") for page in pages}


def due(root: Path, days: int) -> None:
    with book(root) as gradebook:
        gradebook.find_assignment("tiny").duedate = utc_now() + days * DAY
        gradebook.db.commit()


def extend(root: Path, student: str, days: int) -> None:
    with book(root) as gradebook:
        gradebook.find_submission("tiny", student).extension = days * DAY
        gradebook.db.commit()


def test_at_once(graded: Path) -> None:
    assert release(graded)["success"]
    assert reaches(graded) == set(STUDENTS)


def test_one_learner(graded: Path) -> None:
    assert release(graded, "ada")["success"]
    assert reaches(graded) == {"ada"}


def test_never(graded: Path) -> None:
    (graded / FILE).write_text("feedback: never\n")
    due(graded, -1)
    assert release(graded)["success"]
    assert release(graded, "ada")["success"]
    assert reaches(graded) == set()


def test_after_the_due_date(graded: Path) -> None:
    (graded / FILE).write_text("modules: {tiny: {feedback: after_due_date}}\n")
    release(graded)
    assert reaches(graded) == set()
    due(graded, -1)
    release(graded)
    assert reaches(graded) == set(STUDENTS)


def test_an_extension_counts(graded: Path) -> None:
    (graded / FILE).write_text("feedback: after_due_date\n")
    due(graded, -1)
    extend(graded, "bob", 2)
    release(graded)
    assert reaches(graded) == {"ada"}
    release(graded, "bob")
    assert reaches(graded) == {"ada"}


def test_what_may_not_be_seen_any_more_is_withdrawn(graded: Path) -> None:
    release(graded)
    (graded / FILE).write_text("feedback: after_due_date\n")
    due(graded, -1)
    extend(graded, "bob", 2)
    release(graded)
    assert reaches(graded) == {"ada"}


def test_a_mistake_in_the_policy_releases_nothing(graded: Path) -> None:
    (graded / FILE).write_text("feedback: at_once\nmodule: {}\n")
    result = release(graded)
    assert not result["success"]
    assert f"{FILE}:2: unknown key 'module'" in str(result["log"])
    assert reaches(graded) == set()


def test_one_page_that_cannot_be_sent_does_not_keep_the_others(graded: Path) -> None:
    (graded / "feedback" / "ada" / "tiny" / "submission_secret.txt").unlink()
    result = release(graded)
    assert not result["success"]
    assert "did not collect what they handed in: ada" in str(result["log"])
    assert reaches(graded) == {"bob"}


def test_one_page_is_sent_as_soon_as_it_is_made(graded: Path) -> None:
    api = course_api(load_config(graded))
    (graded / "feedback" / "bob" / "tiny" / "submission_secret.txt").unlink()
    assert [send(api, graded, "tiny", student) for student in STUDENTS] == ["", ""]
    assert reaches(graded) == {"ada"}
    (graded / FILE).write_text("feedback: sometimes\n")
    assert f"{FILE}:1:" in send(api, graded, "tiny", "ada")


@pytest.mark.slow
def test_the_command_is_no_way_around(graded: Path) -> None:
    (graded / FILE).write_text("feedback: after_due_date\n")
    extend(graded, "bob", 2)
    due(graded, -1)
    command = [sys.executable, "-m", "nbgrader", "release_feedback", "tiny"]
    subprocess.run(command, cwd=graded, check=True, capture_output=True, timeout=120)
    assert reaches(graded) == {"ada"}


def test_an_emptied_secret_does_not_keep_the_others(graded: Path) -> None:
    (graded / "feedback" / "ada" / "tiny" / "submission_secret.txt").write_text("")
    result = release(graded)
    assert "did not collect what they handed in: ada" in str(result["log"])
    assert reaches(graded) == {"bob"}
    assert send(course_api(load_config(graded)), graded, "tiny", "ada") == ""
