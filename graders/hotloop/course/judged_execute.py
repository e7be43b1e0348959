"""nbgrader's execution step, with the judge in the place of the graded cells' text.

A learner's cells run in a confined kernel. A graded cell is not run as it stands: the judge is
asked for its verdict, with the kernel as its worker, and the cell's outputs are written from the
record.
Nothing that a cell prints, raises or destroys has a say in the points.
"""

from __future__ import annotations

import atexit
import json
import logging
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, Protocol, cast

from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Any as AnyTrait
from traitlets import Float, Integer, List, Unicode

from hotloop import curriculum
from hotloop.course import nodes, records, render_record
from hotloop.course.isolation import Isolation, choose
from hotloop.course.kernel import (
    SERVE_JUDGE,
    ConfinedKernel,
    Death,
    KernelNotStarted,
    Limits,
)
from hotloop.course.notebook_exporter import METADATA, find_notebook, read_ordinary
from hotloop.course.points import settle
from hotloop.course.rulings import ruling, with_death
from hotloop.course.sanitize import writable
from hotloop.course.snapshot import snapshot
from hotloop.curriculum import Module, Task
from hotloop.judge.client import GRACE_S, JudgeProcess, lost
from hotloop.judge.device import kind
from hotloop.judge.files import digest
from hotloop.judge.gpu import devices
from hotloop.judge.job import Job
from hotloop.judge.launcher import default_threads, worker_environment
from hotloop.judge.record import Record
from hotloop.judge.verdict import Verdict
from hotloop.sandbox.confinement import SandboxUnavailable, SubmissionRefused

RECORDS = "hotloop_records"
"""Key in nbconvert's resources under which records, by task, go to the next preprocessors."""

SUBMITTED = "submitted"
NOTEBOOK_SUFFIX = ".ipynb"
_SETTLE_S = 5.0
_POLL_S = 0.02

log = logging.getLogger("hotloop.course")

Progress = Callable[[str, str, str], None]
"""Called with student, task ("" while cells run) and what is being done."""


class Judge(Protocol):
    """What is asked for verdicts: `hotloop.judge.client.JudgeProcess`."""

    def judge(self, job: Job, on_progress: Callable[[str], None] = ...) -> Record:
        """The record of one job."""
        ...


class JudgedExecute(NbGraderPreprocessor):
    """Runs one submitted notebook and has its tasks judged."""

    cell_timeout_s = Float(60.0, help="Seconds that one cell of a learner may run.").tag(
        config=True
    )
    notebook_timeout_s = Float(
        600.0, help="Seconds that all cells of a learner together may run."
    ).tag(config=True)
    judge_budget_s = Float(180.0, help="Seconds that judging one task may take.").tag(config=True)
    memory_mib = Integer(4096, help="MiB of memory that a learner's notebook may use.").tag(
        config=True
    )
    tasks = List(
        Unicode(), help="Judge only these tasks; the others stay pending. Empty: all."
    ).tag(config=True)
    isolation = AnyTrait(choose, help="Gives the hotloop Isolation to run under.").tag(config=True)
    judge_factory = AnyTrait(None, allow_none=True, help="Makes the judge.").tag(config=True)
    on_progress = AnyTrait(None, allow_none=True, help="Hears what is being done.").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Judge the notebook's tasks; the records go into `resources` and into the course."""
        names = resources["nbgrader"]
        module = curriculum.load_module(names["assignment"])
        folder = Path(resources["metadata"]["path"])
        root = folder.parents[2]
        handed_in = root / SUBMITTED / names["student"] / module.id
        with tempfile.TemporaryDirectory(prefix="hotloop-submission-") as copy:
            files = Path(copy)
            notes = [*nb.metadata.get(METADATA, {}).get("notes", []), *snapshot(folder, files)]
            notes = [writable(note) for note in notes]
            _put_back_notebooks(handed_in, files)
            run = _Run(self, module, names["student"], files, self.isolation())
            run.unreadable = str(nb.metadata.get(METADATA, {}).get("unreadable", ""))
            run.run(cast(list[NotebookNode], nb.cells))
        resources[RECORDS] = run.records
        nb.metadata[METADATA] = {"notes": notes}
        grading = records.Grading(
            names["student"], module.id, run.digest, records.now(), notes, run.records
        )
        records.keep(root, grading)
        return nb, resources

    def judge(self) -> Judge:
        """The judge to ask: one process for all notebooks, unless another kind is configured."""
        if self.judge_factory is not None:
            return self.judge_factory()
        return _shared_judge()

    def limits(self, tasks: int) -> Limits:
        """What the kernel may use; it lives while `tasks` tasks are judged."""
        return Limits(
            cell_s=self.cell_timeout_s,
            notebook_s=self.notebook_timeout_s,
            judging_s=tasks * (self.judge_budget_s + GRACE_S + _SETTLE_S),
            memory_bytes=self.memory_mib << 20,
        )

    def say(self, student: str, task: str, text: str) -> None:
        """Tell whoever watches."""
        if self.on_progress is not None:
            self.on_progress(student, task, text)


