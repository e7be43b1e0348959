"""`hotloop check` where there is no sandbox: the CUDA kernels get practice verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hotloop.cli.judging import judging_line
from hotloop.cli.work import Work
from hotloop.core import extras
from hotloop.core.record import Record
from hotloop.core.user_error import UserError
from hotloop.learn.practice import verdicts
from hotloop.tasks import practice
from hotloop.tasks.curriculum import Task


def judge(work: Work, seed: str, gap: str) -> tuple[Work, dict[str, Record], str]:
    """Return what of the work was judged, the records, and what a graded verdict would need.

    gap: why there is no graded verdict here. Raises UserError with it if nothing can be judged.
    """
    kernels = _kernels(work)
    if not kernels:
        raise UserError(gap)
    if extras.missing(extras.SIMULATOR):
        raise UserError(
            f"{_sentence(gap)} For a practice verdict of {_names(kernels)} here: "
            f"{extras.remedy(extras.SIMULATOR)}"
        )
    judged = replace(work, tasks=kernels)
    with judging_line(verdicts.took_before(judged.keys)) as say:
        records = practice.judge_folder(
            work.folder,
            work.module.id,
            [task.id for task in kernels],
            on_progress=lambda text: say(f"judging: {text}"),
            variant=work.variant(),
            seed=seed,
        )
    others = [task for task in work.code if task not in kernels]
    left_out = f" Not judged: {_names(others)}." if others else ""
    told = f"For practice, never graded: the simulator judged here, without the sandbox.{left_out}"
    return judged, records, f"{told} For a graded verdict: {gap}"


def _kernels(work: Work) -> list[Task]:
    """Return the tasks that have practice verdicts; none in a take-home, where all is graded."""
    if work.pack is not None:
        return []
    return [task for task in work.code if practice.is_judged(work.module, task)]


def _names(tasks: Sequence[Task]) -> str:
    return ", ".join(task.id for task in tasks)


def _sentence(text: str) -> str:
    """Return the text with a full stop, unless it ends with a command."""
    return text if text.endswith((".", "'")) else f"{text}."
