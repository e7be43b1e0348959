"""Rung: under load, requests of several clients are computed together.

What is looked at is the histogram of batch sizes, from the server's statistics: a mean of 4 can be
fours, or ones and sixteens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from hotloop.judge.bench import Bench
from hotloop.judge.check import Candidate
from hotloop.judge.loaded import LoadedSide, Questions
from hotloop.judge.record import RungRecord
from hotloop.judge.served import no_answer, over, require_sound
from hotloop.judge.verdict import Ruling, Verdict
from hotloop.serving import metrics
from hotloop.serving.server import Server

_TRIES = 3
"""Clients that get too little of a busy CPU send too few requests at once. A server that does not
let requests wait computes single rows under any load, so more tries do not help it."""

_LATE = 1.25
"""An execution is counted a moment after it was answered: it may fall into the next reading."""


@dataclass(frozen=True)
class Batches:
    """repository: puts it together. questions: as in `LoadedSide`, made for a bench.

    model: whose batches. least_mean: rows of a mean execution while `clients` ask.
    """

    timed: ClassVar[bool] = True
    repository: Callable[[Bench], Path]
    questions: Callable[[Bench], Questions]
    model: str
    least_mean: float
    clients: int = 16
    requests: int = 512
    needs: tuple[str, ...] = ()

    def judge(self, name: str, candidate: Candidate, bench: Bench) -> RungRecord:
        """Put load on; compare all answers; look at the sizes: once more where they are small."""
        bench.have_machine_alone()
        server = candidate_server(self.repository, bench)
        bench.progress(f"{self.clients} clients")
        sizes = self._sizes(server, bench)
        for _ in range(_TRIES - 1):
            if mean_size(sizes) < self.least_mean:
                sizes = self._sizes(server, bench)
        mean = mean_size(sizes)
        said = f"{self.clients} clients: {mean:.2f} rows in a mean execution of {self.model}"
        evidence = {"mean": mean, "sizes": {str(size): count for size, count in sizes.items()}}
        if mean >= self.least_mean:
            return RungRecord(name, Verdict.PASSED, f"{said}.", 1.0, evidence=evidence)
        said += f"; at least {self.least_mean:g} are asked for: let requests wait for one another."
        return RungRecord(name, Verdict.TOO_SLOW, said, 0.0, evidence=evidence)

    def _sizes(self, server: Server, bench: Bench) -> dict[int, int]:
        """How often the model computed a batch of each size, under one load."""
        before = self._histogram(server)
        side = LoadedSide(
            server,
            self.questions(bench),
            bench.seeds,
            clients=self.clients,
            requests=self.requests,
            threads=bench.launcher.threads,
            trusted=False,
        )
        with closing(side):
            side.window([index % 4 == 0 for index in side.calls])
        sizes = metrics.fewer(self._histogram(server), before)
        _require_no_more_rows(sizes, self.requests, self.model)
        return sizes

    def _histogram(self, server: Server) -> dict[int, int]:
        try:
            return metrics.batch_histogram(server.statistics(self.model), self.model)
        except (OSError, ValueError) as error:
            raise no_answer(server, error) from None


def candidate_server(repository: Callable[[Bench], Path], bench: Bench) -> Server:
    """The one server over the candidate's repository that the rungs of a task share."""

    def make() -> Server:
        folder = repository(bench)
        require_sound(folder)
        return over(folder, bench)

    return bench.shared("candidate's server", make)


def _require_no_more_rows(sizes: Mapping[int, int], requests: int, model: str) -> None:
    """Batches are to be filled by clients: who asks a model twice about a text has larger ones."""
    rows = sum(size * count for size, count in sizes.items())
    if rows > _LATE * requests:
        said = f"{model} computed {rows} rows for {requests} texts: each needs it once."
        raise Ruling(Verdict.WRONG_ANSWER, said)


def mean_size(sizes: Mapping[int, int]) -> float:
    """Rows of a mean execution. Ruling when there was none."""
    executions = sum(sizes.values())
    if not executions:
        raise Ruling(Verdict.WRONG_ANSWER, "The model was not executed at all.")
    return sum(size * count for size, count in sizes.items()) / executions
