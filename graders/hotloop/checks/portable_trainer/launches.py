"""Ranks that torchrun starts from a learner's script, one of which is killed at a secret step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from hotloop.checks.portable_trainer.programs import LAUNCHING
from hotloop.judge.candidate import Candidate
from hotloop.judge.link import reading
from hotloop.judge.questions import GivenFile
from hotloop.judge.rung import Rung
from hotloop.judge.session import Session
from hotloop.judge.verdict import Ruling, Verdict
from hotloop.worker.wire import as_message

RANKS = Candidate("train", "ranks.py", "json")
COUNT, BATCH, STEPS, EVERY = 2, 8, 12, 2
TIMEOUT_S = 150.0

CLOSE = 1e-4
"""Weights and velocities after 12 steps, absolute: their magnitude is below 10, and the order of
sums over ranks is another one than in one process. Mistakes are off by more than 1e-3."""


@dataclass(frozen=True)
class Trains:
    """The ranks end with what one process ends with, and have fetched each sample once.

    killed: whether a rank is lost on the way.
    """

    how: Literal["data_parallel", "fully_sharded"]
    killed: bool = False
    after: tuple[str, ...] = ()

    def __call__(self, session: Session) -> str:
        """Have our program start them."""
        rng = session.rng()
        kill = [int(rng.integers(COUNT)), int(rng.integers(5, STEPS - 1))] if self.killed else []
        names = (session.candidate.file or "", "checkpoint.py")
        files = [GivenFile(file, session.files.content(file)) for file in names]
        told = LAUNCHING.given(session, "launches").ask(
            "launched",
            *files,
            int(rng.integers(1 << 20)),
            STEPS,
            EVERY,
            self.how,
            [str(part) for part in kill],
            timeout_s=TIMEOUT_S,
        )
        outcome = as_message(told) or {}
        with reading():
            mismatch = self._mismatch(outcome, kill)
        if mismatch is not None:
            raise Ruling(Verdict.WRONG_ANSWER, f"{mismatch}.")
        said = "Two ranks ended with the weights of one process"
        said += f"; one was lost at step {kill[1]}, and they went on." if kill else "."
        session.note(off=outcome["off"])
        return said

    def _mismatch(self, outcome: dict[str, Any], kill: list[int]) -> str | None:
        if outcome["off"] is None or outcome["code"] != 0:
            return f"The ranks do not come to an end, or write no final file: {outcome['error']}"
        lives = [outcome["fetched"][at : at + COUNT] for at in range(0, 2 * COUNT, COUNT)]
        return (
            _about_fetches(lives if kill else lives[:1], kill)
            or _about_distance(outcome["off"])
            or self._about_parts(outcome)
        )

    def _about_parts(self, outcome: dict[str, Any]) -> str | None:
        if self.how == "data_parallel":
            return None
        largest = max(outcome["bytes"])
        if largest <= 0.6 * outcome["whole"]:
            return None
        return f"One rank has {largest} of {outcome['whole']} bytes: that is more than a part"


def _about_distance(off: float) -> str | None:
    if off <= CLOSE:
        return None
    return f"In the end a weight or a velocity is off by {off:.2g} from that of one process"


def _about_fetches(lives: list[list[Any]], kill: list[int]) -> str | None:
    """lives: of the ranks before and after a loss, what each has fetched."""
    for life in lives:
        if len(life) != COUNT:
            return f"{len(life)} ranks fetched samples, and not {COUNT}"
        for step, numbers in _by_step(life):
            if len(set(numbers)) != len(numbers):
                return f"At step {step} a sample is counted twice"
    last = dict(_by_step(lives[-1]))
    begin = min(last, default=STEPS)
    if set(last) != set(range(begin, STEPS)) or any(len(n) != BATCH for n in last.values()):
        return "The ranks do not fetch all samples of all steps"
    if not kill:
        return None if begin == 0 else f"The ranks begin with step {begin}"
    if begin % EVERY:
        return f"A checkpoint is due every {EVERY} steps, and they went on with step {begin}"
    oldest = (kill[1] // EVERY) * EVERY - EVERY
    if begin < oldest:
        return f"A rank was lost at step {kill[1]}, and they went back to step {begin}"
    return None


def _by_step(life: list[Any]) -> Iterator[tuple[int, list[int]]]:
    together: dict[int, list[int]] = {}
    for fetched in life:
        for step, numbers in fetched:
            together.setdefault(step, []).extend(numbers)
    return iter(sorted(together.items()))


def rungs() -> dict[str, Rung]:
    """All rungs of the task."""
    return {
        "data_parallel": Trains("data_parallel"),
        "lost": Trains("data_parallel", killed=True, after=("data_parallel",)),
        "fully_sharded": Trains("fully_sharded"),
    }
