"""A program of ours that runs in a worker: it makes what is asked, or looks at what was made.

Models and intermediate representations are read and run by large libraries, which the judge does
not load. They run in a sandbox apart from the judge, and apart from the candidate, and exchange
plain data, files and tensors with the judge as a candidate would.

What makes hidden inputs and their truth is never given anything that the candidate has written.
What looks at a candidate's file may fail through it, which is then the candidate's failure; for
that it is another process, for each of the purposes that a rung names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeVar

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.candidate import Candidate
from hotloop.judge.compare import Floats
from hotloop.judge.fault import JudgeFault
from hotloop.judge.file_exchange import get_file
from hotloop.judge.link import NO_PROTOCOL, Link
from hotloop.judge.questions import GivenFile, Plain, ask_plainly
from hotloop.judge.rungs.correct import Case, ask
from hotloop.judge.session import Session

TIMEOUT_S = 120.0

T = TypeVar("T")


@dataclass(frozen=True)
class Program:
    """files: what its worker sees, by name in its folder. main: which of them holds the functions.

    environment: variables of its process.
    """

    files: Mapping[str, Path]
    main: str
    environment: tuple[tuple[str, str], ...] = ()

    def trusted(self, session: Session) -> Process:
        """The process that is given nothing of the candidate's; one for all rungs of a task."""
        return session.once(f"program {self.main}", lambda: self._start(session, given=False))

    def given(self, session: Session, purpose: str) -> Process:
        """The process that is given files of the candidate's, one for each `purpose`."""
        process = session.once(f"{purpose} {self.main}", lambda: [self._start(session, given=True)])
        if not process[0].link.is_open:
            process[0] = self._start(session, given=True)
        return process[0]

    def another(self, session: Session, *, given: bool) -> Process:
        """A process of its own; it ends with the session."""
        return self._start(session, given=given)

    def _start(self, session: Session, *, given: bool) -> Process:
        folder = session.once(f"files of {self.main}", lambda: session.staged(self.files))
        environment = {**session.interpreted, **dict(self.environment)}
        # What libraries read at their import must be set before it.
        anew = bool(self.environment)
        link = session.trusted(folder, environment, runs_kernels=given, anew=anew)
        return Process(self, link, session)


class Process:
    """A running program. Its failure is the judge's own, or the candidate's if it was given files.

    JudgeFault or Ruling accordingly, from each method.
    """

    def __init__(self, program: Program, link: Link, session: Session) -> None:
        self.program = program
        self.link = link
        self.session = session

    def ask(self, function: str, *arguments: Plain | GivenFile, timeout_s: float = 0.0) -> object:
        """What the function returns: plain data. A file is given as its path."""
        self.resolve(function)
        patience = self._patience(timeout_s)
        return self._blamed(function, lambda: ask_plainly(self.link, arguments, patience))

    def take(self, path: object) -> bytes:
        """A file that a function has written and named in its answer."""
        if not isinstance(path, str):
            if not self.link.trusted:
                raise Ruling(Verdict.TAMPERED, NO_PROTOCOL)
            raise JudgeFault(f"{self.program.main} named no file, but {path!r}")
        return get_file(self.link, path)

    def answer(
        self,
        function: str,
        case: Case,
        timeout_s: float = 0.0,
        framework: Literal["torch", "numpy"] = "torch",
    ) -> Floats:
        """What the function, in destination style, gives for a case's inputs.

        framework: what its tensors are.
        """
        self.resolve(function)
        ours = replace(self.as_candidate(function), framework=framework)
        asked, patience = self.session.about(ours), self._patience(timeout_s)
        return self._blamed(function, lambda: ask(case, self.link, asked, patience))

    def as_candidate(self, function: str) -> Candidate:
        """One of its functions, in destination style, as the judge calls it."""
        return Candidate(function, self.program.main, "destination")

    def resolve(self, function: str) -> None:
        """Have it find one of its functions."""
        timeout = self._patience(TIMEOUT_S)
        self._blamed(function, lambda: self.link.resolve(function, self.program.main, timeout))

    def _patience(self, timeout_s: float) -> float:
        most = timeout_s or TIMEOUT_S
        return most if self.link.trusted else self.session.timeout(most)

    def _blamed(self, function: str, act: Callable[[], T]) -> T:
        """A process that only we have touched cannot blame the candidate."""
        try:
            return act()
        except Ruling as ruling:
            if not self.link.trusted:
                raise
            raise JudgeFault(f"our own {function} failed: {ruling}") from None
