"""nbgrader's own commands, in processes of their own, on a course with the real judge."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hotloop.course.config import CONFIG_FILE
from hotloop.course.prepare import prepare
from hotloop.tasks import render

pytestmark = [pytest.mark.slow, pytest.mark.sandbox]
MODULE = "fused_softmax"
SETTINGS = "c.Grading.tasks = ['online_pass']\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    course = tmp_path / "course"
    prepare(course, [MODULE])
    with (course / CONFIG_FILE).open("a") as config:
        config.write(SETTINGS)
    for student, files in (
        ("ada", render.submission(MODULE)),
        ("bob", render.untouched(MODULE)),
        ("eve", {**render.untouched(MODULE), "lab.ipynb": b"not json"}),
    ):
        folder = course / "submitted" / student / MODULE
        folder.mkdir(parents=True)
        for name, content in files.items():
            (folder / name).write_bytes(content)
    return course


def nbgrader(root: Path, *arguments: str) -> str:
    """Run nbgrader as an instructor does, without the environment's bin folder in PATH."""
    environment = {**os.environ, "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(root)}
    command = [sys.executable, "-W", "ignore", "-m", "nbgrader", *arguments]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stderr


def test_autograde_feedback_export(root: Path) -> None:
    nbgrader(root, "autograde", MODULE)
    nbgrader(root, "generate_feedback", MODULE)
    nbgrader(root, "export", "--to", "grades.csv")
    with (root / "grades.csv").open() as stream:
        rows = {row["student_id"]: row for row in csv.DictReader(stream)}
    assert {name: row["score"] for name, row in rows.items()} == dict.fromkeys(rows, "pending")
    so_far = {name: float(row["points_so_far"]) for name, row in rows.items()}
    assert so_far == {"ada": 10.0, "bob": 0.0, "eve": 0.0}
    pages = {name: (root / "feedback" / name / MODULE / "lab.html").read_text() for name in rows}
    assert "10 of 10 points" in pages["ada"]
    assert "0 of 10 points" in pages["bob"]
    assert "not valid JSON" in pages["eve"]
    assert "This task was left out this time." in pages["ada"]
