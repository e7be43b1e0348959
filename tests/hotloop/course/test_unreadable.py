"""A hand-in that this account cannot read is named, and stops no command for the others."""

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.course import hand_in

CLOSED = "submitted/bob/tiny/lab.ipynb"


@pytest.fixture
def unreadable(course: Any, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Two learners were graded; then one file of bob's cannot be read by this account.

    The tests may run as root, who can read everything.
    """
    for student in ("ada", "bob"):
        course.submit(student, make.lab(explain="Because."))
    course.grade()
    real = os.open

    def closed(path: Any, *more: Any, **named: Any) -> int:
        if str(path).endswith(CLOSED):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, *more, **named)

    monkeypatch.setattr(hand_in.os, "open", closed)
    return course


COMMANDS = {
    "regrade": ["regrade", "tiny"],
    "regrade --publish": ["regrade", "tiny", "--publish", "--why", "fixed"],
    "page --names": ["page", "--names"],
    "page": ["page"],
    "requests": ["requests"],
    "attempts": ["attempts", "ada", "tiny"],
    "attempts of the unreadable": ["attempts", "bob", "tiny", "--log"],
    "due": ["due", "tiny", "2030-01-01T10:00"],
}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_one_unreadable_file_stops_no_command(unreadable: Any, command: str) -> None:
    arguments = ["course", *COMMANDS[command], "--course", str(unreadable.root), "--json"]
    answer = CliRunner().invoke(app, arguments)
    if command == "regrade --publish":
        assert "Nothing was regraded" in answer.output
        return
    assert answer.exit_code == 0, answer.output
    document = json.loads(answer.stdout)
    if command == "regrade":
        skipped = {one["student"]: one["skipped"] for one in document["changes"]}
        assert "could not be read" in skipped["bob"]
        assert skipped["ada"] == ""
    if command == "page --names":
        assert "Permission denied" in document["modules"][0]["unreadable"]["bob"]
        assert "bob" in Path(document["page"]).read_text()


@pytest.mark.slow
def test_grading_names_it_and_goes_on(unreadable: Any, make: SimpleNamespace) -> None:
    unreadable.submit("ada", make.lab("41"))
    graded = unreadable.grade()
    assert "could not be read" in graded.problems["bob/tiny"]
    assert unreadable.verdicts(graded)["ada"]["answer"] == "wrong_answer"


def test_what_cannot_be_looked_at_may_be_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(_path: Path) -> bool:
        raise PermissionError

    assert not hand_in.is_folder(tmp_path / "nothing")
    monkeypatch.setattr(Path, "is_dir", closed)
    assert hand_in.is_folder(tmp_path)
