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
from hotloop.tasks.curriculum import Module, Task, curriculum


def judge(work: Work, seed: str, gap: str) -> tuple[Work, dict[str, Record], str]:
    """Return what of the work was judged, the records, and what a graded verdict would need.

    gap: why there is no graded verdict here. Raises UserError with it if nothing can be judged.
    """
    is_graded = work.pack is not None  # all of a take-home is
    kernels = [] if is_graded else [t for t in practice.kernels(work.module) if t in work.code]
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


def offer(modules: Sequence[Module]) -> str:
    """Return what a machine without the judge gives practice verdicts of; "" if of none.

    The easiest module comes first: its first kernel is the one to begin with.
    """
    tiers = curriculum().tiers
    easiest = sorted(modules, key=lambda module: tiers.index(module.tier))
    kernels = {module.id: practice.kernels(module) for module in easiest}
    named = [name for name, tasks in kernels.items() if tasks]
    if not named:
        return ""
    first = kernels[named[0]]
    what = _names(first) if len(named) == 1 else f"the CUDA kernels of {', '.join(named)}"
    if extras.missing(extras.SIMULATOR):
        return f"For practice verdicts of {what} here: {extras.remedy(extras.SIMULATOR)}"
    return f"For practice, {what} are judged here: hotloop check {named[0]}.{first[0].id}"


def _names(tasks: Sequence[Task]) -> str:
    return ", ".join(task.id for task in tasks)


def _sentence(text: str) -> str:
    """Return the text with a full stop, unless it ends with a command."""
    return text if text.endswith((".", "'")) else f"{text}."
