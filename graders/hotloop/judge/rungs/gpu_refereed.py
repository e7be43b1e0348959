"""Rungs for what computes on a GPU but is given its inputs in the host's memory: a training loop.

How the data gets to the card is part of what is judged. Timed is from the first byte that the loop
may see until its result lies in the judge's memory, which no work that is still under way can have
reached. The protocol is that of a CPU; card and clocks are watched as for kernels.
"""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.budget import TIME_IS_UP
from hotloop.judge.calls import Call, CallSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.compare import Floats
from hotloop.judge.constants import published
from hotloop.judge.fault import made
from hotloop.judge.gpu.card import Card
from hotloop.judge.gpu.ceiling import FILE as LIMITS
from hotloop.judge.gpu.ceiling import measure
from hotloop.judge.gpu.workers import candidate_worker, card_for_three, trusted_worker
from hotloop.judge.link import Link
from hotloop.judge.overrun import Overrun
from hotloop.judge.referee import Referee
from hotloop.judge.rungs.correct import Case, ask, frozen, ruling_about
from hotloop.judge.rungs.fast import Baseline
from hotloop.judge.rungs.refereed_fast import case_of
from hotloop.judge.scheduling import undisturbed
from hotloop.judge.session import Session
from hotloop.judge.speed import Pace, Trial
from hotloop.judge.speed_record import Limit, measured_on, rule_on_speed, speed_evidence
from hotloop.judge.verification import Rows, Verifier
from hotloop.judge.window import Side, Window, Workload

RESOLVE_TIMEOUT_S = 120.0
CONTROL_TOLERANCE = 0.03
IMPLAUSIBLE = 1.3
WARMUP_WINDOWS = 3
"""Algorithms are chosen, graphs captured and code compiled in them; none of it is timed."""

LONG_WINDOWS = Pace(pairs=3, looks=(6, 9, 14))
"""A window is one whole call, of tenths of a second: what disturbs a short one is lost in it."""

Entrant = Callable[[Session, Card], AbstractContextManager[tuple[Link, Candidate]]]
"""What computes for a candidate: a worker, and the function that is called in it."""


@contextmanager
def own_worker(session: Session, card: Card) -> Generator[tuple[Link, Candidate]]:
    """The candidate itself."""
    with candidate_worker(session, card) as link:
        yield link, session.candidate


@dataclass(frozen=True)
class GpuRefereed:
    """As `Refereed`, with candidate and referee on the GPU.

    entrant: gives what is asked, if that is not the candidate itself but a file that it has made.
    """

    cases: Callable[[np.random.Generator], Iterable[Case]]
    referee: Referee
    function: str
    disagreement: Callable[[Case, Floats, Floats], str | None]
    after: tuple[str, ...] = ("correct",)
    case_timeout_s: float = 120.0
    entrant: Entrant = own_worker

    def __call__(self, session: Session) -> str:
        """Ask both for every case; the first wrong one rules."""
        with card_for_three(session) as card:
            passed = 0
            with (
                self.entrant(session, card) as (link, run),
                self.referee.on_gpu(self.function, session, card) as truth,
            ):
                for case in made(self.cases(session.rng())):
                    with ruling_about(case):
                        got = ask(case, link, session.about(run), self.case_timeout_s)
                        with frozen(link):
                            found = self.disagreement(case, got, truth(case))
                        if found is not None:
                            raise Ruling(Verdict.WRONG_ANSWER, f"{found}.")
                    passed += 1
            said = f"Right on all {passed} hidden cases, on the GPU."
            session.note(cases=passed)
            return said


class CardSide(Side):
    """A side whose windows count only when the card was free and not throttled around them."""

    card: Card | None = None

    def window(self, adversarial: Sequence[bool]) -> Window:
        """As on a CPU, and the card is looked at when everything stands still again."""
        window = super().window(adversarial)
        if self.card is None or self.card.clean():
            return window
        return replace(window, foreign=1.0)


@dataclass(frozen=True)
class GpuRefereedFast:
    """Speed of whole calls on the GPU, every timed answer compared with the referee's.

    fewest_flops: of one call; the card's measured matrix product gives the limit.
    entrant: as in `GpuRefereed`.
    """

    workload: Workload
    baseline: Baseline
    referee: Referee
    function: str
    disagreement: Callable[[Case, Floats, Floats], str | None]
    fewest_flops: Callable[[CallSpec], int]
    after: tuple[str, ...] = ("gpu_correct",)
    seconds: float = 120.0
    pace: Pace = LONG_WINDOWS
    entrant: Entrant = own_worker

    def __call__(self, session: Session) -> str:
        """Correctness is known; measure, compare, rule."""
        try:
            return self._measured(session)
        except Overrun:
            raise Ruling(Verdict.UNDECIDED, TIME_IS_UP) from None

    def _measured(self, session: Session) -> str:
        with card_for_three(session) as card:
            session.progress("measuring the GPU's limits")
            with trusted_worker(session, LIMITS.parent, card) as link:
                peak = measure(link, matmul=True).flops_per_s
            with (
                self.entrant(session, card) as (link, run),
                trusted_worker(session, self.baseline.folder(session), card) as other,
                self.referee.on_gpu(self.function, session, card) as truth,
            ):
                self.baseline.prepare(other, session)
                ours = Candidate(self.baseline.name, self.baseline.path.name, "destination")
                other.resolve(ours.name, ours.file, RESOLVE_TIMEOUT_S)
                workload = replace(self.workload, verify=self._verifier(truth))
                threads = session.launcher.threads
                theirs = replace(workload, verify=published(workload.verify))
                side_a = CardSide(other, ours, theirs, threads, session.seeds)
                side_b = CardSide(link, run, workload, threads, session.seeds)
                try:
                    return self._judge(side_a, side_b, card, peak or 0.0, session)
                finally:
                    side_a.close()
                    side_b.close()

    def _verifier(self, truth: Callable[[Case], Floats]) -> Verifier:
        def verify(call: Call, _rows: Rows) -> None:
            case = case_of(call)
            found = self.disagreement(case, call.output_values(), truth(case))
            if found is not None:
                raise Ruling(Verdict.WRONG_ANSWER, f"In a timed call: {found}.")

        return verify

    def _judge(self, a: CardSide, b: CardSide, card: Card, peak: float, session: Session) -> str:
        session.progress("warming up")
        spec = self.workload.spec(session.seeds.shapes(), 0)
        for side in (b, a):
            side.plan([spec])
            for _ in range(WARMUP_WINDOWS):
                session.budget.remaining_s()
                side.window([False])
        # Our own baseline was right while it warmed up; the time is needed for the candidate.
        a.workload = replace(a.workload, verify=_was_verified)
        links: tuple[Link, Link] = (b.link, a.link)
        with undisturbed(links, session.launcher.threads):
            a.card = b.card = card
            trial = Trial(
                a,
                b,
                session.levels,
                session.rng(),
                session.deadline_in(self.seconds),
                session.progress,
                control_tolerance=CONTROL_TOLERANCE,
                pace=self.pace,
            )
            outcome = trial.run()
        flops = float(self.fewest_flops(spec))
        evidence = speed_evidence(
            outcome,
            session.levels,
            baseline=self.baseline.told,
            limit=Limit(flops / peak, flops_per_call=flops, flops_per_s=peak),
            calls_per_window=1,
            gpu=card.facts.name,
            clock=card.clocks.state().words(),
            **measured_on(spec),
        )
        return rule_on_speed(session, outcome, evidence, IMPLAUSIBLE)


def _was_verified(_call: Call, _rows: Rows) -> None:
    """What our own baseline computes was compared before."""
