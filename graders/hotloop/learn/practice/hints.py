"""A log of the hints on tasks that an assistant has given this learner, one line per hint.

A task has three hints, from a nudge to the structure. They are given in order, and after the first
one only after another check of the task: whoever asks three times in a row gets one hint. The log
stays on this machine, next to the verdicts, from which the checks are known. A line:

    {"at": "2026-03-01T09:30:00.125Z", "task": "fused_softmax.online_pass", "hint": 1}
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from hotloop.core import data_folder as place
from hotloop.core import whole_file
from hotloop.core.document import Strict
from hotloop.core.moment import Moment
from hotloop.core.user_error import UserError
from hotloop.learn.practice.verdicts import OFF, VerdictLine
from hotloop.tasks.curriculum import TaskKey
from hotloop.verdicts.words import NOT_STARTED

NAME = "hints.jsonl"


class HintLine(Strict):
    """One hint. hint: its number, from 1."""

    at: Moment
    task: TaskKey
    hint: Annotated[int, Field(ge=1)]


def path() -> Path:
    """Return the path of the log."""
    return place.folder() / NAME


def read(task: str) -> list[HintLine]:
    """Return the task's lines that can be read, in the order in which they were written."""
    try:
        texts = path().read_bytes().splitlines()
    except FileNotFoundError:
        return []
    lines: list[HintLine] = []
    for text in texts:
        with suppress(ValidationError):
            lines.append(HintLine.model_validate_json(text))
    return [line for line in lines if line.task == task]


def count(task: str) -> int:
    """Return how many hints on the task were given."""
    return max((line.hint for line in read(task)), default=0)


def take(task: str, of: int, checks: Iterable[VerdictLine] | None, now: datetime) -> int:
    """Note that the next hint is given, and return its number.

    of: how many the task has. checks: the log of verdicts; None for a task that only people grade.
    Raises UserError if it is not the next hint's turn, OSError if the log cannot be written.
    """
    if os.environ.get(OFF) == "1":
        raise UserError(
            f"No hint: {OFF}=1 turns off the record by which hints are given one at a time. The "
            "notebook has them, folded, below the task."
        )
    file = path()
    file.parent.mkdir(parents=True, exist_ok=True)
    with whole_file.alone(file.with_name(f".{file.name}.lock")):
        before = read(task)
        _require_turn(task, before, of, checks)
        number = 1 + max((line.hint for line in before), default=0)
        line = HintLine(at=now, task=task, hint=number)
        with file.open("ab") as stream:
            stream.write(line.model_dump_json().encode() + b"\n")
    return number


def _require_turn(
    task: str, before: list[HintLine], of: int, checks: Iterable[VerdictLine] | None
) -> None:
    if not before:
        return
    last = before[-1]
    if last.hint >= of:
        raise UserError(f"All {of} hints on {task} were given; there is no other one.")
    # A check of what nobody has begun is none.
    if checks is not None and not any(
        check.task == task and check.at > last.at and check.words != NOT_STARTED for check in checks
    ):
        raise UserError(
            f"Hint {last.hint + 1} on {task} comes after another check: {task} was not checked "
            f"since hint {last.hint}. Change the code, check it, then ask again."
        )
