"""A course on a tiny module, with a minimal judge and a real kernel."""

import json
import re
import shutil
import socket
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from hotloop import __version__
from hotloop.core import paths, wire
from hotloop.core.record import CheckRecord, Circumstances, Record, summarize
from hotloop.core.verdict import Verdict
from hotloop.course import grade as grading
from hotloop.course.isolation import Isolation, choose
from hotloop.course.prepare import prepare
from hotloop.course.results import Graded
from hotloop.judge.job import Job
from hotloop.sandbox.unconfined import launch_plain
from hotloop.tasks import curriculum

# Warnings of nbgrader 0.9.6 about its own dependencies.
_FOREIGN_WARNINGS = (
    "ignore::sqlalchemy.exc.SAWarning",
    "ignore::DeprecationWarning",
    "ignore::PendingDeprecationWarning",
    "ignore::ResourceWarning",
    "ignore::pytest.PytestUnraisableExceptionWarning",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            for warning in _FOREIGN_WARNINGS:
                item.add_marker(pytest.mark.filterwarnings(warning))


MODULE_YAML = """
id: tiny
title: Tiny
track: only
tier: beginner
summary: As little as there can be.
prerequisites: {}
concepts: [one]
hardware: {cpu_cores: 1, memory_gib: 1, gpu: none, without_gpu: nearly everything}
versions: []
tasks:
  - &task
    id: answer
    title: Answer
    goal: Return 42.
    minutes: 1
    difficulty: 1
    importance: 1
    kind: code
    entry: answer
    files: [lab.ipynb]
    hints: [a, b, c]
    checks:
      - {id: correct, points: 4, what: the number is right}
  - <<: *task
    id: gpu_answer
    entry: gpu_answer
    checks:
      - {id: correct, points: 3, what: the number is right}
      - {id: gpu_correct, points: 2, needs_gpu: true, what: on a GPU too}
  - <<: *task
    id: from_file
    entry: work
    files: [work.py]
    checks:
      - {id: correct, points: 5, what: the file says 42}
  - id: explain
    title: Explain
    goal: Say why.
    minutes: 1
    difficulty: 1
    importance: 1
    kind: written
    files: [lab.ipynb]
    hints: [a, b, c]
    checks:
      - {id: written, points: 6, what: a person reads it}
    rubric: {0: a, 1: b, 2: c, 3: d, 4: e}
"""

CURRICULUM_YAML = """
title: Test
tiers: [beginner]
tracks: [{id: only, title: Only, summary: One., modules: [tiny]}]
concepts: [{id: one, title: One, summary: One.}]
"""

WORK = "def work():\n    return 0\n"


def graded(grade_id: str, points: int) -> Any:
    meta = {"grade": True, "solution": False, "locked": True, "points": points}
    return new_code_cell(f"check('tiny.{grade_id}')", metadata=_nbgrader(grade_id, **meta))


def solution(grade_id: str, source: str) -> Any:
    meta = {"grade": False, "solution": True, "locked": False}
    return new_code_cell(source, metadata=_nbgrader(grade_id, **meta))


def _nbgrader(grade_id: str, **more: Any) -> dict[str, Any]:
    return {"nbgrader": {"schema_version": 3, "grade_id": grade_id, "task": False, **more}}


def lab(answer: str = "42", gpu_answer: str = "42", explain: str = "", setup: str = "") -> Any:
    """The tiny module's notebook; with "…" as answers it is the exercise."""
    written = {"grade": True, "solution": True, "locked": False, "points": 6}
    cells = [
        new_markdown_cell("# Tiny\n<details><summary>Hint</summary>\n\n42\n\n</details>"),
        new_code_cell(setup or "from hotloop import check"),
        solution("answer_solution", f"def answer():\n    return {answer}"),
        graded("answer", 4),
        solution("gpu_answer_solution", f"def gpu_answer():\n    return {gpu_answer}"),
        graded("gpu_answer", 5),
        graded("from_file", 5),
        new_markdown_cell(explain or "Write here.", metadata=_nbgrader("explain", **written)),
    ]
    for number, cell in enumerate(cells):
        cell.id = cell.metadata.get("nbgrader", {}).get("grade_id", f"plain-{number}")
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return new_notebook(cells=cells, metadata=metadata)


class SmallJudge:
    """Asks the kernel for one number, or reads one file; the right answer is 42.

    It uses the real protocol, in which the kernel's own claims earn nothing.
    """

    def judge(
        self,
        job: Job,
        on_progress: Callable[[str], None] = lambda _text: None,
        *,
        turn: Callable[[], None] = lambda: None,
    ) -> Record:
        on_progress("correct")
        first = self._correct(job)
        checks = [first]
        if job.task == "gpu_answer":
            verdict, sentence = Verdict.NOT_MEASURED, "There is no GPU here."
            if first.verdict is not Verdict.PASSED:
                verdict, sentence = first.verdict, first.sentence
            checks.append(CheckRecord("gpu_correct", verdict, sentence))
        verdict, sentence = summarize(checks)
        return Record(job.module, job.task, verdict, sentence, tuple(checks), circumstances(job))

    def _correct(self, job: Job) -> CheckRecord:
        if job.task == "from_file":
            path = Path(str(job.files)) / "work.py"
            if not path.is_file():
                return CheckRecord("correct", Verdict.RUNTIME_ERROR, "Hand in work.py too.")
            text = path.read_text()
            value: Any = 42 if re.search(r"return 42\b", text) else text
        else:
            value = self._ask(job)
            if isinstance(value, CheckRecord):
                return value
        if value == 42 and not isinstance(value, bool):
            return CheckRecord("correct", Verdict.PASSED, "Right.", 1.0)
        return CheckRecord("correct", Verdict.WRONG_ANSWER, f"It returned {value!r:.80}, not 42.")

    def _ask(self, job: Job) -> Any:
        if job.listen is None:
            return CheckRecord("correct", Verdict.RUNTIME_ERROR, "There is no kernel.")
        path = Path(job.listen)
        # The kernel connects as soon as the path exists, so it appears once somebody listens.
        unready = path.with_suffix(".new")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(unready))
            unready.chmod(0o777)
            listener.listen(1)
            listener.settimeout(10)
            unready.rename(path)
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                return CheckRecord("correct", Verdict.RUNTIME_ERROR, "Nobody came.")
            finally:
                path.unlink()
        with connection:
            try:
                return self._call(connection, job)
            except wire.WireTimeout:
                return CheckRecord("correct", Verdict.TIMEOUT, "It took too long.")
            except wire.WireError:
                return CheckRecord("correct", Verdict.RUNTIME_ERROR, "The worker ended.")

    def _call(self, connection: socket.socket, job: Job) -> Any:
        for message in (
            {"op": "resolve", "name": job.task, "file": None},
            {
                "op": "plan",
                "calls": [{"args": [], "returns": None}],
                "framework": "numpy",
                "style": "json",
            },
            {"op": "run"},
        ):
            wire.send(connection, message)
            reply = wire.receive(connection, time.monotonic() + 8)
            if not reply.get("ok"):
                said = str(reply.get("error", {}).get("message", ""))
                return CheckRecord("correct", Verdict.RUNTIME_ERROR, f"It failed: {said}")
        value = reply["returned"][0].get("json")
        wire.send(connection, {"op": "bye"})
        return value


