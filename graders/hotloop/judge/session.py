"""The interface that a check has to the candidate, workers, secrets and time limits of one task."""

import logging
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar, cast

import numpy as np

from hotloop.core.record import LONGEST_SENTENCE
from hotloop.core.variant import Variant
from hotloop.core.verdict import Partly, Ruling, Verdict
from hotloop.judge.budget import Budget
from hotloop.judge.candidate import Candidate, Style
from hotloop.judge.device import device_name
from hotloop.judge.files import SubmissionFiles
from hotloop.judge.judge_fault import JudgeFault, ours
from hotloop.judge.launcher import Launcher
from hotloop.judge.levels import CountLimit, Level
from hotloop.judge.seeds import Seeds
from hotloop.judge.spec import CheckSpec, TaskSpec
from hotloop.judge.worker_connection import WorkerConnection, readable

if TYPE_CHECKING:
    from hotloop.judge.cuda_kernel import Simulator

log = logging.getLogger("hotloop.judge")

RESOLVE_TIMEOUT_S = 60.0

INTERPRETED = {"TRITON_INTERPRET": "1"}
"""Environment of a process that runs Triton kernels on the CPU, even if there is a GPU."""

T = TypeVar("T")


@dataclass(frozen=True)
class JudgingOptions:
    """What the job says of a judging, which is the same for all checks of the task."""

    spec: TaskSpec | None = None
    """The task's part of module.yaml."""

    folder: Path = Path()
    """Folder of the task's `tasks.py`."""

    device: Literal["cpu", "cuda"] = "cpu"

    variant: Variant | None = None
    """The functions' names in a take-home candidate's files; None uses the check's names."""

    nsight: bool = False
    """Also profile GPU kernels, after they have been judged."""


@dataclass(frozen=True)
class Resources:
    """What the checks of a task have started or computed and share, until the session closes."""

    workers: dict[str | None, WorkerConnection] = field(
        default_factory=dict[str | None, WorkerConnection]
    )
    """The candidate's process by file; None is the notebook's."""

    cached: dict[str, object] = field(default_factory=dict[str, object])
    """Values of `once`."""

    stack: ExitStack = field(default_factory=ExitStack)
    """Closes the other processes, and removes folders."""


