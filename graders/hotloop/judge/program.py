"""A trusted program in a worker: it generates hidden inputs, or inspects a candidate's files.

Models and intermediate representations need large libraries, which the judge does not load. They
run in a sandbox apart from the judge and the candidate, and exchange plain data, files and tensors
with the judge as a candidate does.

The process that generates hidden inputs and expected results never receives anything from the
candidate. A process that inspects a candidate's file may fail because of it, which counts as the
candidate's failure; therefore it is a separate process for each purpose that a check names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeVar

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.candidate import Candidate
from hotloop.judge.case_label import labeled
from hotloop.judge.checks.correct import Case, ask
from hotloop.judge.compare import Floats
from hotloop.judge.file_exchange import MOST_BYTES, get_file
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.questions import GivenFile, Plain, ask_plainly
from hotloop.judge.session import INTERPRETED, Session
from hotloop.judge.worker_connection import NO_PROTOCOL, WorkerConnection

TIMEOUT_S = 120.0

ANSWERS = "it answers hidden questions, and the judge compares the answers"
REPEATED = "a process without the candidate's code repeats it on other values, and counts there"
APART = "the candidate's code runs in processes of its own, which this one starts, ends and reads"

T = TypeVar("T")


@dataclass(frozen=True)
class Program:
    """Functions of the check's author that a sandboxed process runs for the judge.

    files: what its worker sees, by name in its folder.

    main: which of them holds the functions.
    environment: environment variables of its process.
    believed: why what it says may be believed although it runs the candidate's code, beside which
        it is no more than the candidate's word. A program that is given a file of the submission as
        it is, must say so.
    """

    files: Mapping[str, Path]
    main: str
    environment: tuple[tuple[str, str], ...] = ()
    believed: str = ""

    def trusted(self, session: Session) -> Process:
        """Return the process that receives nothing from the candidate, one per task."""
        return session.once(f"program {self.main}", lambda: self._start(session, given=False))

    def given(self, session: Session, purpose: str) -> Process:
        """Return the process that receives files of the candidate, one per `purpose`.

        Restart it if it ended.
        """
        process = session.once(f"{purpose} {self.main}", lambda: [self._start(session, given=True)])
        if not process[0].worker.is_open:
            process[0] = self._start(session, given=True)
        return process[0]

    def another(self, session: Session, *, given: bool) -> Process:
        """Start a separate process, which ends with the session."""
        return self._start(session, given=given)

    def _start(self, session: Session, *, given: bool) -> Process:
        folder = session.once(f"files of {self.main}", lambda: session.staged(self.files))
        environment = {**INTERPRETED, **dict(self.environment)}
        # Variables that libraries read at import must be set before: a fork has already imported
        # them.
        anew = bool(self.environment)
        worker = session.trusted(folder, environment, runs_kernels=given, anew=anew)
        return Process(self, worker, session)


class Process:
    """A running program. Every method raises JudgeFault if it fails.

    If it was given files of the candidate, it raises Ruling instead.
    """

    def __init__(self, program: Program, worker: WorkerConnection, session: Session) -> None:
        self.program = program
        self.worker = worker
        self.session = session

    def ask(self, function: str, *arguments: Plain | GivenFile, timeout_s: float = 0.0) -> object:
        """Return the function's result as plain data. A file is passed as its path."""
        handed_in = {each.name for each in arguments if isinstance(each, GivenFile)}
        if handed_in & self.session.files.read and not self.program.believed:
            raise JudgeFault(f"{self.program.main} does not say why it may be believed")
        self.resolve(function)
        within_s = self._timeout(timeout_s)
        return self._blamed(function, lambda: ask_plainly(self.worker, arguments, within_s))

    def take(self, path: object, most_bytes: int = MOST_BYTES) -> bytes:
        """Return the content of a file that a function wrote and whose path it returned."""
        if not isinstance(path, str):
            if not self.worker.trusted:
                raise Ruling(Verdict.TAMPERED, NO_PROTOCOL)
            raise JudgeFault(f"{self.program.main} named no file, but {path!r}")
        return get_file(self.worker, path, most_bytes)

    def answer(
        self,
        function: str,
        case: Case,
        timeout_s: float = 0.0,
        framework: Literal["torch", "numpy"] = "torch",
    ) -> Floats:
        """Return the output of a function, in destination style, for a case's inputs.

        framework: type of its tensors. A Ruling's sentence begins with the case's label.
        """
        self.resolve(function)
        ours = replace(self.as_candidate(function), framework=framework)
        session, within_s = self.session.about(ours), self._timeout(timeout_s)
        with labeled(case.label) if case.label else nullcontext():
            return self._blamed(function, lambda: ask(case, self.worker, session, within_s))

    def as_candidate(self, function: str) -> Candidate:
        """Return one of its functions as a candidate in destination style."""
        return Candidate(function, self.program.main, "destination")

    def resolve(self, function: str) -> None:
        """Have the process find one of its functions."""
        timeout = self._timeout(TIMEOUT_S)
        self._blamed(function, lambda: self.worker.resolve(function, self.program.main, timeout))

    def _timeout(self, timeout_s: float) -> float:
        most = timeout_s or TIMEOUT_S
        return most if self.worker.trusted else self.session.timeout(most)

    def _blamed(self, function: str, act: Callable[[], T]) -> T:
        """Turn a Ruling into JudgeFault if the process received nothing from the candidate.

        Otherwise the Ruling names no line of the program, which the learner does not see.
        """
        try:
            return act()
        except Ruling as ruling:
            if not self.worker.trusted:
                names = "|".join(map(re.escape, self.program.files))
                ruling.sentence = re.sub(rf" at ({names}):\d+", "", ruling.sentence, count=1)
                raise
            raise JudgeFault(f"our own {function} failed: {ruling}") from None