def circumstances(job: Job) -> Circumstances:
    return Circumstances(
        job.submission_digest, __version__, "", "test", "", {}, "00", job.isolation, "now", 0.1
    )


@dataclass
class Course:
    """A course folder, and the actions of tests on it."""

    root: Path
    settings: dict[str, Any] = field(default_factory=dict)

    def submit(
        self, student: str, notebook: Any = None, files: dict[str, Any] | None = None
    ) -> Path:
        """Write a submission; `notebook` is a notebook node, bytes, or None for no notebook."""
        folder = self.root / "submitted" / student / "tiny"
        folder.mkdir(parents=True, exist_ok=True)
        if notebook is not None:
            data = notebook if isinstance(notebook, bytes) else json.dumps(notebook).encode()
            (folder / "lab.ipynb").write_bytes(data)
        for name, content in {"work.py": "def work():\n    return 42\n", **(files or {})}.items():
            (folder / name).write_text(content)
        return folder

    def grade(self, *students: str, **settings: Any) -> Graded:
        wanted = set(students) or None
        return grading.grade(self.root, students=wanted, settings={**self.settings, **settings})

    def verdicts(self, graded: Graded) -> dict[str, dict[str, str]]:
        found: dict[str, dict[str, str]] = {}
        for result in graded.results:
            found.setdefault(result.student, {})[result.task] = result.verdict
        return found

    def page(self, student: str) -> str:
        return (self.root / "feedback" / student / "tiny" / "lab.html").read_text()

    def autograded(self, student: str) -> Any:
        return json.loads((self.root / "autograded" / student / "tiny" / "lab.ipynb").read_text())


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data tree with the tiny module, and a released course on it; made once, then copied."""
    root = tmp_path_factory.mktemp("prepared")
    data = root / "data"
    (data / "curriculum" / "tiny").mkdir(parents=True)
    (data / "exercises" / "tiny").mkdir(parents=True)
    (data / "curriculum" / "curriculum.yaml").write_text(CURRICULUM_YAML)
    (data / "curriculum" / "tiny" / "module.yaml").write_text(MODULE_YAML)
    nbformat.write(lab("...", "..."), data / "exercises" / "tiny" / "lab.ipynb")
    (data / "exercises" / "tiny" / "work.py").write_text(WORK)
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _use_data(patch, data)
        prepare(root / "course", ["tiny"])
    _forget_modules()
    return root


@pytest.fixture
def course(
    tmp_path: Path, prepared: Path, monkeypatch: pytest.MonkeyPatch, plain: Isolation
) -> Iterator[Course]:
    """A released course with unsandboxed kernels, for tests that are not about the sandbox."""
    root = tmp_path / "course"
    shutil.copytree(prepared / "course", root)
    _use_data(monkeypatch, prepared / "data")
    settings = {"judge_factory": SmallJudge, "isolation": lambda: plain, "cell_timeout_s": 3.0}
    yield Course(root, settings)
    _forget_modules()


def _use_data(patch: pytest.MonkeyPatch, data: Path) -> None:
    patch.setattr(paths, "root", lambda: data)
    _forget_modules()


def _forget_modules() -> None:
    curriculum.load_module.cache_clear()
    curriculum.curriculum.cache_clear()


@pytest.fixture
def make() -> SimpleNamespace:
    """Helpers of this file for test modules."""
    return SimpleNamespace(lab=lab, SmallJudge=SmallJudge, Course=Course, solution=solution)


@pytest.fixture
def plain() -> Isolation:
    """Isolation without a sandbox, for tests that run trusted code."""
    return Isolation("none", launch_plain)


@pytest.fixture
def confined_course(course: Course) -> Course:
    """The same course with its kernels in the sandbox."""
    course.settings["isolation"] = choose
    return course
