"""Checks of ranks that torchrun starts from a candidate's file; in some, one is killed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_message
from hotloop.judge.questions import GivenFile
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import reading
from hotloop.tasks.modules.portable_trainer.given_files import LAUNCHING

COUNT, BATCH, STEPS, EVERY = 2, 8, 12, 2
TIMEOUT_S = 150.0

Sharding = Literal["data_parallel", "fully_sharded"]

CLOSE = 1e-4
"""Absolute tolerance of weights and velocities, all below 10, after 12 steps: sums over ranks have
another order than in one process. Mistakes are off by more than 1e-3.
"""


def trained(session: Session, how: Sharding, killed: bool = False) -> str:
    """Check that the ranks end with the weights of one process, and fetch each sample once.

    killed: a random rank gets SIGKILL at a random step, and torchrun restarts all of them. Returns
    the message for the learner; raises Ruling.
    """
    rng = session.rng()
    kill = [int(rng.integers(COUNT)), int(rng.integers(5, STEPS - 1))] if killed else []
    outcome = _launched(session, int(rng.integers(1 << 20)), how, kill)
    with reading():
        mismatch = _mismatch(outcome, how, kill)
    if mismatch is not None:
        raise Ruling(Verdict.WRONG_ANSWER, f"{mismatch}.")
    session.note(off=outcome["off"])
    lost = f"; one was lost at step {kill[1]}, and they went on" if kill else ""
    return f"Two ranks ended with the weights of one process{lost}."


def _launched(session: Session, seed: int, how: Sharding, kill: list[int]) -> dict[str, Any]:
    """Return what `launched` in launching.py reports.

    kill: connection number and step, or empty.
    """
    names = (session.candidate.file or "", "checkpoint.py")
    reported = LAUNCHING.given(session, "launches").ask(
        "launched",
        *(GivenFile(file, session.files.content(file)) for file in names),
        seed,
        STEPS,
        EVERY,
        how,
        [str(part) for part in kill],
        timeout_s=TIMEOUT_S,
    )
    return as_message(reported) or {}


def _mismatch(outcome: dict[str, Any], how: Sharding, kill: list[int]) -> str | None:
    if outcome["off"] is None or outcome["code"] != 0:
        return f"The ranks do not come to an end, or write no final file: {outcome['error']}"
    lives = [outcome["fetched"][at : at + COUNT] for at in range(0, 2 * COUNT, COUNT)]
    mismatch = _fetches_mismatch(lives if kill else lives[:1], kill)
    if mismatch is not None:
        return mismatch
    off, largest = outcome["off"], max(outcome["bytes"])
    if not off <= CLOSE:
        return f"In the end a weight or a velocity is off by {off:.2g} from that of one process"
    if how == "fully_sharded" and not largest <= 0.6 * outcome["whole"]:
        return f"One rank has {largest} of {outcome['whole']} bytes: that is more than a part"
    return None


def _fetches_mismatch(lives: list[list[Any]], kill: list[int]) -> str | None:
    """Check what was fetched. lives: for each start of the ranks, what each rank has fetched."""
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
