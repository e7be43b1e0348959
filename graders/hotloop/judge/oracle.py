"""A trusted worker that computes expected answers that numpy cannot, such as a whole training run.

It receives the candidate's inputs in its own memory, and never sees an answer.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.author_guard import Authored
from hotloop.judge.calls import PlacedCall, TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.case_label import labeled
from hotloop.judge.checks.correct import Argument, Case, InputTensor, Require, ask
from hotloop.judge.compare import Floats
from hotloop.judge.gpu.card import Card
from hotloop.judge.gpu.workers import trusted_worker
from hotloop.judge.judge_fault import JudgeFault, ours
from hotloop.judge.session import Session
from hotloop.judge.verification import Rows, Verifier
from hotloop.judge.worker_connection import WorkerConnection

TIMEOUT_S = 120.0
RESOLVE_TIMEOUT_S = 60.0


def _nothing(_worker: WorkerConnection, _session: Session) -> None:
    """Default `prepare`: most oracles need no preparation."""


@dataclass(frozen=True)
class Oracle(Authored):
    """Trusted functions in destination style.

    files: what the worker sees, by name in its folder.
    main: which of them holds the functions.
    prepare: called with a new worker, for example to load a network.
    """

    files: Mapping[str, Path]
    main: str
    prepare: Callable[[WorkerConnection, Session], None] = _nothing

    def function(
        self, name: str, disagreement: Callable[[Case, Floats, Floats], str | None]
    ) -> "OracleFunction":
        """Return one of the functions, as a reference: see `OracleFunction`."""
        return OracleFunction(self, name, disagreement)

    def answer(self, function: str, case: Case, session: Session) -> Floats:
        """Return the output of `function` for a case's inputs. Raises JudgeFault if it fails."""
        worker = session.once(f"oracle {self!r}", lambda: self._start(session))
        with _our_own(function):
            worker.resolve(function, self.main, RESOLVE_TIMEOUT_S)
            return ask(case, worker, session.about(self._candidate(function)), TIMEOUT_S)

    @contextmanager
    def on_gpu(
        self, function: str, session: Session, card: Card
    ) -> Generator[Callable[[Case], Floats]]:
        """Yield a function that answers a case on the GPU."""
        ours = session.about(self._candidate(function))
        with trusted_worker(session, session.staged(self.files), card) as worker:
            self.prepare(worker, session)
            with _our_own(function):
                worker.resolve(function, self.main, RESOLVE_TIMEOUT_S)

            def answer(case: Case) -> Floats:
                with _our_own(function):
                    return ask(case, worker, ours, TIMEOUT_S)

            yield answer

    def _candidate(self, function: str) -> Candidate:
        return Candidate(function, self.main, "destination")

    def _start(self, session: Session) -> WorkerConnection:
        worker = session.trusted(session.staged(self.files))
        self.prepare(worker, session)
        return worker


@dataclass(frozen=True)
class OracleFunction(Authored):
    """One function of an oracle, as a reference for computations that NumPy cannot repeat.

    disagreement: compares the candidate's answer to a case with the oracle's; returns the beginning
        of a sentence, or None if they agree.
    """

    reads_answer: ClassVar[frozenset[str]] = frozenset({"disagreement"})
    oracle: Oracle
    name: str
    disagreement: Callable[[Case, Floats, Floats], str | None]

    @contextmanager
    def requiring(
        self, session: Session, card: Card | None = None
    ) -> Generator[Callable[[Case], Require]]:
        """Yield a function that has the oracle compute a case, on `card` or on the CPU.

        It raises JudgeFault if the oracle fails, and returns the comparison with its answer, which
        raises Ruling(WRONG_ANSWER) if they disagree.
        """
        with self._answering(session, card) as answer:

            def requiring(case: Case) -> Require:
                want = answer(case)

                def require(got: Floats) -> None:
                    mismatch = self.disagreement(case, got, want)
                    if mismatch is not None:
                        raise Ruling(Verdict.WRONG_ANSWER, f"{mismatch}.")

                return require

            yield requiring

    @contextmanager
    def verifying(self, session: Session, card: Card | None = None) -> Generator[Verifier]:
        """Yield the verifier of timed calls, which compares all rows with the oracle's."""
        with self.requiring(session, card) as requiring:

            def verify(call: PlacedCall, _rows: Rows) -> None:
                with labeled("In a timed call"):
                    requiring(case_of(call))(call.output_values())

            yield verify

    def _answering(
        self, session: Session, card: Card | None
    ) -> AbstractContextManager[Callable[[Case], Floats]]:
        if card is not None:
            return self.oracle.on_gpu(self.name, session, card)
        return nullcontext(lambda case: self.oracle.answer(self.name, case, session))


def case_of(call: PlacedCall) -> Case:
    """Return the call as a case, with a copy of its values from the judge's buffers."""
    arguments: list[Argument] = []
    for position, argument in enumerate(call.spec.arguments):
        if isinstance(argument, TensorSpec):
            arguments.append(InputTensor(call.input(position).copy(), argument.dtype))
        else:
            arguments.append(argument)
    return Case("a timed call", tuple(arguments), call.spec.out)


@contextmanager
def _our_own(function: str) -> Generator[None]:
    """Turn every exception of a trusted function into JudgeFault, which costs no points."""
    try:
        with ours(f"our own {function}"):
            yield
    except Ruling as ruling:
        raise JudgeFault(f"our own {function} failed: {ruling}") from None
