"""A command says what it waits for, and in one sentence why it cannot go on."""

import logging
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.cli.commands import GROUPS
from hotloop.cli.course import results
from hotloop.course import dates, drops
from hotloop.course.attempts import connection, store
from hotloop.course.progress import Progress
from hotloop.judge import lease

WRITING = {
    "due": ("tiny", "2030-01-31T18:00"),
    "grade": ("tiny", "--again"),
    "regrade": ("tiny", "--publish", "--why", "w"),
    "attempts": ("ada", "tiny", "--drop", "1", "--why", "w"),
    "requests": (),
    "page": ("tiny",),
    "forget": ("ada", "--yes"),
    "new": ("tiny",),
    "release": ("tiny",),
    "points": ("tiny",),
    "export": (),
    "collect": ("tiny",),
}
"""What the commands need to come as far as the gradebook."""
ELSEWHERE = {"serve", "invite"}
"""Commands that open no course's gradebook before they serve."""


def run(root: Path, name: str) -> Any:
    return CliRunner().invoke(app, ["course", name, *WRITING[name], "--course", str(root)])


@pytest.fixture
def graded(course: Any, make: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    course.submit("ada", make.lab())
    course.grade()
    monkeypatch.setattr(store.Store.__init__, "__defaults__", (1.2,))
    monkeypatch.setattr(connection, "LONGEST_LOCK_MS", 100)
    store._store.cache_clear()  # pyright: ignore[reportPrivateUsage]
    yield course
    store._store.cache_clear()  # pyright: ignore[reportPrivateUsage]


@pytest.fixture
def locked(graded: Any) -> Iterator[Any]:
    other = sqlite3.connect(graded.root / "gradebook.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    yield graded
    other.execute("ROLLBACK")
    other.close()


@pytest.fixture
def read_only(graded: Any) -> Iterator[Any]:
    """As for an account that may not write the file, also where the account is root."""
    yield from pragma(graded, "query_only = ON")


@pytest.fixture
def full(graded: Any) -> Iterator[Any]:
    gradebook = graded.root / "gradebook.db"
    with closing(sqlite3.connect(gradebook)) as opened:
        opened.execute("VACUUM")  # no page is free
    pages = gradebook.stat().st_size // 4096
    yield from pragma(graded, f"max_page_count = {pages}")


def pragma(course: Any, setting: str) -> Iterator[Any]:
    def set_it(opened: Any, _record: Any) -> None:
        opened.execute(f"PRAGMA {setting}")

    event.listen(Engine, "connect", set_it)
    store._store.cache_clear()  # pyright: ignore[reportPrivateUsage]
    yield course
    event.remove(Engine, "connect", set_it)


def sentences(shown: Any) -> list[str]:
    return [line for line in shown.stderr.splitlines() if not line.startswith("hotloop: Waiting")]


def test_every_command_of_a_course_is_tried() -> None:
    assert set(GROUPS["course"].names) == set(WRITING) | ELSEWHERE


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITING)
def test_a_locked_gradebook_is_one_sentence(locked: Any, name: str) -> None:
    shown = run(locked.root, name)
    if name == "new":  # nbgrader makes the assignment, and its sentence says why it could not
        assert shown.exit_code == 1
        assert "database is locked" in shown.output
        return
    assert shown.exit_code == 2, shown.output
    [sentence] = sentences(shown)
    assert "locked" in sentence
    assert "Traceback" not in shown.output


@pytest.mark.slow
@pytest.mark.parametrize("name", ["due", "grade", "attempts", "forget"])
def test_a_gradebook_that_may_not_be_written_is_one_sentence(read_only: Any, name: str) -> None:
    shown = run(read_only.root, name)
    assert shown.exit_code == 2, shown.output
    [sentence] = sentences(shown)
    assert "written by this account" in sentence or "readonly database" in sentence
    assert "Traceback" not in shown.output


@pytest.mark.slow
def test_a_full_disk_is_one_sentence(full: Any) -> None:
    reason = "more than the pages that are there have room for " * 1000
    drop = ("attempts", "ada", "tiny", "--drop", "1", "--why", reason)
    shown = CliRunner().invoke(app, ["course", *drop, "--course", str(full.root)])
    assert shown.exit_code == 2, shown.output
    [sentence] = sentences(shown)
    assert "Make room" in sentence


@pytest.mark.slow
@pytest.mark.parametrize("what", ["due", "drop"])
def test_waiting_for_the_machine_is_logged(
    graded: Any, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    held = lease.Lease().exclusive()
    held.__enter__()
    release = threading.Timer(0.5, lambda: held.__exit__(None, None, None))
    release.start()
    with caplog.at_level(logging.WARNING):
        if what == "due":
            dates.set_due(graded.root, "tiny", None)
        else:
            drops.drop(graded.root, "ada", "tiny", 1, "why")
    release.join()
    assert "Waiting for the machine, which another grading is using." in caplog.messages


@pytest.mark.slow
def test_a_locked_database_is_said_while_it_is_waited_for(
    graded: Any, caplog: pytest.LogCaptureFixture
) -> None:
    other = sqlite3.connect(
        graded.root / "gradebook.db", isolation_level=None, check_same_thread=False
    )
    other.execute("BEGIN EXCLUSIVE")
    release = threading.Timer(1.1, lambda: other.execute("ROLLBACK"))
    release.start()
    dates.dates(graded.root)
    release.join()
    other.close()
    [said] = caplog.messages
    assert said.startswith("Waiting up to")


def test_a_pipe_gets_a_line_for_each_submission_and_after_a_while(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    with results.progress_bar() as show:
        for at, done, text in (
            (1, 0, "a"),
            (2, 0, "b"),
            (40, 0, "c"),
            (41, 1, "done"),
            (42, 1, "d"),
        ):
            now[0] = 100.0 + at
            show(Progress("ada", "tiny", "answer", text, done, 2, seconds_left=60.0))
    assert capsys.readouterr().err.splitlines() == [
        "0 of 2 done, 1 running, 0:01:00 left, ada tiny answer c",
        "1 of 2 done, 1 running, 0:01:00 left, ada tiny answer done",
    ]


_LOGS = """
import logging
import sqlite3
from hotloop.cli import app
app(["modules", "--json"], standalone_mode=False)
logging.getLogger("hotloop.judge.lease").warning("Waiting")
try:
    raise ValueError("a")
except ValueError:
    logging.getLogger("tornado.application").exception("Rolled\\nback")
"""


@pytest.mark.slow
def test_logs_of_others_are_one_line_each() -> None:
    done = subprocess.run([sys.executable, "-c", _LOGS], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines() == ["hotloop: Waiting", "tornado.application: Rolled"]
