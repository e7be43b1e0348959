"""A log of what the judge said to this learner, one line a task, for `hotloop progress`.

It is written where a verdict is shown (`check(…)` in a notebook and `hotloop check`), stays on this
machine, and is feedback: no points come from it. `HOTLOOP_NO_VERDICT_LOG=1` turns it off. A line:

    {"at": "2026-03-01T09:30:00.125Z", "task": "fused_softmax.online_pass", "verdict": "passed",
     "points": 10.0, "pending": 0.0, "possible": 10.0, "by": "notebook", "seed": "",
     "seconds": 41.5}

by: `notebook` or `command`. seed: of the inputs, from which `hotloop repro` makes them again; empty
where somebody else judged, and in a take-home. seconds: that judging took.
"""

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from hotloop.core.record import Record
from hotloop.core.verdict import Verdict
from hotloop.curriculum import TaskKey
from hotloop.practice import place
from hotloop.practice.moment import Moment, written
from hotloop.problem import Score, Strict

NAME = "verdicts.jsonl"
OFF = "HOTLOOP_NO_VERDICT_LOG"

By = Literal["notebook", "command"]
Points = Annotated[float, Field(ge=0)]


class Line(Strict):
    """One verdict on one task."""

    at: Moment
    task: TaskKey
    verdict: Verdict
    points: Points
    pending: Points
    possible: Points
    by: By
    seed: str = ""
    seconds: float = 0.0

    @property
    def done(self) -> bool:
        """All that could be measured here passed."""
        return self.points > 0 and self.points + self.pending >= self.possible


@dataclass(frozen=True)
class Log:
    """The lines in the order in which they were written. faults: lines that could not be read."""

    lines: list[Line] = field(default_factory=list[Line])
    faults: list[str] = field(default_factory=list[str])


def path() -> Path:
    """The file."""
    return place.folder() / NAME


def note(record: Record, score: Score, by: By, *, own: bool) -> None:
    """Adds a line. A folder that cannot be written is no reason to withhold a verdict.

    own: this machine judged for nobody but the learner, so that the inputs are no secret.
    """
    if os.environ.get(OFF) == "1":
        return
    line = {
        "at": written(datetime.now(UTC)),
        "task": f"{record.module}.{record.task}",
        "verdict": str(record.verdict),
        "points": score.points,
        "pending": score.pending,
        "possible": score.possible,
        "by": by,
        "seed": record.circumstances.seed if own else "",
        "seconds": record.circumstances.seconds,
    }
    with suppress(OSError):
        path().parent.mkdir(parents=True, exist_ok=True)
        # One write of one line in append mode: lines of two kernels do not mix.
        with path().open("ab", buffering=0) as stream:
            stream.write(json.dumps(line).encode() + b"\n")


def read() -> Log:
    """All lines; what cannot be read is passed over and told of, with file and line."""
    log = Log()
    try:
        lines = path().read_bytes().splitlines()
    except FileNotFoundError:
        return log
    for number, text in enumerate(lines, 1):
        try:
            log.lines.append(Line.model_validate_json(text))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"]))
            log.faults.append(f"{path()}:{number}: {where or 'line'}: {first['msg']}")
    return log


def latest(lines: Iterable[Line]) -> dict[str, Line]:
    """The last line of each task."""
    return {line.task: line for line in lines}


def took_before(tasks: Iterable[str]) -> float:
    """Seconds that the last checks of these tasks (`module.task`) took; 0 where not known."""
    last = latest(read().lines)
    taken = [last[task].seconds if task in last else 0.0 for task in tasks]
    return sum(taken) if all(taken) else 0.0


def best(lines: Iterable[Line]) -> dict[str, Line]:
    """The line of each task that earned most; of equal ones the last."""
    found: dict[str, Line] = {}
    for line in lines:
        if line.task not in found or _worth(line) >= _worth(found[line.task]):
            found[line.task] = line
    return found


def _worth(line: Line) -> tuple[bool, float]:
    return line.done, line.points
