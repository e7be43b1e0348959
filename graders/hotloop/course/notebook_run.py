"""Runs a submitted notebook cell by cell and has its tasks judged."""

import logging
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from nbformat import NotebookNode

from hotloop.core.record import Record
from hotloop.core.verdict import Verdict
from hotloop.course import nodes
from hotloop.course.isolation import Isolation
from hotloop.course.judging import SETTLE_S, Judge, ask
from hotloop.course.judging_corrections import ruling
from hotloop.course.kernel import ConfinedKernel, KernelNotStarted, NotebookLimits
from hotloop.judge.client import GRACE_S
from hotloop.judge.device import cards, kind
from hotloop.judge.files import digest
from hotloop.judge.gpu import devices
from hotloop.judge.job import Job
from hotloop.judge.launcher import default_threads, worker_environment
from hotloop.judge.lease import LONGEST_WAIT_S, Lease, Turn
from hotloop.sandbox.confinement import SandboxUnavailable, SubmissionRefused
from hotloop.sandbox.preload import imported
from hotloop.tasks.curriculum import Module, Task
from hotloop.tasks.judged_again import settled
from hotloop.tasks.problem import settle
from hotloop.tasks.task_spec import task_spec
from hotloop.tasks.variants import digest_of
from hotloop.verdicts import render_record

NOTEBOOK_SUFFIX = ".ipynb"
_WAITING = "waiting for the machine"
_NO_SANDBOX = "The sandbox did not start; no points are lost, and the instructor has the log."

log = logging.getLogger("hotloop.course")


@dataclass(frozen=True)
class RunSettings:
    """How notebooks are run and judged.

    tasks: the only ones to judge; empty for all. checks: by task, the only checks to judge. device,
    nsight, variant, given: as in `Job`. say: called with a task ("" while cells run) and what is
    being done. lease: of the machine, which is shared with other gradings.
    """

    limits: NotebookLimits
    judge_budget_s: float
    tasks: Collection[str]
    isolation: Isolation
    judge: Callable[[], Judge]
    say: Callable[[str, str], None]
    checks: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    device: Literal["", "cpu"] = ""
    nsight: bool = False
    variant: Mapping[str, Any] | None = None
    given: Mapping[str, str] = field(default_factory=dict[str, str])
    lease: Lease = field(default_factory=Lease)


