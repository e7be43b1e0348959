"""Runs a submitted notebook cell by cell and has its tasks judged."""

import logging
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from nbformat import NotebookNode

from hotloop.core.record import Record
from hotloop.core.verdict import Verdict
from hotloop.course import nodes
from hotloop.course.hand_in import HandIn
from hotloop.course.isolation import Isolation, choose
from hotloop.course.judging import SETTLE_S, Judge, ask, shared_judge
from hotloop.course.judging_corrections import ruling
from hotloop.course.kernel import ConfinedKernel, KernelNotStarted, NotebookLimits
from hotloop.course.shown_only import NOT_RUN, left_to_run
from hotloop.judge.client import GRACE_S
from hotloop.judge.device import cards, kind
from hotloop.judge.files import digest
from hotloop.judge.gpu import devices
from hotloop.judge.job import Job
from hotloop.judge.launcher import default_threads, worker_environment
from hotloop.judge.lease import LONGEST_WAIT_S, Lease, Turn
from hotloop.sandbox.confinement import SandboxUnavailable, SubmissionRefused
from hotloop.sandbox.preload import imported
from hotloop.tasks.curriculum import Task, load_module
from hotloop.tasks.judged_again import settled
from hotloop.tasks.task_spec import task_spec
from hotloop.tasks.variants import digest_of
from hotloop.worker.notebook import CELL_S, NOTEBOOK_S

NOTEBOOK_SUFFIX = ".ipynb"
WAITING = "waiting for the machine"
_NO_SANDBOX = "The sandbox did not start; no points are lost, and the instructor has the log."

log = logging.getLogger("hotloop.course")


Say = Callable[[str, str], None]
"""Progress callback: a task, or "" while cells run, and what is being done."""


@dataclass(frozen=True)
class Terms:
    """Conditions under which notebooks are run and judged.

    cell_s, notebook_s: time limits in seconds for one cell and all cells of a learner.
    judge_budget_s: seconds for judging one task. memory_bytes: limit of a learner's notebook.
    checks: by task, the only checks to judge; other tasks are not judged; empty for everything.
    device: "cpu" does not use a GPU, so that checks that need one stay open; "" uses what exists.
    nsight: as in `Job`. isolation, judge: must be picklable, that is module-level functions, if
    another process executes.
    """

    cell_s: float = CELL_S
    notebook_s: float = NOTEBOOK_S
    judge_budget_s: float = 180.0
    memory_bytes: int = 4 << 30
    checks: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    device: Literal["", "cpu"] = ""
    nsight: bool = False
    isolation: Callable[[], Isolation] = choose
    judge: Callable[[], Judge] = shared_judge


