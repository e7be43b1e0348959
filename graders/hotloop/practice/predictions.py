"""A log of what this learner predicted about their own code, one line a question.

It stays on this machine, beside the verdicts; `HOTLOOP_NO_VERDICT_LOG=1` turns it off too. A line:

    {"at": "2026-03-01T09:30:00.125Z", "task": "fused_softmax.cuda_block",
     "operator": "moved barrier", "said": "race", "sure": 0.7, "was": "race"}
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from hotloop.curriculum import TaskKey
from hotloop.practice import place
from hotloop.practice.moment import Moment
from hotloop.practice.verdicts import OFF
from hotloop.problem import Strict, Text

NAME = "predictions.jsonl"


class Line(Strict):
    """One prediction. said, was: outcomes, as `hotloop.predicting.outcomes` names them."""

    at: Moment
    task: TaskKey
    operator: Text
    said: Text
    sure: Annotated[float, Field(ge=0, le=1)]
    was: Text

    @property
    def right(self) -> bool:
        """Whether it came as predicted."""
        return self.said == self.was


def path() -> Path:
    """The file."""
    return place.folder() / NAME


def note(line: Line) -> None:
    """Adds a line. A folder that cannot be written is no reason to stop a game."""
    if os.environ.get(OFF) == "1":
        return
    with suppress(OSError):
        path().parent.mkdir(parents=True, exist_ok=True)
        # One write of one line in append mode: lines of two kernels do not mix.
        with path().open("ab", buffering=0) as stream:
            stream.write(line.model_dump_json().encode() + b"\n")


def read() -> list[Line]:
    """All lines that can be read; none before the first."""
    try:
        lines = path().read_bytes().splitlines()
    except FileNotFoundError:
        return []
    found: list[Line] = []
    for text in lines:
        with suppress(ValidationError):
            found.append(Line.model_validate_json(text))
    return found
