"""The checks of tasks whose answer is a generator of programs, and their kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from hotloop.core.verdict import Ruling, Verdict
from hotloop.engines.accelerator import rows as matrices
from hotloop.engines.accelerator import walk as walks
from hotloop.engines.accelerator.kernel import MULTIPLE
from hotloop.engines.accelerator.walk import Walk
from hotloop.judge.check import CheckFunction, check
from hotloop.judge.session import Session
from hotloop.tasks.modules.unknown_machine import instances
from hotloop.tasks.modules.unknown_machine.programs_of_candidates import Kernel, Outcome, outcome

HASHES = 256
"""Items of the loop whose cycles count."""


def walk() -> Kernel:
    """Return the walk of this judging."""
    return replace(_of_walk(instances.walk(), walks.ITEMS), references=instances.references())


def any_kind() -> Kernel:
    """Return the kernel that the seed of this judging draws, of any kind."""
    machine, kind, shape = instances.kernel()
    return Kernel(
        machine=machine,
        naive=lambda count: kind.naive(shape, count),
        draw=lambda count, rng: kind.work(shape, count, rng),
        bound=lambda job: kind.bound(shape, machine, job),
        items=(MULTIPLE, 5 * MULTIPLE, kind.items),
        references=instances.kernel_references(),
    )


def hashes() -> Kernel:
    """Return the hash of this judging's walk, without its table: a loop whose work is the same."""
    return _of_walk(walks.without_table(instances.walk()), HASHES)


def _of_walk(shape: Walk, items: int) -> Kernel:
    machine = instances.machine()
    return Kernel(
        machine=machine,
        naive=lambda count: walks.naive(shape, count),
        draw=lambda count, rng: walks.work(shape, count, rng),
        bound=lambda job: walks.lower_bound(shape, machine, job),
        items=(MULTIPLE, 5 * MULTIPLE, items),
    )


def rows() -> Kernel:
    """Return the matrix of this judging."""
    machine, shape = instances.machine(), matrices.draw(instances.seed())

    return Kernel(
        machine=machine,
        naive=lambda count: matrices.naive(shape, count),
        draw=lambda count, rng: matrices.work(shape, count, rng),
        bound=lambda job: matrices.lower_bound(shape, machine, job),
        items=(MULTIPLE, 3 * MULTIPLE, matrices.ROWS),
    )


def checks(kernel: Callable[[], Kernel]) -> dict[str, CheckFunction]:
    """Return the checks: the programs are right, and their cycles on the open scale."""

    def correct(session: Session) -> str:
        sizes = ", ".join(map(str, kernel().items))
        outcome(session, kernel())
        return f"Right on secret inputs of {sizes} items."

    @check(after=("correct",), scored_by="levels")
    def cycles(session: Session) -> str:
        reached = outcome(session, kernel())
        scale = _scale(reached, kernel().references)
        session.note(open_scale=scale, waits=reached.run.waits)
        sentence = (
            f"{reached.run.cycles} cycles; naive {reached.naive}, lower bound {reached.bound}: "
            f"{reached.score:.3f} of the way."
        )
        share = max((lv.earned for lv in session.levels if reached.score >= lv.ratio), default=0.0)
        if share == 0:
            raise Ruling(Verdict.WRONG_ANSWER, sentence)
        return session.award(share, sentence)

    return {"correct": correct, "cycles": cycles}


def _scale(reached: Outcome, references: Mapping[str, float]) -> dict[str, Any]:
    """Return the evidence that `verdicts/open_scale.py` draws."""
    return {
        "unit": "cycles",
        "value": reached.run.cycles,
        "score": round(reached.score, 4),
        "marks": {
            "naive": {"score": 0, "value": reached.naive},
            "lower bound": {"score": 1, "value": reached.bound},
            **{name: {"score": score} for name, score in references.items()},
        },
    }
