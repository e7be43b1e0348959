"""One timed window of a server: so many requests from so many clients, every answer compared.

Clock and clients are the judge's. The server's whole tree stands still except in its windows, so
that the two that are compared never run at the same time.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.fault import JudgeFault
from hotloop.judge.foreign import FOREIGN_SHARE, foreign_share, steal_seconds
from hotloop.judge.inquiry import Said
from hotloop.judge.link import freeze, readable
from hotloop.judge.scheduling import outranks_all
from hotloop.judge.seeds import Seeds
from hotloop.judge.served import no_answer
from hotloop.sandbox.freezer import Usage
from hotloop.serving.http import Answer
from hotloop.serving.inference import InferenceFailed, decode
from hotloop.serving.load import Clients, Load, LoadFailed, LoadTimeout, answer
from hotloop.serving.server import Server

T = TypeVar("T")

TAIL = 0.95
PATIENCE_S = 20.0

LEAD_IN = 8
"""Requests before the clock starts: who has stood still for longer is slower at first."""


@dataclass(frozen=True)
class Asked:
    """A request as it is sent, and what is thought of the answer to it."""

    request: bytes
    mismatch: Callable[[Said], str | None]


Questions = Callable[[np.random.Generator, Sequence[bool]], Sequence[Asked]]
"""As many as flags are given; a flag says that the question should be an awkward one."""


@dataclass(frozen=True)
class LoadedWindow:
    """seconds: of all requests together. tail_s: what 95 % of them stayed below."""

    seconds: float
    tail_s: float
    foreign: float
    intact: bool

    @property
    def counts(self) -> bool:
        """True for a window that is a sample."""
        return self.intact and self.foreign <= FOREIGN_SHARE


class LoadedSide:
    """A server with its clients. `calls`: the requests of a window; trusted: all of it is ours."""

    def __init__(
        self,
        server: Server,
        questions: Questions,
        seeds: Seeds,
        *,
        clients: int,
        requests: int,
        threads: int,
        trusted: bool,
    ) -> None:
        self.server = server
        self.questions = questions
        self.seeds = seeds
        self.calls = range(requests)
        self.threads = threads
        self.trusted = trusted
        self.tails: dict[float, float] = {}
        self._clients = self._guarded(lambda: Clients(server, clients))
        freeze(server.process.freezer, trusted=trusted)
        self._at_rest = server.process.freezer.usage()

    def window(self, adversarial: Sequence[bool]) -> LoadedWindow:
        """Make one. Ruling when the server fails or answers wrongly."""
        asked = self.questions(self.seeds.generator(), [*(False,) * LEAD_IN, *adversarial])
        lead_in, timed = asked[:LEAD_IN], asked[LEAD_IN:]
        freezer = self.server.process.freezer
        before, stolen = freezer.usage(), steal_seconds()
        still = before == self._at_rest
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

    def _ask(self, asked: Sequence[Asked]) -> Load:
        requests = [one.request for one in asked]
        return self._guarded(lambda: self._clients.closed_loop(requests, PATIENCE_S))

    def _foreign_share(self, before: Usage, after: Usage, seconds: float, stolen: float) -> float:
        """A server idles between requests, and its processes wait for each other on few cores.

        That looks like the work of others, and is none where no other may take those cores.
        """
        if outranks_all(after.tasks):
            return stolen / (seconds * self.threads)
        return foreign_share(before, after, seconds, self.threads, stolen)

    def close(self) -> None:
        """Hang up; the server is left running."""
        self._clients.close()
        self.server.process.freezer.thaw()

    def _verify(self, asked: Sequence[Asked], load: Load) -> None:
        for one, raw in zip(asked, load.answers, strict=True):
            mismatch = one.mismatch(self._said(raw))
            if mismatch is not None:
                self._rule(Ruling(Verdict.WRONG_ANSWER, f"Under load: {mismatch}."))

    def _said(self, raw: bytes) -> Said:
        found = answer(raw)
        if found.status != 200:
            return InferenceFailed(found.status, _message(found))
        try:
            return decode(found)
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


def _message(found: Answer) -> str:
    try:
        return str(found.json().get("error", ""))
    except ValueError:
        return f"HTTP status {found.status}"