class _Run:
    """One notebook's way through kernel and judge."""

    def __init__(
        self,
        settings: JudgedExecute,
        module: Module,
        student: str,
        files: Path,
        isolation: Isolation,
    ) -> None:
        self.settings = settings
        self.module = module
        self.student = student
        self.files = files
        self.isolation = isolation
        self.digest = digest(files)
        self.unreadable = ""
        self.records: dict[str, Record] = {}
        self.kernel: ConfinedKernel | None = None
        self.refusal: tuple[Verdict, str] | None = None

    def run(self, cells: list[NotebookNode]) -> None:
        """All cells in order, whatever becomes of each."""
        tasks = {task.id: task for task in self.module.tasks if task.kind == "code"}
        self._start_kernel()
        try:
            count = 0
            for cell in cells:
                if cell.cell_type != "code":
                    continue
                count += 1
                cell.execution_count = count
                task = tasks.get(_graded_id(cell))
                if task is None:
                    self._execute(cell)
                else:
                    self._judge_cell(cell, task)
        finally:
            if self.kernel is not None:
                self.kernel.close()

    def _start_kernel(self) -> None:
        if self.isolation.launch is None:
            self.refusal = (Verdict.NOT_MEASURED, self.isolation.refusal)
            return
        if self.unreadable or not any(map(_needs_kernel, self._wanted())):
            return
        try:
            self.kernel = ConfinedKernel(
                self.files,
                self.isolation.launch,
                self.settings.limits(len(self._wanted())),
                confined=self.isolation.confined,
                environment=_environment(),
                devices=_devices(),
            )
        except SubmissionRefused as error:
            self.refusal = (Verdict.RUNTIME_ERROR, str(error))
        except SandboxUnavailable as error:
            self.refusal = (Verdict.NOT_MEASURED, f"Not run: {error}")
        except (KernelNotStarted, OSError) as error:
            log.error("%s: %s", self.student, error)
            self.refusal = (
                Verdict.JUDGE_ERROR,
                "The sandbox did not start; no points are lost, and the instructor has the log.",
            )

    def _execute(self, cell: NotebookNode) -> None:
        if self.kernel is None or not self.kernel.alive or self._is_done():
            return
        self.settings.say(self.student, "", "running cells")
        _, outputs = self.kernel.execute(cell.source)
        cell.outputs = outputs.nodes

    def _judge_cell(self, cell: NotebookNode, task: Task) -> None:
        self.settings.say(self.student, task.id, "judging")
        record = self._judge(task)
        self.records[task.id] = record
        cell.outputs = [_shown(record, self.module)]

    def _wanted(self) -> list[Task]:
        """The tasks to judge: all that have code, or those that the settings name."""
        names = set(cast(Any, self.settings).tasks)
        code = [task for task in self.module.tasks if task.kind == "code"]
        return [task for task in code if not names or task.id in names]

    def _is_done(self) -> bool:
        """When only some tasks were asked for: no later cell can have a say in them."""
        if not cast(Any, self.settings).tasks:
            return False
        return all(t.id in self.records for t in self._wanted() if _needs_kernel(t))

    def _judge(self, task: Task) -> Record:
        if task not in self._wanted():
            return self._ruling(task, Verdict.NOT_MEASURED, "This task was left out this time.")
        if self.refusal is not None:
            return self._ruling(task, *self.refusal)
        if _needs_kernel(task) and self.unreadable:
            return self._ruling(task, Verdict.RUNTIME_ERROR, self.unreadable)
        kernel = self.kernel if _needs_kernel(task) else None
        if kernel is not None and not kernel.alive:
            death = cast(Death, kernel.death)
            return self._ruling(task, death.verdict, death.sentence)
        job = Job(
            module=self.module.id,
            task=task.id,
            files=str(self.files),
            listen=str(kernel.judge_socket) if kernel is not None else None,
            freezer=kernel.process.freezer.describe() if kernel is not None else None,
            isolation=self.isolation.name,
            budget_s=self.settings.judge_budget_s,
            submission_digest=self.digest,
        )
        return self._ask(job, kernel)

    def _ask(self, job: Job, kernel: ConfinedKernel | None) -> Record:
        """The judge's record. Once the judge listens, the kernel is lent to it."""
        request = None
        future = _judging.submit(self._ask_judge, job)
        try:
            while kernel is not None and request is None and not future.done():
                if kernel.judge_socket.exists():
                    request = kernel.begin(SERVE_JUDGE)
                wait([future], timeout=_POLL_S)
            record = future.result()
        except BaseException:
            # Somebody pressed Ctrl-C: do not leave the judge at work until its budget ends.
            _end_shared_judge()
            raise
        if kernel is None or request is None or kernel.settle(request, _SETTLE_S):
            return record
        return with_death(record, kernel.death)

    def _ask_judge(self, job: Job) -> Record:
        def say(text: str) -> None:
            self.settings.say(self.student, job.task, text)

        try:
            return _writable_record(self.settings.judge().judge(job, say))
        except Exception as error:
            log.exception("judging %s.%s failed", job.module, job.task)
            return lost(job, error)

    def _ruling(self, task: Task, verdict: Verdict, sentence: str) -> Record:
        return ruling(self.module, task, verdict, sentence, self.digest, self.isolation.name)


