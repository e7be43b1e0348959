"""A log of this learner's predictions about their own code, one line per question.

It stays on this machine, next to the verdicts; `HOTLOOP_NO_VERDICT_LOG=1` turns off both. A line:

    {"at": "2026-03-01T09:30:00.125Z", "task": "fused_softmax.cuda_block",
     "operator": "moved barrier", "said": "race", "sure": 0.7, "was": "race"}
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from hotloop.core import data_folder as place
from hotloop.core.document import Strict, Text
from hotloop.core.moment import Moment
from hotloop.learn.practice.verdicts import OFF, append
from hotloop.tasks.curriculum import TaskKey

NAME = "predictions.jsonl"


class PredictionLine(Strict):
    """One prediction. said, was: predicted and actual outcome (`predicting.outcomes`)."""

    at: Moment
    task: TaskKey
    operator: Text
    said: Text
    sure: Annotated[float, Field(ge=0, le=1)]
    was: Text

    @property
    def right(self) -> bool:
        """True if the prediction was correct."""
        return self.said == self.was


def path() -> Path:
    """Return the path of the log."""
    return place.folder() / NAME


def note(line: PredictionLine) -> None:
    """Append a line. A folder that cannot be written does not stop the game."""
    if os.environ.get(OFF) != "1":
        append(path(), line.model_dump_json())


def read() -> list[PredictionLine]:
    """Return all lines that can be read; empty if there is no log."""
    try:
        lines = path().read_bytes().splitlines()
    except FileNotFoundError:
        return []
    predictions: list[PredictionLine] = []
    for text in lines:
        with suppress(ValidationError):
            predictions.append(PredictionLine.model_validate_json(text))
    return predictions