@dataclass(frozen=True, eq=False)
class Session:
    """The candidate, its workers, secrets and time budget, as one check of a task sees them.

    A session never changes: another one for another check (`for_check`), candidate (`about`, `of`)
    or submission (`with_files`) shares everything else.

    candidate: the function, kernel or operator to judge.
    files: the submission.
    budget: time for the whole task.
    connect: returns the connection to the notebook's process, or None if there is none.
    progress: tells the person who waits which step this is.
    check_name: the check's name in module.yaml.
    figures: the check's evidence.
    """

    candidate: Candidate
    files: SubmissionFiles
    launcher: Launcher
    budget: Budget
    options: JudgingOptions = JudgingOptions()
    seeds: Seeds = field(default_factory=Seeds)
    connect: Callable[[], WorkerConnection | None] = lambda: None
    progress: Callable[[str], None] = lambda _text: None
    check_name: str = ""
    figures: dict[str, Any] = field(default_factory=dict[str, Any])
    resources: Resources = field(default_factory=Resources)

    def for_check(self, name: str) -> Self:
        """Return the same session for the check called `name`, without evidence."""
        return replace(self, check_name=name, figures={})

    def about(self, candidate: Candidate) -> Self:
        """Return the same session, sharing its evidence, for another candidate."""
        return replace(self, candidate=candidate)

    def of(self, name: str, style: Style | None = None) -> Self:
        """Return the same session for another function of the candidate's file."""
        mine = self.candidate
        return self.about(replace(mine, name=name, style=style or mine.style))

    def with_files(self, files: Mapping[str, bytes]) -> Self:
        """Return the same session, sharing its evidence, for a submission of these files."""
        folder = self._scratch()
        for name, data in files.items():
            (folder / name).write_bytes(data)
        return replace(self, files=SubmissionFiles(folder))

    @property
    def edited(self) -> tuple[str, ...]:
        """Names of the files that the learner edits, from module.yaml; the candidate's is last.

        Raises JudgeFault if there are none.
        """
        if self.options.spec is None:
            raise JudgeFault("module.yaml names no files for this task")
        return self.options.spec.files

    @property
    def levels(self) -> tuple[Level, ...]:
        """Levels of this check on this device, from module.yaml: at least so much earns a share.

        Raises JudgeFault if there are none.
        """
        spec = self._check_spec
        if not spec.levels:
            raise JudgeFault(f"module.yaml has no levels for the check {self.check_name}")
        return spec.by_device.get(device_name(), spec.levels) if spec.gpu else spec.levels

    @property
    def reachable(self) -> float:
        """Speedup of the check's strong baseline on the machine that its levels are for.

        Raises JudgeFault if module.yaml does not say it.
        """
        declared = self._check_spec.reachable
        if declared is None:
            raise JudgeFault(f"module.yaml has no `reachable` for the check {self.check_name}")
        return declared

    @property
    def limits(self) -> tuple[CountLimit, ...]:
        """Limits of this check, from module.yaml: at most so much earns a share.

        Raises JudgeFault if there are none.
        """
        if not self._check_spec.limits:
            raise JudgeFault(f"module.yaml has no limits for the check {self.check_name}")
        return self._check_spec.limits

    @property
    def _check_spec(self) -> CheckSpec:
        spec = self.options.spec
        return CheckSpec() if spec is None else spec.checks.get(self.check_name, CheckSpec())

    # --- what is said ---------------------------------------------------------------------------

    def note(self, **figures: Any) -> None:
        """Record evidence for the feedback page: plain data, with units in the names.

        It is kept whatever the check's verdict, so call this before raising a Ruling.
        """
        self.figures.update(figures)

    def award(self, share: float, sentence: str) -> str:
        """Return the sentence if `share` is 1 or more; raise Partly otherwise."""
        if share >= 1:
            return sentence
        raise Partly(share, sentence)

    def log_exception(self, error: BaseException) -> None:
        """Write the exception to the instructor's log; learners never see it."""
        log.error("judging failed", exc_info=error)

    # --- secrets and time -----------------------------------------------------------------------

    def rng(self) -> np.random.Generator:
        """Return a new generator with a secret seed at each call."""
        return self.seeds.generator()

    def timeout(self, most_s: float) -> float:
        """Return how many seconds to wait for the candidate: `most_s`, or the time left if less.

        Raises Ruling(TIMEOUT) if the task's time is used up.
        """
        return self.budget.timeout(most_s)

    def deadline_in(self, most_s: float) -> float:
        """Return when measuring must end (monotonic clock): in `most_s`, or with the task."""
        return time.monotonic() + min(most_s, self.budget.remaining_s())

    def alone(self) -> None:
        """Wait until no other grading runs on this machine. For checks marked `timed`."""
        if self.launcher.fork is not None:
            raise JudgeFault("what is to be timed was forked: its check does not say `timed`")
        with self.launcher.bystanders.held():  # others measure meanwhile
            self.budget.wait_for_turn()

    # --- the candidate --------------------------------------------------------------------------

    @property
    def met_candidate(self) -> bool:
        """True if code of the candidate was started or read: an exception may be its doing."""
        return bool(self.files.read or self.resources.workers)

    def last_answer(self) -> str:
        """Return its worker's last plain answer as text for a sentence; empty if unknown."""
        worker = self.resources.workers.get(self.candidate.file)
        return "" if worker is None else worker.answered

    @property
    def name(self) -> str:
        """The judged function's name in the candidate's file."""
        return self.called(self.candidate.name)

    def called(self, name: str) -> str:
        """Return the candidate's name for what the check calls `name`."""
        return name if self.options.variant is None else self.options.variant.called(name)

    def launcher_text(self, path: Path) -> str:
        """Return the text of the check's CUDA file that launches the kernel.

        For a variant, `#define` lines that rename its functions come first.
        """
        text = path.read_text(encoding="utf-8")
        if self.options.variant is None:
            return text
        names = self.options.variant.names.items()
        renamed = (f"#define {old} {new}\n" for old, new in names if old in text)
        return "".join(renamed) + text

    def source(self) -> str:
        """Return the text of the candidate's file."""
        file = self.candidate.file
        assert file is not None, "the candidate is in the notebook"
        return self.files.read_text(file)

    def worker(self) -> WorkerConnection:
        """Return the candidate's process, with the judged function found in it."""
        worker = self.resources.workers.get(self.candidate.file)
        if worker is None or not worker.continues:
            worker = self._start()
            worker.judged_within(self.budget)
            self.resources.workers[self.candidate.file] = worker
        self._resolve(worker)
        return worker

    def another_worker(self) -> WorkerConnection:
        """Start a second process for a candidate in a file.

        It is not forked: two forks of one process share the seed of Python's `hash`.
        """
        worker = self._start(anew=True)
        self.keep(closing(worker))
        worker.judged_within(self.budget)
        self._resolve(worker)
        return worker

    # --- programs of ours -----------------------------------------------------------------------

    def trusted(
        self,
        files: Path | None,
        environment: Mapping[str, str] | None = None,
        program: tuple[str, ...] = ("-m", "hotloop.worker"),
        *,
        runs_kernels: bool = False,
        anew: bool = False,
    ) -> WorkerConnection:
        """Start a worker that sees only `files`, a folder of the check; it ends with the session.

        runs_kernels: the worker will run vetted kernels of the candidate, so its failures from then
            on are attributed to the candidate.
        anew: start it by exec instead of fork.
        """
        worker = self.launcher.start(
            program=program,
            files=files,
            trusted=True,
            environment=environment,
            anew=anew,
        )
        worker.trusted = not runs_kernels
        if runs_kernels:
            worker.judged_within(self.budget)  # what its files take is the candidate's time
        self.keep(closing(worker))
        return worker

    def simulator(self) -> "Simulator":
        """Start a simulator for the candidate's CUDA kernels; its failures are the candidate's."""
        self._prepare_simulator()
        return self.keep(closing(self.launcher.simulator(self.budget)))

    def once(self, key: str, make: Callable[[], T]) -> T:
        """Return the value stored under `key`; the first check that asks makes it with `make`."""
        if key not in self.resources.cached:
            self.resources.cached[key] = make()
        return cast(T, self.resources.cached[key])

    def keep(self, context: AbstractContextManager[T]) -> T:
        """Enter a context that is exited when the session closes."""
        return self.resources.stack.enter_context(context)

    def staged(self, files: Mapping[str, Path]) -> Path:
        """Copy files of the check, under the given names, into a folder of the session."""
        folder = self._scratch()
        for name, path in files.items():
            shutil.copyfile(path, folder / name)
        return folder

    def _scratch(self) -> Path:
        from hotloop.sandbox.scratch import scratch  # a judge without a sandbox has no folders

        return self.keep(scratch())

    def libraries(self) -> dict[str, str]:
        """Return the library versions that the candidate's workers report."""
        versions: dict[str, str] = {}
        for worker in self.resources.workers.values():
            versions.update(worker.versions)
        return versions

    def close(self) -> None:
        """End all workers that the judge started; disconnect from the notebook's process."""
        for file, worker in self.resources.workers.items():
            if file is None and worker.confined is None:
                worker.bye()
            else:
                worker.close()
        self.resources.stack.close()

    def _resolve(self, worker: WorkerConnection) -> None:
        worker.resolve(self.name, self.candidate.file, self.timeout(RESOLVE_TIMEOUT_S))

    def _start(self, *, anew: bool = False) -> WorkerConnection:
        if self.candidate.file is None:
            return self._notebook()
        self.source()
        environment: dict[str, str] = {}
        read_only: dict[str, Path] = {}
        if self.candidate.operator:
            self._prepare_simulator()
            environment, read_only = self.launcher.simulator_files()
        return self.launcher.start(
            files=self.files.root,
            trusted=False,
            environment={**INTERPRETED, **environment},
            read_only=read_only,
            anew=anew,
        )

    def _notebook(self) -> WorkerConnection:
        worker = self.connect()
        if worker is None:
            raise Ruling(
                Verdict.RUNTIME_ERROR,
                "The notebook's process ended before this task could be checked.",
            )
        self.launcher.bystanders.add(worker)
        return worker

    def _prepare_simulator(self) -> None:
        """Build the files that every kernel is linked with, once.

        The first time takes minutes on a busy machine, which are no learner's. The task's `needs`
        include the package group `cuda`.
        """
        from hotloop.engines.simulate import build, toolchain  # needs optional packages
        from hotloop.engines.simulate.problem import SimulatorError

        with ours("preparing the simulator"), self.launcher.bystanders.held():
            if not build.is_prepared():
                with self.budget.without(toolchain.PREPARE_TIMEOUT_S):
                    try:
                        build.prepare(lambda text: self.progress(f"the simulator: {text}"))
                    except (SimulatorError, OSError) as problem:
                        raise _unprepared(problem) from problem


def _unprepared(problem: Exception) -> Ruling:
    sentence = f"The simulator could not be built on this machine, which costs no points: {problem}"
    return Ruling(Verdict.NOT_MEASURED, readable(sentence, LONGEST_SENTENCE))
