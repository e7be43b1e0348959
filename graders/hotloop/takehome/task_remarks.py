"""What a team may want to look at, of a task that past candidates have worked on."""

from __future__ import annotations

from collections.abc import Iterator

from hotloop.course.item_statistics import GOOD_CORRELATION
from hotloop.curriculum import Task
from hotloop.takehome.report import CheckQuality
from hotloop.takehome.task_figures import FEW, Difficulty, Discrimination, Time

_LONGER = 1.5


def remarks(
    task: Task,
    difficulty: Difficulty,
    time: Time,
    telling: Discrimination,
    checks: CheckQuality | None,
) -> list[str]:
    """Only what holds at the far end of an interval, or was counted."""
    return [
        *_hard(task, difficulty),
        *_telling(telling),
        *_long(time),
        *_checked(task, checks),
    ]


def _hard(task: Task, found: Difficulty) -> Iterator[str]:
    if found.interval is None or found.candidates < FEW:
        return
    if found.interval.low > 0.95:
        yield "Nearly everybody earns all of it: it tells nobody apart."
    if found.interval.high < 0.05:
        why = "it is too hard, or its check is wrong" if task.kind == "code" else "it is too hard"
        yield f"Nearly nobody earns any of it: {why}."


def _telling(found: Discrimination) -> Iterator[str]:
    if found.high is None or found.candidates < FEW:
        return
    if found.high < GOOD_CORRELATION:
        yield "Who does well here does not do well elsewhere: look at the task."


def _long(found: Time) -> Iterator[str]:
    if found.interval is not None and found.interval.low > _LONGER * found.planned:
        yield (
            f"By {found.candidates} work logs it takes longer than the {found.planned:g} minutes "
            "that candidates are told."
        )


def _checked(task: Task, checks: CheckQuality | None) -> Iterator[str]:
    if checks is None:
        if task.kind == "code":
            yield "Its checks were never recorded: `hotloop takehome calibrate --measure`."
        return
    if checks.wrong_passed:
        yield f"A wrong answer passed: {', '.join(checks.wrong_passed)}."
    if checks.reference_failed:
        yield f"The reference fell short: {', '.join(checks.reference_failed)}."
