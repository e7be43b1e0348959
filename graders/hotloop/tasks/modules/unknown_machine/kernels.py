"""The checks of tasks whose answer is a generator of programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hotloop.core.verdict import Ruling, Verdict
from hotloop.engines.accelerator.kernels import BY_NAME, Kernel
from hotloop.judge.check import CheckFunction, check
from hotloop.judge.session import Session
from hotloop.tasks.modules.unknown_machine import instances
from hotloop.tasks.modules.unknown_machine.programs_of_candidates import Outcome, outcome


def kernel(task: str) -> Kernel:
    """Return a task's kernel, of the machine of this judging."""
    seed = instances.kernel_seed() if task == "kernel" else instances.seed()
    return BY_NAME[task](seed)


def checks(
    task: str, references: Callable[[], Mapping[str, float]] = dict
) -> dict[str, CheckFunction]:
    """Return the checks: the programs are right, and their cycles on the open scale.

    references: scores of programs of ours on an input of their own, by name.
    """

    def correct(session: Session) -> str:
        sizes = ", ".join(map(str, kernel(task).items))
        outcome(session, kernel(task))
        return f"Right on secret inputs of {sizes} items."

    @check(after=("correct",), scored_by="levels")
    def cycles(session: Session) -> str:
        reached = outcome(session, kernel(task))
        scale = _scale(reached, references())
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
