"""What other accounts of the machine can read of a course, whose exchange works all the same.

The instructor is root here, and learners are accounts that every Linux has.
"""

import os
import pwd
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.course import exchange
from hotloop.course.config import make_folder

MODULE = "fused_softmax"
LEARNERS = ("daemon", "nobody")


@dataclass(frozen=True)
class Class:
    """A course below a folder that every account can enter, and its learners' homes."""

    root: Path
    course: Path
    exchange: Path

    def nbgrader(self, learner: str, *arguments: str) -> str:
        """Run nbgrader as the learner, with the settings that the course wrote for learners."""
        return self.run(learner, sys.executable, "-W", "ignore", "-m", "nbgrader", *arguments)

    def run(self, learner: str, *command: str, code: int = 0) -> str:
        account = pwd.getpwnam(learner)
        home = self.root / learner
        become = ["setpriv", f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}"]
        done = subprocess.run(
            [*become, "--clear-groups", *command],
            cwd=home,
            env={"PATH": os.environ["PATH"], "HOME": str(home)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == code, done.stderr[-2000:]
        return done.stdout + done.stderr

    def readable(self, learner: str) -> set[str]:
        """Return the files below the class's folder that the learner can find and read."""
        found = self.run(learner, "find", str(self.root), "-type", "f", "-readable", code=1)
        return {line for line in found.splitlines() if line.startswith(str(self.root))}

    def instruct(self, *words: str) -> None:
        done = CliRunner().invoke(app, ["course", *words, "--course", str(self.course)])
        assert done.exit_code == 0, done.output


@pytest.fixture
def room() -> Iterator[Class]:
    # pytest's own folders are closed to other accounts.
    root = Path(tempfile.mkdtemp(prefix="hotloop-class-"))
    root.chmod(0o755)
    for name in LEARNERS:
        (root / name).mkdir(mode=0o700)
        shutil.chown(root / name, name)
    yield Class(root, root / "course", root / "course-exchange")
    shutil.rmtree(root)


needs_accounts = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("setpriv") is None,
    reason="only root can become other accounts",
)


@pytest.mark.slow
@needs_accounts
def test_learners_fetch_and_hand_in_and_read_nothing_of_others(room: Class) -> None:
    room.instruct("new", MODULE, "--due", "2030-01-31")
    for name in LEARNERS:
        settings = room.exchange / "hotloop" / "nbgrader_config.py"
        room.run(name, "cp", str(settings), ".")
        room.nbgrader(name, "fetch_assignment", MODULE)
        secret = room.root / name / MODULE / "softmax_triton.py"
        secret.write_text(f"# only of {name}\n")
        room.nbgrader(name, "submit", MODULE)
    done = CliRunner().invoke(
        app,
        [*("course", "grade", "--collect", "--course", str(room.course)), "--student", "adda"],
    )
    # Both were collected, each under their own name, before the unknown one was refused.
    assert done.exit_code == 2, done.output
    assert sorted(path.name for path in (room.course / "submitted").iterdir()) == sorted(LEARNERS)
    page = room.course / "feedback" / LEARNERS[1] / MODULE / "lab.html"
    page.parent.mkdir(parents=True)
    page.write_text("marks")
    (room.course / "grades.csv").write_text("marks")
    reader, other = LEARNERS
    found = room.readable(reader)
    assert not [path for path in found if path.startswith(str(room.course) + "/")]
    assert not [path for path in found if "/inbound/" in path or f"/{other}/" in path]
    assert any("/outbound/" in path for path in found), "what is released is for all"
    # Nor what is not listed but could be guessed.
    for path in ("gradebook.db", "grades.csv", f"submitted/{other}/{MODULE}/softmax_triton.py"):
        assert (room.course / path).is_file()
        room.run(reader, "cat", str(room.course / path), code=1)
    room.run(reader, "ls", str(room.exchange / "hotloop" / "inbound"), code=2)
    room.run(reader, "mv", str(room.exchange / "hotloop"), str(room.exchange / "mine"), code=1)


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_a_course_is_its_owners_whatever_the_umask(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        make_folder(tmp_path / "course", "hotloop")
        exchange.make(exchange.beside(tmp_path / "course"))
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "course").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "course-exchange").stat().st_mode) == exchange.FOR_ALL


def test_a_folder_that_was_there_is_closed_too_and_a_course_keeps_its_modes(
    tmp_path: Path,
) -> None:
    course = tmp_path / "course"
    course.mkdir(mode=0o755)
    make_folder(course, "hotloop")
    assert stat.S_IMODE(course.stat().st_mode) == 0o700
    course.chmod(0o2770)
    make_folder(course, "hotloop")
    assert stat.S_IMODE(course.stat().st_mode) == 0o2770, "a course that instructors share"


def test_it_says_which_folder_keeps_others_out(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    inside = tmp_path / "home" / "course-exchange"
    exchange.make(inside)
    (tmp_path / "home").chmod(0o700)
    assert exchange.closed(inside) == tmp_path / "home"
    inside.chmod(0o755)
    assert exchange.closed(inside) == inside