def _needs_kernel(task: Task) -> bool:
    """False for a task whose candidate is a file: the judge runs that in a worker of its own."""
    return any(name.endswith(NOTEBOOK_SUFFIX) for name in task.files)


def _put_back_notebooks(handed_in: Path, files: Path) -> None:
    """The learner's own notebook in the place of the repaired one: it is what was handed in."""
    known = [path.stem for path in files.glob(f"*{NOTEBOOK_SUFFIX}")]
    for path in files.glob(f"*{NOTEBOOK_SUFFIX}"):
        source, _ = find_notebook(handed_in / path.name, known)
        path.write_bytes((read_ordinary(source) if source else None) or b"")


def _graded_id(cell: NotebookNode) -> str:
    """The grade id of an automatically graded cell, else nothing."""
    metadata = cell.metadata.get("nbgrader", {})
    graded = metadata.get("grade", False) and not metadata.get("solution", False)
    return str(metadata.get("grade_id", "")) if graded else ""


def _shown(record: Record, module: Module) -> NotebookNode:
    score = settle(module, record.task, record)
    worth = {rung.id: float(rung.points) for rung in module.task(record.task).rungs}
    data = {
        "text/html": render_record.html(record, score, worth),
        "text/plain": render_record.text(record, score),
    }
    return nodes.display(data)


def _writable_record(record: Record) -> Record:
    """A sentence may quote a learner's message, half characters included."""
    return Record.from_json(json.loads(writable(json.dumps(record.to_json(), ensure_ascii=False))))


def _environment() -> dict[str, str]:
    """The candidate starts as the baseline does that it is compared with."""
    gpu = devices.environment() if kind() == "cuda" else {}
    return {**worker_environment(default_threads()), **gpu}


def _devices() -> tuple[str, ...]:
    """The first GPU, where there is one: that is the card that the judge measures on."""
    if kind() != "cuda":
        return ()
    cards = [path.name.removeprefix("nvidia") for path in devices.DEV.glob("nvidia[0-9]*")]
    return devices.nodes(min(map(int, cards), default=0))


_judge: JudgeProcess | None = None
_judging = ThreadPoolExecutor(max_workers=1, thread_name_prefix="hotloop-judge")
"""One thread for the whole process: a judge dies with the thread that has started it."""


def _end_shared_judge() -> None:
    if _judge is not None:
        _judge.kill()


def _shared_judge() -> JudgeProcess:
    global _judge
    if _judge is None:
        _judge = JudgeProcess()
        atexit.register(_judge.close)
    return _judge