class NotebookRun:
    """Runs the cells of one notebook and has its tasks judged; `records` has the verdicts.

    files: the submission's folder. unreadable: why the notebook could not be read, or "".
    """

    def __init__(
        self, settings: RunSettings, module: Module, files: Path, unreadable: str = ""
    ) -> None:
        self.settings = settings
        self.module = module
        self.files = files
        self.unreadable = unreadable
        self.digest = digest(files)
        self.records: dict[str, Record] = {}
        self._code = {task.id: task for task in module.tasks if task.kind == "code"}
        wanted = settings.tasks or self._code
        self._wanted = [task for task in self._code.values() if task.id in wanted]
        self._in_kernel = [task for task in self._wanted if _needs_kernel(task)]
        self._kernel: ConfinedKernel | None = None
        self._refusal: tuple[Verdict, str] | None = None

    def run(self, cells: Sequence[tuple[str, str]]) -> list[list[NotebookNode]]:
        """Run all code cells in order, whatever each of them does; return their outputs.

        cells: the grade id of a graded cell, or "", and the source.
        """
        self._start_kernel([source for _, source in cells])
        try:
            return [
                [self._judged(self._code[grade_id])]
                if grade_id in self._code
                else self._execute(source)
                for grade_id, source in cells
            ]
        finally:
            if self._kernel is not None:
                self._kernel.close()

    def _start_kernel(self, sources: Sequence[str]) -> None:
        isolation = self.settings.isolation
        # Whether the speed of code in the kernel is judged.
        measured = any(c.threshold is not None for task in self._in_kernel for c in task.checks)
        launch = isolation.launch_for(imported(sources), measured=measured)
        if launch is None:
            self._refusal = (Verdict.NOT_MEASURED, isolation.refusal)
            return
        if self.unreadable or not self._in_kernel:
            return
        gpu = self._uses_gpu()
        environment = devices.environment() if gpu else {}
        try:
            with self._turn():
                self._kernel = ConfinedKernel(
                    self.files,
                    launch,
                    self._limits(),
                    confined=isolation.confined,
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
            log.error("%s: %s", self.module.id, error)
            self._refusal = (Verdict.JUDGE_ERROR, _NO_SANDBOX)

    def _uses_gpu(self) -> bool:
        """True if code in the kernel is judged on a GPU, and there is one.

        Other kernels get no GPU: their contexts would count as interference in measurements.
        """
        if (self.settings.device or kind()) != "cuda":
            return False
        return any(check.needs_gpu for task in self._in_kernel for check in task.checks)

    def _limits(self) -> NotebookLimits:
        """Return the kernel's limits, with time for judging all tasks.

        Each task has its own time, twice, because an undecided judging is repeated.
        """
        one = 2 * (self.settings.judge_budget_s + GRACE_S + SETTLE_S)
        return replace(self.settings.limits, judging_s=one * len(self._wanted) + LONGEST_WAIT_S)

    def _execute(self, source: str) -> list[NotebookNode]:
        if self._kernel is None or not self._kernel.alive or self._is_done():
            return []
        with self._turn():
            self.settings.say("", "running cells")
            _, outputs = self._kernel.execute(source)
        return outputs.nodes

    def _is_done(self) -> bool:
        """True if only some tasks were requested and later cells cannot affect them."""
        if not self.settings.tasks:
            return False
        return all(task.id in self.records for task in self._in_kernel)

    def _judged(self, task: Task) -> NotebookNode:
        self.settings.say(task.id, "judging")
        record = self._judge(task)
        self.records[task.id] = record
        return shown(record, self.module)

    def _judge(self, task: Task) -> Record:
        if task not in self._wanted:
            return self._ruling(task, Verdict.NOT_MEASURED, "This task was left out this time.")
        if self._refusal is not None:
            return self._ruling(task, *self._refusal)
        if _needs_kernel(task) and self.unreadable:
            return self._ruling(task, Verdict.RUNTIME_ERROR, self.unreadable)
        kernel = self._kernel if _needs_kernel(task) else None
        if kernel is not None and not kernel.alive:
            assert kernel.death is not None
            return self._ruling(task, kernel.death.verdict, kernel.death.sentence)
        job = Job(
            module=self.module.id,
            task=task.id,
            spec=task_spec(self.module, task.id),
            files=str(self.files),
            listen=str(kernel.judge_socket) if kernel is not None else None,
            freezer=kernel.process.freezer.describe() if kernel is not None else None,
            isolation=self.settings.isolation.name,
            budget_s=self.settings.judge_budget_s,
            submission_digest=self.digest,
            turns=True,
            checks=self.settings.checks.get(task.id),
            device=self.settings.device,
            nsight=self.settings.nsight,
            variant=self.settings.variant,
            given=self.settings.given,
        )
        record = self._ask(job, kernel)
        if kernel is not None and not kernel.alive:
            return record
        # Otherwise code that wastes the judge's time could turn lost points into open ones.
        return settled(record, lambda left: self._ask(replace(job, checks=left), kernel))

    def _ask(self, job: Job, kernel: ConfinedKernel | None) -> Record:
        def say(text: str) -> None:
            self.settings.say(job.task, text)

        with self._turn(job.task, lends=kernel is not None) as turn:
            return ask(self.settings.judge, job, kernel, say, turn.alone)

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
            self.settings.say(task, _WAITING)

        with self.settings.lease.turn(wait) as turn:
            begun = True
            if kernel is not None:
                kernel.let_go() if lends else kernel.hold()
            yield turn
            if kernel is not None and not lends:
                kernel.let_go()

    def _ruling(self, task: Task, verdict: Verdict, sentence: str) -> Record:
        isolation = self.settings.isolation.name
        variant = digest_of(self.settings.variant)
        return ruling(self.module, task, verdict, sentence, self.digest, isolation, variant)


def _needs_kernel(task: Task) -> bool:
    """False for a task that is a file: the judge runs it in a worker of its own."""
    return any(name.endswith(NOTEBOOK_SUFFIX) for name in task.files)


def shown(record: Record, module: Module) -> NotebookNode:
    """Return the output below a task's cell."""
    score = settle(module, record.task, record)
    worth = {check.id: float(check.points) for check in module.task(record.task).checks}
    data = {
        "text/html": render_record.html(record, score, worth),
        "text/plain": render_record.text(record, score),
    }
    return nodes.display(data)
