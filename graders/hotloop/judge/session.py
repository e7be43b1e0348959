"""The interface that a check has to the candidate, workers, secrets and time limits of one task."""

import copy
import logging
import shutil
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Self, TypeVar, cast

import numpy as np

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
from hotloop.judge.worker_connection import WorkerConnection
from hotloop.sandbox.scratch import scratch

log = logging.getLogger("hotloop.judge")

RESOLVE_TIMEOUT_S = 60.0

INTERPRETED = {"TRITON_INTERPRET": "1"}

SIMULATOR = "/opt/simulator"
"""Path inside the sandbox of the prebuilt simulator files that kernels are linked with."""

T = TypeVar("T")


class Session:
    """The candidate, its workers, secrets and time budget, shared by all checks of a task.

    `for_check` returns a session that shares everything except the evidence; `about` and `of`
    return one that shares everything except the candidate.

    candidate: the function, kernel or operator to judge.
    connect: returns the connection to the notebook's process, or None if there is none.
    budget: time for the whole task.
    variant: the functions' names in a take-home candidate's files; None uses the check's names.
    seed: seed of an earlier record, in hexadecimal; empty draws a new one.
    nsight: also profile GPU kernels, after they have been judged.
    checks: folder of the task's `tasks.py`.
    """

    def __init__(
        self,
        candidate: Candidate,
        *,
        files: Path | None,
        launcher: Launcher,
        connect: Callable[[], WorkerConnection | None],
        budget: Budget,
        device: Literal["cpu", "cuda"],
        on_progress: Callable[[str], None] = lambda _text: None,
        variant: Variant | None = None,
        seed: str = "",
        spec: TaskSpec | None = None,
        nsight: bool = False,
        checks: Path = Path(),
    ) -> None:
        self.candidate = candidate
        self.files = SubmissionFiles(files)
        self.launcher = launcher
        self.budget = budget
        self.device = device
        self.nsight = nsight
        self.checks = checks
        self.seeds = Seeds(bytes.fromhex(seed))
        self.figures: dict[str, Any] = {}
        self._connect = connect
        self._on_progress = on_progress
        self._variant = variant
        self._spec = spec
        self._check = ""
        self._workers: dict[str | None, WorkerConnection] = {}
        self._owned: list[WorkerConnection] = []
        self._made: dict[str, object] = {}
        self._kept = ExitStack()

    def for_check(self, name: str) -> Self:
        """Return the same session for the check called `name`, without evidence."""
        other = copy.copy(self)
        other.figures = {}
        other._check = name
        return other

    def about(self, candidate: Candidate) -> Self:
        """Return the same session, sharing its evidence, for another candidate."""
        other = copy.copy(self)
        other.candidate = candidate
        return other

    def of(self, name: str, style: Style | None = None) -> Self:
        """Return the same session for another function of the candidate's file."""
        mine = self.candidate
        return self.about(replace(mine, name=name, style=style or mine.style))

    @property
    def edited(self) -> tuple[str, ...]:
        """Names of the files that the learner edits, from module.yaml; the candidate's is last.

        Raises JudgeFault if there are none.
        """
        if self._spec is None:
            raise JudgeFault("module.yaml names no files for this task")
        return self._spec.files

    @property
    def levels(self) -> tuple[Level, ...]:
        """Levels of this check on this device, from module.yaml: at least so much earns a share.

        Raises JudgeFault if there are none.
        """
        spec = self._check_spec
        if not spec.levels:
            raise JudgeFault(f"module.yaml has no levels for the check {self._check}")
        return spec.by_device.get(device_name(), spec.levels) if spec.gpu else spec.levels

    @property
    def reachable(self) -> float:
        """Speedup of the check's strong baseline on the machine that its levels are for.

        Raises JudgeFault if module.yaml does not say it.
        """
        declared = self._check_spec.reachable
        if declared is None:
            raise JudgeFault(f"module.yaml has no `reachable` for the check {self._check}")
        return declared

    @property
    def limits(self) -> tuple[CountLimit, ...]:
        """Limits of this check, from module.yaml: at most so much earns a share.

        Raises JudgeFault if there are none.
        """
        if not self._check_spec.limits:
            raise JudgeFault(f"module.yaml has no limits for the check {self._check}")
        return self._check_spec.limits

    @property
    def _check_spec(self) -> CheckSpec:
        none = CheckSpec()
        return none if self._spec is None else self._spec.checks.get(self._check, none)

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

    def progress(self, text: str) -> None:
        """Report the current step to the person who waits."""
        self._on_progress(text)

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
    def interpreted(self) -> dict[str, str]:
        """Environment of a process that runs Triton kernels on the CPU, even if there is a GPU."""
        return INTERPRETED

    @property
    def met_candidate(self) -> bool:
        """True if code of the candidate was started or read: an exception may be its doing."""
        return bool(self.files.read or self._workers)

    def last_answer(self) -> str:
        """Return its worker's last plain answer as text for a sentence; empty if unknown."""
        worker = self._workers.get(self.candidate.file)
        return "" if worker is None else worker.answered

    @property
    def name(self) -> str:
        """The judged function's name in the candidate's file."""
        return self.called(self.candidate.name)

    def called(self, name: str) -> str:
        """Return the candidate's name for what the check calls `name`."""
        return name if self._variant is None else self._variant.called(name)

    def launcher_text(self, path: Path) -> str:
        """Return the text of the check's CUDA file that launches the kernel.

        For a variant, `#define` lines that rename its functions come first.
        """
        text = path.read_text(encoding="utf-8")
        if self._variant is None:
            return text
        names = self._variant.names.items()
        renamed = (f"#define {old} {new}\n" for old, new in names if old in text)
        return "".join(renamed) + text

    def source(self) -> str:
        """Return the text of the candidate's file."""
        file = self.candidate.file
        assert file is not None, "the candidate is in the notebook"
        return self.files.read_text(file)

    def worker(self) -> WorkerConnection:
        """Return the candidate's process, with the judged function found in it."""
        worker = self._workers.get(self.candidate.file)
        if worker is None or not worker.continues:
            worker = self._start()
            worker.judged_within(self.budget)
            self._workers[self.candidate.file] = worker
        self._resolve(worker)
        return worker

    def another_worker(self) -> WorkerConnection:
        """Start a second process for a candidate in a file.

        It is not forked: two forks of one process share the seed of Python's `hash`.
        """
        worker = self._start(anew=True)
        self._owned.append(worker)
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
        self._owned.append(worker)
        return worker

    def simulator(self) -> WorkerConnection:
        """Start a simulator for the candidate's CUDA kernels; its failures are the candidate's."""
        environment, read_only = self._simulator()
        worker = self.launcher.start(
            program=("-m", "hotloop.engines.simulate.worker"),
            files=None,
            trusted=True,
            environment=environment,
            read_only=read_only,
        )
        worker.trusted = False
        worker.judged_within(self.budget)
        self._owned.append(worker)
        return worker

    def once(self, key: str, make: Callable[[], T]) -> T:
        """Return the value stored under `key`; the first check that asks makes it with `make`."""
        if key not in self._made:
            self._made[key] = make()
        return cast(T, self._made[key])

    def keep(self, context: AbstractContextManager[T]) -> T:
        """Enter a context that is exited when the session closes."""
        return self._kept.enter_context(context)

    def staged(self, files: Mapping[str, Path]) -> Path:
        """Copy files of the check, under the given names, into a folder of the session."""
        folder = self.keep(scratch())
        for name, path in files.items():
            shutil.copyfile(path, folder / name)
        return folder

    def libraries(self) -> dict[str, str]:
        """Return the library versions that the candidate's workers report."""
        versions: dict[str, str] = {}
        for worker in self._workers.values():
            versions.update(worker.versions)
        return versions

    def close(self) -> None:
        """End all workers that the judge started; disconnect from the notebook's process."""
        for file, worker in self._workers.items():
            if file is None and worker.confined is None:
                worker.bye()
            else:
                worker.close()
        for worker in self._owned:
            worker.close()
        self._kept.close()

    def _resolve(self, worker: WorkerConnection) -> None:
        worker.resolve(self.name, self.candidate.file, self.timeout(RESOLVE_TIMEOUT_S))

    def _start(self, *, anew: bool = False) -> WorkerConnection:
        if self.candidate.file is not None:
            self.source()
            if self.candidate.operator:
                return self._start_with_simulator(anew)
            return self.launcher.start(
                files=self.files.root,
                trusted=False,
                environment=self.interpreted,
                anew=anew,
            )
        worker = self._connect()
        if worker is None:
            raise Ruling(
                Verdict.RUNTIME_ERROR,
                "The notebook's process ended before this task could be checked.",
            )
        self.launcher.bystanders.add(worker)
        return worker

    def _start_with_simulator(self, anew: bool) -> WorkerConnection:
        environment, read_only = self._simulator()
        return self.launcher.start(
            files=self.files.root,
            trusted=False,
            environment={**self.interpreted, **environment},
            read_only=read_only,
            anew=anew,
        )

    def _simulator(self) -> tuple[dict[str, str], dict[str, Path]]:
        """Return the environment and read-only folders of a worker that builds CUDA kernels.

        Build the files that every kernel is linked with, once: the first time takes minutes on a
        busy machine, which are no learner's. The task's `needs` include the package group `cuda`.
        """
        from hotloop.engines.simulate import build, cache, toolchain  # needs optional packages

        self.progress(f"preparing the simulator: {toolchain.step()}")
        with ours("preparing the simulator"), self.launcher.bystanders.held():
            if not build.is_prepared():
                with self.budget.without(toolchain.PREPARE_TIMEOUT_S):
                    build.prepare()
        folder = cache.folder()
        if self.launcher.isolation == "none":
            return {"HOTLOOP_SIMULATOR_PREBUILT": str(folder)}, {}
        return {"HOTLOOP_SIMULATOR_PREBUILT": SIMULATOR}, {SIMULATOR: folder}


def accept(listener: socket.socket, timeout_s: float) -> socket.socket | None:
    """Return the first connection within the timeout, or None."""
    listener.settimeout(timeout_s)
    try:
        connection, _ = listener.accept()
    except OSError:
        return None
    connection.settimeout(None)
    return connection
