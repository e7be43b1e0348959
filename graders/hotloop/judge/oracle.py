"""A trusted worker that computes expected answers that numpy cannot, such as a whole training run.

It receives the candidate's inputs in its own memory, and never sees an answer.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hotloop.core.verdict import Ruling
from hotloop.judge.candidate import Candidate
from hotloop.judge.compare import Floats
from hotloop.judge.fault import JudgeFault
from hotloop.judge.gpu.card import Card
from hotloop.judge.gpu.workers import trusted_worker
from hotloop.judge.rungs.correct import Case, ask
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import Worker

TIMEOUT_S = 120.0
RESOLVE_TIMEOUT_S = 60.0


def _nothing(_worker: Worker, _session: Session) -> None:
    """Default `prepare`: most oracles need no preparation."""


@dataclass(frozen=True)
class Oracle:
    """Trusted functions in destination style.

    files: what the worker sees, by name in its folder.
    main: which of them holds the functions.
    prepare: called with a new worker, for example to load a network.
    """

    files: Mapping[str, Path]
    main: str
    prepare: Callable[[Worker, Session], None] = _nothing

    def answer(self, function: str, case: Case, session: Session) -> Floats:
        """Return the output of `function` for a case's inputs. Raises JudgeFault if it fails."""
        worker = session.once(f"oracle {self.main}", lambda: self._start(session))
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

    def _start(self, session: Session) -> Worker:
        worker = session.trusted(session.staged(self.files))
        self.prepare(worker, session)
        return worker


@contextmanager
def _our_own(function: str) -> Generator[None]:
    """Turn a Ruling about a trusted function into JudgeFault: it costs the candidate nothing."""
    try:
        yield
    except Ruling as ruling:
        raise JudgeFault(f"our own {function} failed: {ruling}") from None
