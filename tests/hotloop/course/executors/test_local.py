"""Several submissions in parallel: none is lost, whatever happens to a grading process."""

import importlib
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hotloop.core import paths
from hotloop.course.attempts.store import store
from hotloop.course.grade import grade
from hotloop.course.progress import Progress

from ...waiting import is_alive, until

STUDENTS = ("ada", "bob", "cyd", "dan")

IN_A_GRADING_PROCESS = """
import importlib.util
import os
import signal
import sys
import tempfile
from pathlib import Path

from hotloop.core import paths
from hotloop.course.isolation import Isolation
from hotloop.sandbox.unconfined import launch_plain

paths.root = lambda: Path({data!r})
tempfile.tempdir = {temporary!r}
spec = importlib.util.spec_from_file_location("tiny_course", {conftest!r})
tiny_course = importlib.util.module_from_spec(spec)
sys.modules["tiny_course"] = tiny_course
spec.loader.exec_module(tiny_course)


class JudgeThatMayDie(tiny_course.SmallJudge):
    def judge(self, job, *rest, **more):
        if (Path(str(job.files)) / "die").exists():
            os.kill(os.getpid(), signal.SIGKILL)
        return super().judge(job, *rest, **more)


def unconfined():
    return Isolation("none", launch_plain)
"""
"""Source that the grading processes import.

It has the tiny module's data, a judge, no sandbox, and locks used by no other test.
"""


@pytest.fixture
def settings(
    tmp_path: Path, prepared: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[dict[str, Any]]:
    """Writes the module that grading processes import; yields settings that name its contents."""
    name = f"grading_{tmp_path.name}"
    # A kernel's sockets are in it, and the path of a socket has a length limit.
    short = tempfile.mkdtemp(prefix="pool-")
    source = IN_A_GRADING_PROCESS.format(
        data=str(prepared / "data"),
        temporary=short,
        conftest=str(Path(__file__).parents[1] / "conftest.py"),
    )
    (tmp_path / f"{name}.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    # This process imports it too, and restores its own paths afterwards.
    monkeypatch.setattr("hotloop.core.paths.root", paths.root)
    monkeypatch.setattr(tempfile, "tempdir", tempfile.tempdir)
    module = importlib.import_module(name)
    yield {"judge_factory": module.JudgeThatMayDie, "isolation": module.unconfined}
    del sys.modules[name]
    shutil.rmtree(short, ignore_errors=True)


@pytest.mark.slow
def test_what_came_of_each_is_given_in_their_order(
    course: Any, make: SimpleNamespace, settings: dict[str, Any]
) -> None:
    for student, answer in zip(STUDENTS, ("42", "41", "42", "0"), strict=True):
        course.submit(student, make.lab(answer))
    steps: list[Progress] = []
    graded = grade(course.root, settings=settings, on_progress=steps.append, jobs=2)
    answers = [(r.student, r.verdict) for r in graded.results if r.task == "answer"]
    right, wrong = "passed", "wrong_answer"
    assert graded.problems == {}, graded.problems
    assert answers == [("ada", right), ("bob", wrong), ("cyd", right), ("dan", wrong)]
    assert graded.problems == {}
    assert len(graded.feedback) == len(STUDENTS)
    assert {step.student for step in steps} == set(STUDENTS)
    assert {step.total for step in steps} == {len(STUDENTS)}


@pytest.mark.slow
def test_a_process_that_dies_loses_its_own_submission_alone(
    course: Any, make: SimpleNamespace, settings: dict[str, Any]
) -> None:
    for student in STUDENTS:
        course.submit(student, make.lab(), files={"die": ""} if student == "bob" else None)
    graded = grade(course.root, settings=settings, jobs=2)
    assert list(graded.problems) == ["bob/tiny"], graded.problems
    verdicts = course.verdicts(graded)
    assert verdicts["bob"]["answer"] == "judge_error"
    assert {verdicts[s]["answer"] for s in STUDENTS if s != "bob"} == {"passed"}
    for student in STUDENTS:
        expected = None if student == "bob" else student
        grading = store(course.root).published(student, "tiny")
        assert (grading.student if grading else None) == expected


@pytest.mark.slow
def test_ctrl_c_ends_the_batch(
    course: Any, make: SimpleNamespace, settings: dict[str, Any]
) -> None:
    for student in STUDENTS:
        course.submit(student, make.lab())

    def press(_step: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grade(course.root, settings=settings, on_progress=press, jobs=2)


ORPHANED_WHILE_STARTING = """
import multiprocessing
import os
import signal
import sys
import time
from pathlib import Path

from hotloop.course.notebook_run import Terms
from hotloop.course.executors import local


FOLDER = Path(sys.argv[1])


def start_late():
    parent = os.getppid()
    (FOLDER / "new").write_text(str(os.getpid()))
    (FOLDER / "new").rename(FOLDER / "started")
    while os.getppid() == parent:
        time.sleep(0.01)
    local._begin(None, Terms())
    (FOLDER / "went_on").touch()


if __name__ == "__main__":
    multiprocessing.get_context("spawn").Process(target=start_late).start()
    while not (FOLDER / "started").exists():
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGKILL)
"""
"""Kills a batch while one of its processes is starting, before that process asks to end with it.

Otherwise that process would never end.
"""


@pytest.mark.slow
def test_a_process_whose_batch_was_killed_while_it_started_ends_by_itself(tmp_path: Path) -> None:
    script = tmp_path / "batch.py"
    script.write_text(ORPHANED_WHILE_STARTING)
    batch = subprocess.run([sys.executable, str(script), str(tmp_path)], check=False)
    assert batch.returncode == -signal.SIGKILL
    started = (tmp_path / "started").read_text()
    until(lambda: not is_alive(started))
    assert not (tmp_path / "went_on").exists()


@pytest.mark.slow
def test_a_process_that_only_executes_imports_no_nbgrader() -> None:
    heavy = ("nbgrader", "nbconvert", "sqlalchemy", "alembic")
    source = f"import hotloop.course.executors.local, sys; print(sys.modules.keys() & set({heavy}))"
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"
