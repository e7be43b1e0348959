"""A batch's log: nobody waits for the disk, and nothing of it is left at the end."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Generator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from nbgrader.api import Gradebook
from sqlalchemy import text

from hotloop.course import write_ahead as log
from hotloop.course.gradebook_dialect import gradebook_url
from hotloop.course.write_ahead import write_ahead

NORMAL, FULL = 1, 2


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A gradebook with one learner; nbgrader makes it by a program that it looks for."""
    path = tmp_path_factory.mktemp("made") / "gradebook.db"
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", programs)
        with Gradebook(_url(path)) as gradebook:
            cast(Any, gradebook).add_student("ada")
    return path.read_bytes()


@pytest.fixture
def file(made: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "gradebook.db"
    path.write_bytes(made)
    return path


def _url(file: Path) -> str:
    return f"sqlite:///{file}"


def _journal(file: Path) -> str:
    with closing(sqlite3.connect(file)) as connection:
        return str(connection.execute("PRAGMA journal_mode").fetchone()[0])


def _waits(file: Path) -> int:
    """How nbgrader's connections in this process wait for the disk."""
    with Gradebook(gradebook_url(_url(file))) as gradebook:
        return int(cast(Any, gradebook).db.execute(text("PRAGMA synchronous")).scalar_one())


def _students(file: Path) -> set[str]:
    with Gradebook(_url(file)) as gradebook:
        return {student.id for student in cast(Any, gradebook).students}


def test_nothing_waits_for_the_disk_meanwhile(file: Path) -> None:
    assert (_journal(file), _waits(file)) == ("delete", FULL)
    with write_ahead(_url(file)):
        assert (_journal(file), _waits(file)) == ("wal", NORMAL)
    assert (_journal(file), _waits(file)) == ("delete", FULL)


def test_a_copy_of_the_file_is_whole_afterwards(file: Path) -> None:
    with write_ahead(_url(file)), Gradebook(gradebook_url(_url(file))) as gradebook:
        cast(Any, gradebook).add_student("grace")
    assert list(file.parent.iterdir()) == [file]
    copy = file.with_name("copy.db")
    copy.write_bytes(file.read_bytes())
    assert _students(copy) == {"ada", "grace"}


def test_a_killed_batch_loses_nothing(file: Path) -> None:
    program = (
        "import os, signal, sys\n"
        "from nbgrader.api import Gradebook\n"
        "from hotloop.course.gradebook_dialect import gradebook_url\n"
        "from hotloop.course.write_ahead import write_ahead\n"
        "with write_ahead(sys.argv[1]), Gradebook(gradebook_url(sys.argv[1])) as gradebook:\n"
        "    gradebook.add_student('grace')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, _url(file)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert _students(file) == {"ada", "grace"}
    with write_ahead(_url(file)):
        pass
    assert _journal(file) == "delete"
    assert _students(file) == {"ada", "grace"}


def test_another_program_that_writes_is_left_alone(file: Path) -> None:
    with ExitStack() as held:
        held.enter_context(_held(file))
        with write_ahead(_url(file)):
            held.close()
            assert _journal(file) == "delete"


@contextmanager
def _held(file: Path) -> Generator[None]:
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        try:
            yield
        finally:
            connection.execute("ROLLBACK")


@pytest.mark.parametrize(
    ("mounts", "journal"),
    [
        ("x / ext4 rw 0 0\n", "wal"),
        ("x / nfs4 rw 0 0\n", "delete"),
        ("x / ext4 rw 0 0\ny {folder} nfs rw 0 0\n", "delete"),
        ("x / nfs rw 0 0\ny {folder} xfs rw 0 0\n", "wal"),
        ("", "delete"),
    ],
)
def test_a_file_on_the_network_keeps_its_journal(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mounts: str, journal: str
) -> None:
    table = tmp_path / "mounts"
    table.write_text(mounts.format(folder=os.path.realpath(tmp_path)))
    monkeypatch.setattr(log, "_MOUNTS", table)
    with write_ahead(_url(file)):
        assert _journal(file) == journal


@pytest.mark.parametrize("url", ["sqlite://", "postgresql://nobody@127.0.0.1:1/none"])
def test_other_databases_are_not_touched(url: str) -> None:
    with write_ahead(url):
        pass
