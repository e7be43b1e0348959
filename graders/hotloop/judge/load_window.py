"""One timed window of a server: a set of requests from several clients, with all answers compared.

The judge owns the clock and the clients. The server's processes are frozen outside of its windows,
so that the two compared servers never run at the same time.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.engines.serving.http import HttpResponse
from hotloop.engines.serving.inference import InferenceFailed, decode
from hotloop.engines.serving.load import Clients, Load, LoadFailed, LoadTimeout, answer
from hotloop.engines.serving.server import TritonServer
from hotloop.judge.inference_request import Said
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.model_servers import no_answer
from hotloop.judge.scheduling import outranks_all
from hotloop.judge.seeds import Seeds
from hotloop.judge.stolen_time import FOREIGN_SHARE, foreign_share, steal_seconds
from hotloop.judge.worker_connection import freeze, readable
from hotloop.sandbox.processes import Usage

T = TypeVar("T")

TAIL = 0.95
TIMEOUT_S = 20.0

LEAD_IN = 8
"""Requests before the clock starts, since a server is slower right after it was frozen."""


@dataclass(frozen=True)
class LoadRequest:
    """A request as sent.

    mismatch: checks its answer; returns the beginning of a sentence, or None.
    """

    request: bytes
    mismatch: Callable[[Said], str | None]


Questions = Callable[[np.random.Generator, Sequence[bool]], Sequence[LoadRequest]]
"""Returns one question per flag; a true flag requests an adversarial one."""


@dataclass(frozen=True)
class LoadedWindow:
    """seconds: time of all requests together.

    tail_s: 95th percentile of their latencies.
    foreign: share of CPU time that others took.
    intact: False if the server used CPU time while it should have been frozen.
    """

    seconds: float
    tail_s: float
    foreign: float
    intact: bool

    @property
    def counts(self) -> bool:
        """True if the window is used as a sample."""
        return self.intact and self.foreign <= FOREIGN_SHARE


class LoadedServer:
    """A server with its clients; baseline or candidate of a comparison.

    calls: the requests of a window.
    trusted: the server runs only a repository of the check.
    waiting: counts the time inside its context as spent on the candidate.
    """

    def __init__(
        self,
        server: TritonServer,
        questions: Questions,
        seeds: Seeds,
        *,
        clients: int,
        requests: int,
        threads: int,
        trusted: bool,
        waiting: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self.server = server
        self.questions = questions
        self.seeds = seeds
        self.calls = range(requests)
        self.threads = threads
        self.trusted = trusted
        self.waiting = waiting
        self.tails: dict[float, float] = {}
        self._clients = self._guarded(lambda: Clients(server, clients))
        freeze(server.process.freezer, trusted=trusted)
        self._at_rest = server.process.freezer.usage()

    def window(self, adversarial: Sequence[bool]) -> LoadedWindow:
        """Run one window. Raises Ruling if the server fails or answers incorrectly."""
        requests = self.questions(self.seeds.generator(), [*(False,) * LEAD_IN, *adversarial])
        lead_in, timed = requests[:LEAD_IN], requests[LEAD_IN:]
        freezer = self.server.process.freezer
        before, stolen = freezer.usage(), steal_seconds()
        still = before == self._at_rest
        with self.waiting():
            freezer.thaw()
            first = self._ask(lead_in)
            load = self._ask(timed)
            freeze(freezer, trusted=self.trusted)
        after = self._at_rest = freezer.usage()
        stolen = steal_seconds() - stolen
        self._verify(lead_in, first)
        self._verify(timed, load)
        window = LoadedWindow(
            load.seconds,
            load.percentile(TAIL),
            self._foreign_share(before, after, first.seconds + load.seconds, stolen),
            intact=still and freezer.usage() == after,
        )
        self.tails[window.seconds / len(self.calls)] = window.tail_s
        return window

    def _ask(self, asked: Sequence[LoadRequest]) -> Load:
        requests = [one.request for one in asked]
        return self._guarded(lambda: self._clients.closed_loop(requests, TIMEOUT_S))

    def _foreign_share(self, before: Usage, after: Usage, seconds: float, stolen: float) -> float:
        """Return the share of CPU time that others took.

        A server idles between requests, and its processes wait for each other on few cores. That
        looks like foreign load. If the server has real-time priority, no other process can take
        those cores, so only stolen time counts.
        """
        if outranks_all(after.tasks):
            return stolen / (seconds * self.threads)
        return foreign_share(before, after, seconds, self.threads, stolen)

    def close(self) -> None:
        """Disconnect the clients and thaw the server, which continues to run."""
        self._clients.close()
        self.server.process.freezer.thaw()

    def _verify(self, requests: Sequence[LoadRequest], load: Load) -> None:
        for one, raw in zip(requests, load.answers, strict=True):
            mismatch = one.mismatch(self._said(raw))
            if mismatch is not None:
                self._rule(Ruling(Verdict.WRONG_ANSWER, f"Under load: {mismatch}."))

    def _said(self, raw: bytes) -> Said:
        response = answer(raw)
        if response.status != 200:
            return InferenceFailed(response.status, _message(response))
        try:
            return decode(response)
        except ValueError as error:
            said = f"Under load, an answer is none: {readable(str(error), 200)}"
            self._rule(Ruling(Verdict.WRONG_ANSWER, said))
            raise

    def _guarded(self, make: Callable[[], T]) -> T:
        try:
            return make()
        except LoadTimeout:
            self._rule(no_answer(self.server, TimeoutError()))
            raise
        except LoadFailed as error:
            self._rule(no_answer(self.server, error))
            raise

    def _rule(self, ruling: Ruling) -> None:
        if self.trusted:
            raise JudgeFault(f"our own server failed: {ruling}") from None
        raise ruling from None


def _message(response: HttpResponse) -> str:
    try:
        return str(response.json().get("error", ""))
    except ValueError:
        return f"HTTP status {response.status}"
