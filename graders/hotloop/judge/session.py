"""What a rung may touch while it judges one task of one submission."""

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

from hotloop.core.verdict import Partly, Ruling, Verdict
from hotloop.judge.budget import Budget
from hotloop.judge.candidate import Candidate, Style
from hotloop.judge.device import device_name
from hotloop.judge.fault import JudgeFault
from hotloop.judge.files import SubmissionFiles
from hotloop.judge.launcher import Launcher
from hotloop.judge.levels import Level
from hotloop.judge.link import Link
from hotloop.judge.seeds import Seeds
from hotloop.judge.spec import TaskSpec
from hotloop.sandbox.scratch import scratch
from hotloop.variants.variant import Variant

log = logging.getLogger("hotloop.judge")

RESOLVE_TIMEOUT_S = 60.0

INTERPRETED = {"TRITON_INTERPRET": "1"}

SIMULATOR = "/opt/simulator"
"""Where a worker that needs it sees what kernels are linked with."""

T = TypeVar("T")


class Session:
    """The candidate, its workers, secrets and time: the same for all rungs of a task.

    `for_rung` and `of` give a session that shares all of it but the evidence, or the candidate.

    candidate: who is judged.
    connect: gives the socketed notebook worker, or None where there is none.
    budget: the time for the whole task.
    variant: what a candidate of a take-home calls the functions; in a course as the check does.
    seed: of an earlier record, in hexadecimal; one is drawn if there is none.
    nsight: kernels on a GPU are profiled too, after they were judged.
    """

    def __init__(
        self,
        candidate: Candidate,
        *,
        files: Path | None,
        launcher: Launcher,
        connect: Callable[[], Link | None],
        budget: Budget,
        device: Literal["cpu", "cuda"],
        on_progress: Callable[[str], None] = lambda _text: None,
        variant: Variant | None = None,
        seed: str = "",
        spec: TaskSpec | None = None,
        nsight: bool = False,
    ) -> None:
        self.candidate = candidate
        self.files = SubmissionFiles(files)
        self.launcher = launcher
        self.budget = budget
        self.device = device
        self.nsight = nsight
        self.seeds = Seeds(bytes.fromhex(seed))
        self.figures: dict[str, Any] = {}
        self._connect = connect
        self._on_progress = on_progress
        self._variant = variant
        self._spec = spec
        self._rung = ""
        self._workers: dict[str | None, Link] = {}
        self._owned: list[Link] = []
        self._made: dict[str, object] = {}
        self._kept = ExitStack()

    def for_rung(self, name: str) -> Self:
        """The same session, with no evidence yet, for the rung called `name`."""
        other = copy.copy(self)
        other.figures = {}
        other._rung = name
        return other

    def about(self, candidate: Candidate) -> Self:
        """The same session, with evidence in common, about another candidate."""
        other = copy.copy(self)
        other.candidate = candidate
        return other

    def of(self, name: str, style: Style | None = None) -> Self:
        """The same session about another function of the candidate's file."""
        mine = self.candidate
        return self.about(replace(mine, name=name, style=style or mine.style))

    @property
    def levels(self) -> tuple[Level, ...]:
        """What module.yaml promises for speed-ups in this rung, on this device."""
        spec = None if self._spec is None else self._spec.rungs.get(self._rung)
        if spec is None or not spec.levels:
            raise JudgeFault(f"module.yaml has no levels for the rung {self._rung}")
        return spec.by_device.get(device_name(), spec.levels) if spec.gpu else spec.levels

    # --- what is said ---------------------------------------------------------------------------

    def note(self, **figures: Any) -> None:
        """Evidence for the feedback page: plain data, units in the names.

        It is kept however the rung ends, so note before you rule.
        """
        self.figures.update(figures)

    def award(self, share: float, sentence: str) -> str:
        """The sentence where the whole of the points is earned; Partly otherwise."""
        if share >= 1:
            return sentence
        raise Partly(share, sentence)

    def progress(self, text: str) -> None:
        """Tell whoever waits what is being done."""
        self._on_progress(text)

    def log_exception(self, error: BaseException) -> None:
        """For the instructor's log; never for the learner's page."""
        log.error("judging failed", exc_info=error)

    # --- secrets and time -----------------------------------------------------------------------

    def rng(self) -> np.random.Generator:
        """A new secret generator at each call."""
        return self.seeds.generator()

    def timeout(self, most_s: float) -> float:
        """How long to wait for the candidate. Ruling TIMEOUT when it has used up all its time."""
        return self.budget.timeout(most_s)

    def deadline_in(self, most_s: float) -> float:
        """When measuring must end, on the monotonic clock: after `most_s`, or with the judging."""
        return time.monotonic() + min(most_s, self.budget.remaining_s())

    def alone(self) -> None:
        """Wait until no other grading is at work. The rung must say that it is `timed`."""
        if self.launcher.fork is not None:
            raise JudgeFault("what is to be timed was forked: its rung does not say `timed`")
        self.budget.wait_for_turn()
        for link in self._workers.values():
            link.deadline = self.budget.deadline

    # --- the candidate --------------------------------------------------------------------------

    @property
    def interpreted(self) -> dict[str, str]:
        """Environment of a process that runs Triton kernels on the CPU, also beside a GPU."""
        return INTERPRETED

    @property
    def met_candidate(self) -> bool:
        """True once code of the candidate's was started or read: an exception may be its doing."""
        return bool(self.files.read or self._workers)

    def last_answer(self) -> str:
        """What its worker returned last, as it may stand in a sentence; empty if it is unknown."""
        link = self._workers.get(self.candidate.file)
        return "" if link is None else link.answered

    @property
    def name(self) -> str:
        """What the candidate calls the function that is judged."""
        return self.called(self.candidate.name)

    def called(self, name: str) -> str:
        """What the candidate calls what the check calls `name`."""
        return name if self._variant is None else self._variant.called(name)

    def launcher_text(self, path: Path) -> str:
        """The text of a CUDA file of ours, which launches the candidate's kernel by its name."""
        text = path.read_text(encoding="utf-8")
        if self._variant is None:
            return text
        names = self._variant.names.items()
        renamed = (f"#define {old} {new}\n" for old, new in names if old in text)
        return "".join(renamed) + text

    def source(self) -> str:
        """The text of the candidate's file."""
        file = self.candidate.file
        assert file is not None, "the candidate is in the notebook"
        return self.files.read_text(file)

    def worker(self) -> Link:
        """The candidate's process, in which its function was found."""
        link = self._workers.get(self.candidate.file)
        if link is None or not link.is_open:
            link = self._start()
            link.deadline = self.budget.deadline
            self._workers[self.candidate.file] = link
        self._resolve(link)
        return link

    def another_worker(self) -> Link:
        """A second process for a candidate in a file.

        It shares nothing with the first: two forks of one process hash texts alike.
        """
        link = self._start(anew=True)
        self._owned.append(link)
        link.deadline = self.budget.deadline
        self._resolve(link)
        return link

    # --- programs of ours -----------------------------------------------------------------------

    def trusted(
        self,
        files: Path | None,
        environment: Mapping[str, str] | None = None,
        program: tuple[str, ...] = ("-m", "hotloop.worker"),
        *,
        runs_kernels: bool = False,
        anew: bool = False,
    ) -> Link:
        """A worker that sees only `files`, a folder of ours; it ends with the session.

        runs_kernels: it will be given a candidate's vetted kernels, so that what fails from then on
            is the candidate's.
        anew: it is not forked.
        """
        link = self.launcher.start(
            program=program, files=files, trusted=True, environment=environment, anew=anew
        )
        link.trusted = not runs_kernels
        self._owned.append(link)
        return link

    def simulator(self) -> Link:
        """A worker of ours for a candidate's CUDA kernels; what fails there is the candidate's."""
        environment, read_only = self._simulator()
        link = self.launcher.start(
            program=("-m", "hotloop.simulate.worker"),
            files=None,
            trusted=True,
            environment=environment,
            read_only=read_only,
        )
        link.trusted = False
        link.deadline = self.budget.deadline
        self._owned.append(link)
        return link

    def once(self, key: str, make: Callable[[], T]) -> T:
        """What several rungs of the task use: made by the first one, the same for the others."""
        if key not in self._made:
            self._made[key] = make()
        return cast(T, self._made[key])

    def keep(self, context: AbstractContextManager[T]) -> T:
        """Enter a context that ends with the session."""
        return self._kept.enter_context(context)

    def staged(self, files: Mapping[str, Path]) -> Path:
        """A folder that holds copies of files of ours, under the names given."""
        folder = self.keep(scratch())
        for name, path in files.items():
            shutil.copyfile(path, folder / name)
        return folder

    def libraries(self) -> dict[str, str]:
        """Versions as the candidate's workers claim them."""
        versions: dict[str, str] = {}
        for link in self._workers.values():
            versions.update(link.versions)
        return versions

    def close(self) -> None:
        """End all workers that the judge started; say goodbye to those it did not."""
        for file, link in self._workers.items():
            if file is None and link.confined is None:
                link.bye()
            else:
                link.close()
        for link in self._owned:
            link.close()
        self._kept.close()

    def _resolve(self, link: Link) -> None:
        link.resolve(self.name, self.candidate.file, self.timeout(RESOLVE_TIMEOUT_S))

    def _start(self, *, anew: bool = False) -> Link:
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
        link = self._connect()
        if link is None:
            raise Ruling(
                Verdict.RUNTIME_ERROR,
                "The notebook's process ended before this task could be checked.",
            )
        return link

    def _start_with_simulator(self, anew: bool) -> Link:
        environment, read_only = self._simulator()
        return self.launcher.start(
            files=self.files.root,
            trusted=False,
            environment={**self.interpreted, **environment},
            read_only=read_only,
            anew=anew,
        )

    def _simulator(self) -> tuple[dict[str, str], dict[str, Path]]:
        """Environment and read-only folders of a worker that builds CUDA kernels.

        What all of them are linked with is built here, once. The check has asked for the group
        `cuda`.
        """
        from hotloop.simulate import build, cache, toolchain  # packages that not everybody has

        self.progress(f"preparing the simulator: {toolchain.step()}")
        build.prepare()
        folder = cache.folder()
        if self.launcher.isolation == "none":
            return {"HOTLOOP_SIMULATOR_PREBUILT": str(folder)}, {}
        return {"HOTLOOP_SIMULATOR_PREBUILT": SIMULATOR}, {SIMULATOR: folder}


def accept(listener: socket.socket, timeout_s: float) -> socket.socket | None:
    """The first connection within the time, or None."""
    listener.settimeout(timeout_s)
    try:
        connection, _ = listener.accept()
    except OSError:
        return None
    connection.settimeout(None)
    return connection
