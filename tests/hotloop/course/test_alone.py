"""While one grading has the machine alone, nothing of another runs, not even cells' threads."""

import tempfile
import threading
import time
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hotloop.course import grade as grading
from hotloop.course.attempts.attempt import Attempt, now
from hotloop.course.book import Book
from hotloop.course.executors import ExecutorWork, Outcomes
from hotloop.course.hand_in import HandIn
from hotloop.course.isolation import Isolation
from hotloop.course.notebook_run import NotebookRun, Terms
from hotloop.judge.lease import Lease
from hotloop.sandbox.confinement import Confinement
from hotloop.sandbox.process import Confined
from hotloop.sandbox.unconfined import launch_plain

from ..waiting import until

SPINS = """
import threading

def spin():
    while True:
        pass

threading.Thread(target=spin, daemon=True).start()
"""
WAITING = "waiting for the machine"
LOOK_S, SPINNING_S = 0.3, 0.01
"""Seconds that a kernel is observed, and CPU seconds that a busy kernel uses then at least."""
CLOCK = 1e9


@dataclass
class Grading:
    """A grading in a thread of this process, and the kernels that it has started."""

    lease: Lease
    started: list[Confined] = field(default_factory=list[Confined])
    waits: threading.Event = field(default_factory=threading.Event)
    said: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def run(self, cells: Sequence[tuple[str, str]], files: Path, judge: Any) -> threading.Thread:
        isolation = Isolation("none", self._launch)
        terms = Terms(judge_budget_s=60.0, isolation=lambda: isolation, judge=judge)
        notebook = NotebookRun(HandIn("ada", "tiny", {}), terms, files, self._say, self.lease)
        thread = threading.Thread(target=notebook.run, args=(cells,), daemon=True)
        thread.start()
        return thread

    def used_s(self, seconds: float = LOOK_S) -> float:
        """Return the CPU time that the kernel uses within `seconds`."""
        [kernel] = self.started
        before = kernel.freezer.usage().cpu_ns
        time.sleep(seconds)
        return (kernel.freezer.usage().cpu_ns - before) / CLOCK

    def _launch(self, confinement: Confinement) -> Confined:
        self.started.append(launch_plain(confinement))
        return self.started[-1]

    def _say(self, task: str, text: str) -> None:
        self.said.append((task, text))
        if text == WAITING:
            self.waits.set()


@pytest.fixture
def one(tmp_path: Path, course: Any) -> Grading:
    """A grading of the tiny module, with locks of its own."""
    return Grading(Lease(tmp_path / "lease"))


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "work.py").write_text("def work():\n    return 42\n")
    return folder


@pytest.mark.slow
def test_a_kernel_stands_still_while_another_has_the_machine_alone(
    one: Grading, files: Path, make: SimpleNamespace
) -> None:
    cells = [("", SPINS), ("", "import time; time.sleep(2)"), ("", "answered = 42")]
    cells += [("", "def answer():\n    return answered"), ("answer", "")]
    thread = one.run(cells, files, make.SmallJudge)
    until(lambda: one.said.count(("", "running cells")) == 2)
    assert one.used_s() > SPINNING_S, "the thread that its cell has started should spin"
    with one.lease.exclusive():
        assert one.waits.wait(60)
        assert one.used_s() == 0.0
    thread.join(60)
    assert not thread.is_alive()
    assert ("answer", "correct") in one.said


@pytest.mark.slow
def test_a_kernel_does_not_start_beside_one_who_measures(
    one: Grading, files: Path, make: SimpleNamespace
) -> None:
    with one.lease.exclusive():
        thread = one.run([("", "x = 1")], files, make.SmallJudge)
        assert one.waits.wait(60)
        time.sleep(LOOK_S)
        assert one.started == []
    thread.join(60)
    assert len(one.started) == 1


@pytest.mark.slow
def test_a_kernel_stands_still_while_a_file_is_judged(
    one: Grading, files: Path, make: SimpleNamespace
) -> None:
    used: list[float] = []

    class Looks(make.SmallJudge):
        def judge(self, job: Any, *rest: Any, **more: Any) -> Any:
            if job.listen is None:
                used.append(one.used_s())
            return super().judge(job, *rest, **more)

    cells = [("", SPINS), ("", "def answer():\n    return 42"), ("from_file", ""), ("answer", "")]
    thread = one.run(cells, files, Looks)
    thread.join(60)
    assert not thread.is_alive()
    assert used == [0.0]


@pytest.fixture
def own_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lease:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return Lease()


@pytest.mark.slow
def test_nothing_is_entered_beside_one_who_measures(
    own_locks: Lease, course: Any, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered: list[str] = []
    monkeypatch.setattr(Book, "enter", lambda _book, attempt: entered.append(attempt.student))
    course.submit("ada", make.lab())
    handed_over = threading.Event()

    class Elsewhere:
        """An executor that pretends to execute."""

        def run(
            self, works: Iterable[ExecutorWork], _terms: Any, _tell: Any
        ) -> Generator[Outcomes]:
            for work in works:
                handed_over.set()
                yield [(work.key, Attempt("ada", "tiny", "", "", {}, now(), 0.0, {}))]

        def has_gpu(self) -> bool:
            return False

    def grade() -> None:
        grading.grade(course.root, executor=Elsewhere(), feedback=False)

    thread = threading.Thread(target=grade, daemon=True)
    with own_locks.exclusive():
        thread.start()
        assert handed_over.wait(60)
        time.sleep(LOOK_S)
        assert entered == []
    thread.join(60)
    assert entered == ["ada"]