class NotebookRun:
    """Runs the cells of one hand-in and has its tasks judged; `records` has the verdicts.

    files: the folder with its files. lease: of the machine, which is shared with other gradings.
    """

    def __init__(
        self, hand_in: HandIn, terms: Terms, files: Path, say: Say, lease: Lease | None = None
    ) -> None:
        self.isolation = terms.isolation()
        self.records: dict[str, Record] = {}
        self._hand_in, self._terms, self._files, self._say = hand_in, terms, files, say
        self._lease = lease or Lease()
        self._module = load_module(hand_in.module)
        self._digest = digest(files)
        self._tasks = tuple(terms.checks or hand_in.tasks)
        self._code = {task.id: task for task in self._module.tasks if task.kind == "code"}
        wanted = self._tasks or self._code
        self._wanted = [task for task in self._code.values() if task.id in wanted]
        self._in_kernel = [task for task in self._wanted if _needs_kernel(task)]
        self._kernel: ConfinedKernel | None = None
        self._refusal: tuple[Verdict, str] | None = None

    def run(self, cells: Sequence[tuple[str, str]]) -> list[list[NotebookNode]]:
        """Run all code cells in order, whatever each of them does; return their outputs.

        cells: the grade id of a graded cell, or "", and the source.
        """
        sources = [source for _, source in cells]
        self._start_kernel(sources)
        try:
            return [
                self._judged(self._code[grade_id])
                if grade_id in self._code
                else self._execute(left)
                if left or not source
                else [nodes.display({"text/plain": NOT_RUN})]
                for (grade_id, source), left in zip(cells, left_to_run(sources), strict=True)
            ]
        finally:
            if self._kernel is not None:
                self._kernel.close()

    def _start_kernel(self, sources: Sequence[str]) -> None:
        # Whether the speed of code in the kernel is judged.
        measured = any(c.threshold is not None for task in self._in_kernel for c in task.checks)
        launch = self.isolation.launch_for(imported(sources), measured=measured)
        if launch is None:
            self._refusal = (Verdict.NOT_MEASURED, self.isolation.refusal)
            return
        if self._hand_in.unreadable or not self._in_kernel:
            return
        gpu = self._uses_gpu()
        environment = devices.environment() if gpu else {}
        try:
            with self._turn():
                self._kernel = ConfinedKernel(
                    self._files,
                    launch,
                    self._limits(),
                    confined=self.isolation.confined,
                    # The same as the baseline's.
                    environment={**worker_environment(default_threads()), **environment},
                    # The first GPU is the one that the judge measures on.
                    devices=devices.nodes(cards()[0]) if gpu else (),
                )
        except SubmissionRefused as error:
            self._refusal = (Verdict.RUNTIME_ERROR, str(error))
        except SandboxUnavailable as error:
            self._refusal = (Verdict.NOT_MEASURED, f"Not run: {error}")
        except (KernelNotStarted, OSError) as error:
            log.error("%s: %s", self._module.id, error)
            self._refusal = (Verdict.JUDGE_ERROR, _NO_SANDBOX)

    def _uses_gpu(self) -> bool:
        """True if code in the kernel is judged on a GPU, and there is one.

        Other kernels get no GPU: their contexts would count as interference in measurements.
        """
        if (self._terms.device or kind()) != "cuda":
            return False
        return any(check.needs_gpu for task in self._in_kernel for check in task.checks)

    def _limits(self) -> NotebookLimits:
        """Return the kernel's limits, with time for judging all tasks.

        Each task has its own time, twice, because an undecided judging is repeated.
        """
        one = 2 * (self._terms.judge_budget_s + GRACE_S + SETTLE_S)
        return NotebookLimits(
            cell_s=self._terms.cell_s,
            notebook_s=self._terms.notebook_s,
            memory_bytes=self._terms.memory_bytes,
            judging_s=one * len(self._wanted) + LONGEST_WAIT_S,
        )

    def _execute(self, source: str) -> list[NotebookNode]:
        if self._kernel is None or not self._kernel.alive or self._is_done():
            return []
        with self._turn():
            self._say("", "running cells")
            _, outputs = self._kernel.execute(source)
        return outputs.nodes

    def _is_done(self) -> bool:
        """True if only some tasks were requested and later cells cannot affect them."""
        if not self._tasks:
            return False
        return all(task.id in self.records for task in self._in_kernel)

    def _judged(self, task: Task) -> list[NotebookNode]:
        """Judge a task; return no outputs, since the course's points may change: `book.filled`."""
        self._say(task.id, "judging")
        self.records[task.id] = self._judge(task)
        return []

    def _judge(self, task: Task) -> Record:
        if task not in self._wanted:
            return self._ruling(task, Verdict.NOT_MEASURED, "This task was left out this time.")
        if self._refusal is not None:
            return self._ruling(task, *self._refusal)
        if _needs_kernel(task) and self._hand_in.unreadable:
            return self._ruling(task, Verdict.RUNTIME_ERROR, self._hand_in.unreadable)
        kernel = self._kernel if _needs_kernel(task) else None
        if kernel is not None and not kernel.alive:
            assert kernel.death is not None
            return self._ruling(task, kernel.death.verdict, kernel.death.sentence)
        job = Job(
            module=self._module.id,
            task=task.id,
            spec=task_spec(self._module, task.id),
            files=str(self._files),
            listen=str(kernel.judge_socket) if kernel is not None else None,
            freezer=kernel.process.freezer.describe() if kernel is not None else None,
            isolation=self.isolation.name,
            budget_s=self._terms.judge_budget_s,
            submission_digest=self._digest,
            turns=True,
            checks=self._terms.checks.get(task.id),
            device=self._terms.device,
            nsight=self._terms.nsight,
            variant=self._hand_in.variant,
            given=self._hand_in.digests,
        )
        record = self._ask(job, kernel)
        if kernel is not None and not kernel.alive:
            return record
        # Otherwise code that wastes the judge's time could turn lost points into open ones.
        return settled(record, lambda left: self._ask(replace(job, checks=left), kernel))

    def _ask(self, job: Job, kernel: ConfinedKernel | None) -> Record:
        def say(text: str) -> None:
            self._say(job.task, text)

        with self._turn(job.task, lends=kernel is not None) as turn:
            return ask(self._terms.judge, job, kernel, say, turn.alone)

    @contextmanager
    def _turn(self, task: str = "", *, lends: bool = True) -> Generator[Turn]:
        """Wait for a turn on the machine, with the learner's leftover processes frozen.

        So they do not use a core during another grading's measurement. lends: the kernel is lent to
        the judge or runs a cell; otherwise it is frozen for the whole turn.
        """
        kernel, begun = self._kernel, False

        def wait() -> None:
            # During the turn, the judge freezes and thaws a kernel that is lent to it.
            if kernel is not None and not begun:
                kernel.hold()
            self._say(task, WAITING)

        with self._lease.turn(wait) as turn:
            begun = True
            if kernel is not None:
                kernel.let_go() if lends else kernel.hold()
            yield turn
            if kernel is not None and not lends:
                kernel.let_go()

    def _ruling(self, task: Task, verdict: Verdict, sentence: str) -> Record:
        variant = digest_of(self._hand_in.variant)
        about = (self._digest, self.isolation.name, variant)
        return ruling(self._module, task, verdict, sentence, *about)


def _needs_kernel(task: Task) -> bool:
    """False for a task that is a file: the judge runs it in a worker of its own."""
    return any(name.endswith(NOTEBOOK_SUFFIX) for name in task.files)
