"""A course whose settings put the gradebook into PostgreSQL."""

import os
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from nbgrader.api import Gradebook

from hotloop.course.attempts.attempt import Kind
from hotloop.course.attempts.store import store
from hotloop.course.config import CONFIG_FILE, database
from hotloop.course.prepare import COURSE_ID, prepare

from ..exported import exported


@pytest.fixture
def on_server(course: Any, server: Any) -> Any:
    """The tiny course, released with its gradebook on the server."""
    (course.root / "gradebook.db").unlink()
    with (course.root / CONFIG_FILE).open("a") as stream:
        stream.write(f"c.CourseDirectory.db_url = {server.new_database()!r}\n")
    prepare(course.root, ["tiny"])
    return course


@pytest.mark.slow
def test_from_release_to_export(
    on_server: Any, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    course, root = on_server, on_server.root
    assert database(root).startswith("postgresql+psycopg://")
    course.submit("ada", make.lab(explain="Because."))
    course.submit("bob", make.lab("41"))
    course.submit("eve", b"nonsense")
    graded = course.grade()
    assert graded.problems == {}
    verdicts = course.verdicts(graded)
    assert {s: v["answer"] for s, v in verdicts.items()} == {
        "ada": "passed",
        "bob": "wrong_answer",
        "eve": "runtime_error",
    }
    assert "3 of 5, 2 pending" in course.page("ada")
    rows = exported(root, monkeypatch)
    assert float(rows["ada"]["points_so_far"]) == 12
    assert rows["ada"]["pending_tasks"] == "explain gpu_answer"
    # No database file anywhere: all data is on the server.
    assert not list(root.rglob("*.db"))


@pytest.mark.slow
def test_a_regrade_and_a_persons_mark(on_server: Any, make: SimpleNamespace) -> None:
    course, root = on_server, on_server.root
    course.submit("ada", make.lab())
    course.grade()
    with Gradebook(database(root), COURSE_ID) as gradebook:
        row = gradebook.find_grade("gpu_answer", "lab", "tiny", "ada")
        row.manual_score, row.needs_manual_grade = 4.5, False
        gradebook.db.commit()
    course.submit("ada", make.lab("41"))
    graded = course.grade()
    found = {r.task: (r.points, r.pending) for r in graded.results}
    assert found["answer"] == (0.0, 0.0)
    assert found["gpu_answer"] == (4.5, 0.0)
    assert len(store(root).history("ada", "tiny")) == 2
    first, second = store(root).events(kind=Kind.PUBLISHED)
    assert first.old is None
    assert second.old == first.new
    assert second.new != first.new


@pytest.mark.slow
def test_what_formgrader_asks_for(on_server: Any, make: SimpleNamespace) -> None:
    """Runs the queries behind its pages, which depend most on the SQL dialect."""
    course, root = on_server, on_server.root
    course.submit("ada", make.lab())
    course.grade()
    from hotloop.course.config import course_api, load_config

    api: Any = course_api(load_config(root))
    [assignment] = api.get_assignments()
    assert (assignment["name"], assignment["num_submissions"]) == ("tiny", 1)
    [student] = api.get_students()
    assert (student["id"], student["max_score"]) == ("ada", 20.0)
    [submission] = api.get_submissions("tiny")
    assert (submission["student"], submission["needs_manual_grade"]) == ("ada", False)
    assert api.get_notebooks("tiny")[0]["name"] == "lab"
    [notebook] = api.get_notebook_submissions("tiny", "lab")
    assert notebook["max_score"] == 20.0
    assert api.get_student_submissions("ada")[0]["name"] == "tiny"
    assert api.get_student_notebook_submissions("ada", "tiny")[0]["name"] == "lab"


def test_nbgraders_own_commands(on_server: Any, make: SimpleNamespace) -> None:
    """Run as an instructor types them: each finds the database by the course's settings alone."""
    course, root = on_server, on_server.root
    course.submit("ada", make.lab())
    course.grade()

    def nbgrader(*arguments: str) -> str:
        environment = {**os.environ, "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(root)}
        command = [sys.executable, "-W", "ignore", "-m", "nbgrader", *arguments]
        done = subprocess.run(
            command, cwd=root, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "ada" in nbgrader("db", "student", "list")
    assert "tiny" in nbgrader("db", "assignment", "list")
    nbgrader("db", "upgrade")
    nbgrader("db", "student", "add", "bob")
    assert "bob" in nbgrader("db", "student", "list")
    assert store(root).published("ada", "tiny") is not None
    assert not list(root.rglob("*.db"))
