"""A model repository is served faster than a baseline; both servers are measured in turn.

With many clients this measures throughput, with one client latency. With many clients, tail latency
must not increase.
"""

from collections.abc import Callable
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.engines.serving.server import TritonServer
from hotloop.judge.author_guard import Check
from hotloop.judge.candidate import OF_DATA, Kind
from hotloop.judge.case_label import labeled
from hotloop.judge.checks.batches import candidate_server
from hotloop.judge.load_window import TAIL, LoadedServer, LoadedWindow, Questions
from hotloop.judge.model_servers import over
from hotloop.judge.scheduling import undisturbed
from hotloop.judge.session import Session
from hotloop.judge.speed import Samples, SpeedComparison, require_hope
from hotloop.judge.speed_record import Limit, speed_evidence, speed_share
from hotloop.judge.statistics import Estimate, estimate

WARMUP_WINDOWS = 2
CONTROL_TOLERANCE = 0.06
"""Allowed deviation in the A/A control: a server is many processes, so its windows vary more than a
kernel's."""

TAIL_MARGIN = 0.95
IMPLAUSIBLE = 1.3


@dataclass(frozen=True)
class ServedFast(Check):
    """Throughput of a served model, compared with that of another repository under the same load.

    repository, baseline: build the two repositories that are compared.
    questions: as in `Batches`.

    clients, requests: of a window.
    limit_s: seconds per row of the network alone, on one thread, for batches of the given number of
        rows.
    seconds: time for measuring.
    """

    fits: ClassVar[frozenset[Kind]] = OF_DATA
    timed: bool = field(default=True, kw_only=True)
    reads_answer: ClassVar[frozenset[str]] = frozenset({"repository"})
    scored_by: str = field(default="levels", kw_only=True)
    repository: Callable[[Session], Path]
    baseline: Callable[[Session], Path]
    questions: Callable[[Session], Questions]
    limit_s: Callable[[Session, int], float]
    clients: int
    requests: int
    after: tuple[str, ...] | None = field(default=("batches",), kw_only=True)
    seconds: float = 40.0

    def __call__(self, session: Session) -> str:
        """Measure both servers and rule on the speedup; an earlier check decides correctness."""
        # Wait before starting the servers, whose allowed lifetime would run during the wait.
        session.alone()
        session.progress("starting the untuned server")
        theirs = candidate_server(self.repository, session)
        ours = session.once(
            "untuned server", lambda: over(self.baseline(session), session, trusted=True)
        )
        with (
            undisturbed((theirs.process, ours.process), session.launcher.threads),
            closing(self._side(ours, session, trusted=True)) as a,
            closing(self._side(theirs, session)) as b,
        ):
            session.progress("warming up")
            *_, baseline = [_window(a) for _ in range(WARMUP_WINDOWS)]
            require_hope(b, baseline.seconds, session.levels)
            _window(b)
            return self._judge(a, b, session)

    def _side(
        self, server: TritonServer, session: Session, *, trusted: bool = False
    ) -> LoadedServer:
        return LoadedServer(
            server,
            self.questions(session),
            session.seeds,
            clients=self.clients,
            requests=self.requests,
            threads=session.launcher.threads,
            trusted=trusted,
            waiting=nullcontext if trusted else session.budget.waiting,
        )

    def _judge(self, a: LoadedServer, b: LoadedServer, session: Session) -> str:
        rng = session.rng()
        deadline = session.deadline_in(self.seconds)
        comparison = SpeedComparison(
            a,
            b,
            session.levels,
            rng,
            deadline,
            session.progress,
            control_tolerance=CONTROL_TOLERANCE,
            budget=session.budget,
        )
        outcome = comparison.run()
        session.progress("measuring the network alone")
        threads = session.launcher.threads
        samples = outcome.samples
        tails = [tail_of(samples.baseline, a), tail_of(samples.candidate, b)]
        tail = tail_estimate(samples, a, b, rng)
        evidence = speed_evidence(
            outcome,
            baseline="the untuned repository",
            limit=Limit(self.limit_s(session, self.clients) / min(threads, self.clients)),
            calls_per_window=len(b.calls),
            threads=threads,
            shape=[self.clients],
            dtype="clients",
            p95_seconds=tails,
            p95_ratio=[tail.ratio, tail.interval.low, tail.interval.high],
        )
        who = "one client" if self.clients == 1 else f"{self.clients} clients"
        evidence["measures"] = f"requests of {who}, in a closed loop"
        evidence["limit"] = "the network alone"
        session.note(**evidence)
        with labeled(who.capitalize()):
            share, said = speed_share(outcome, evidence, IMPLAUSIBLE)
        said = f"{who.capitalize()}: {said}"
        if self.clients > 1 and share > 0 and tail.interval.high < TAIL_MARGIN:
            raise Ruling(Verdict.TOO_SLOW, _with_tail(said, tails))
        return session.award(share, said)


def _window(side: LoadedServer) -> LoadedWindow:
    return side.window([False] * len(side.calls))


def tail_of(blocks: list[list[float]], side: LoadedServer) -> float:
    """Return the median over windows of the 95th percentile of latency, in seconds."""
    return float(np.median([side.tails[s] for block in blocks for s in block]))


def tail_estimate(
    samples: Samples, a: LoadedServer, b: LoadedServer, rng: np.random.Generator
) -> Estimate:
    """Return baseline p95 over candidate p95: below 1, tail latency has increased."""
    return estimate(
        [[a.tails[s] for s in block] for block in samples.baseline],
        [[b.tails[s] for s in block] for block in samples.candidate],
        rng,
    )


def _with_tail(sentence: str, tails: list[float]) -> str:
    """Return the sentence that denies points for throughput gained at the cost of tail latency."""
    before, after = (1e3 * seconds for seconds in tails)
    return (
        f"{sentence} But {TAIL:.0%} of the answers came within {before:.1f} ms, and now within "
        f"{after:.1f}: no points for throughput that others wait for."
    )
