"""Under load, the server batches requests of several clients.

The check reads the histogram of batch sizes from the server's statistics, since a mean of 4 may
come from batches of 4 or from a mix of 1 and 16.
"""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from hotloop.core.verdict import Ruling, Verdict
from hotloop.engines.serving import metrics
from hotloop.engines.serving.server import TritonServer
from hotloop.judge.author_guard import Check
from hotloop.judge.candidate import OF_DATA, Kind
from hotloop.judge.load_window import LoadedServer, Questions
from hotloop.judge.model_servers import no_answer, over, require_sound
from hotloop.judge.session import Session

_TRIES = 3
"""Number of load runs before a small mean counts. On a busy CPU, clients may send too few requests
at once. A server that does not delay requests computes single rows under any load, so retrying does
not help it."""

_LATE = 1.25
"""Allowed rows per request. The server counts an execution shortly after answering it, so it may
appear in the next reading."""


@dataclass(frozen=True)
class Batches(Check):
    """Mean batch size of one model under load.

    repository: builds the candidate's repository.
    questions: as in `LoadedSide`, made for a session.
    model: name of the model whose batches are counted.
    clients, requests: how many clients send how many requests together.
    least_mean: smallest allowed mean number of rows per execution, with `clients` clients.
    """

    fits: ClassVar[frozenset[Kind]] = OF_DATA
    timed: bool = field(default=True, kw_only=True)
    reads_answer: ClassVar[frozenset[str]] = frozenset({"repository"})
    repository: Callable[[Session], Path]
    questions: Callable[[Session], Questions]
    model: str
    least_mean: float
    clients: int = 16
    requests: int = 512

    def __call__(self, session: Session) -> str:
        """Apply the load, compare all answers and check the batch sizes; retry if too small."""
        session.alone()
        server = candidate_server(self.repository, session)
        session.progress(f"{self.clients} clients")
        sizes = self._sizes(server, session)
        for _ in range(_TRIES - 1):
            if mean_size(sizes) < self.least_mean:
                sizes = self._sizes(server, session)
        mean = mean_size(sizes)
        sentence = f"{self.clients} clients: {mean:.2f} rows in a mean execution of {self.model}"
        evidence = {"mean": mean, "sizes": {str(size): count for size, count in sizes.items()}}
        if mean >= self.least_mean:
            session.note(**evidence)
            return f"{sentence}."
        sentence += (
            f"; at least {self.least_mean:g} are asked for: let requests wait for one another."
        )
        session.note(**evidence)
        raise Ruling(Verdict.TOO_SLOW, sentence)

    def _sizes(self, server: TritonServer, session: Session) -> dict[int, int]:
        """Return by batch size how often the model computed one, during one load run."""
        before = self._histogram(server)
        side = LoadedServer(
            server,
            self.questions(session),
            session.seeds,
            clients=self.clients,
            requests=self.requests,
            threads=session.launcher.threads,
            trusted=False,
        )
        with closing(side):
            side.window([index % 4 == 0 for index in side.calls])
        sizes = metrics.fewer(self._histogram(server), before)
        _require_no_more_rows(sizes, self.requests, self.model)
        return sizes

    def _histogram(self, server: TritonServer) -> dict[int, int]:
        try:
            return metrics.batch_histogram(server.statistics(self.model), self.model)
        except (OSError, ValueError) as error:
            raise no_answer(server, error) from None


def candidate_server(repository: Callable[[Session], Path], session: Session) -> TritonServer:
    """Return the server for the candidate's repository, shared by all checks of a task."""

    def make() -> TritonServer:
        folder = repository(session)
        require_sound(folder)
        return over(folder, session)

    return session.once("candidate's server", make)


def _require_no_more_rows(sizes: Mapping[int, int], requests: int, model: str) -> None:
    """Raise Ruling if the model computed clearly more rows than requests.

    Batches must be filled by clients, not by running the model twice for each text.
    """
    rows = sum(size * count for size, count in sizes.items())
    if rows > _LATE * requests:
        sentence = f"{model} computed {rows} rows for {requests} texts: each needs it once."
        raise Ruling(Verdict.WRONG_ANSWER, sentence)


def mean_size(sizes: Mapping[int, int]) -> float:
    """Return the mean number of rows per execution. Raises Ruling if there was no execution."""
    executions = sum(sizes.values())
    if not executions:
        raise Ruling(Verdict.WRONG_ANSWER, "The model was not executed at all.")
    return sum(size * count for size, count in sizes.items()) / executions
