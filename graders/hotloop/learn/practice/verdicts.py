"""A log of the judge's verdicts for this learner, one line per task, for `hotloop progress`.

It is written when a verdict is shown (`check(…)` in a notebook and `hotloop check`) and stays on
this machine. It is feedback and earns no points. `HOTLOOP_NO_VERDICT_LOG=1` turns it off. A line:

    {"at": "2026-03-01T09:30:00.125Z", "task": "fused_softmax.online_pass", "verdict": "passed",
     "points": 10.0, "pending": 0.0, "possible": 10.0, "by": "notebook", "seed": "",
     "seconds": 41.5, "state": "passed"}

by: `notebook` or `command`. seed: of the inputs, from which `hotloop check --repro` draws them
again; "" if another machine judged, and in a take-home. seconds: duration of the judging.
practice: judged without the sandbox. state: the verdict in the words in which it was shown, such as
"not started".
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

from hotloop.core import data_folder as place
from hotloop.core.document import Strict
from hotloop.core.moment import Moment, written
from hotloop.core.record import Record, is_about_given
from hotloop.core.verdict import Verdict
from hotloop.tasks.curriculum import TaskKey
from hotloop.tasks.problem import Score
from hotloop.verdicts import words as verdict_words

NAME = "verdicts.jsonl"
OFF = "HOTLOOP_NO_VERDICT_LOG"

By = Literal["notebook", "command"]
Points = Annotated[float, Field(ge=0)]


class VerdictLine(Strict):
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
    instrumented: bool = False
    state: str = ""
    practice: bool = False

    @property
    def words(self) -> str:
        """The verdict as it was shown; older lines have only the verdict itself."""
        suffix = verdict_words.INSTRUMENTED if self.instrumented else ""
        return self.state or f"{verdict_words.words(self.verdict)}{suffix}"

    @property
    def done(self) -> bool:
        """True if everything that could be measured here passed."""
        return self.points > 0 and self.points + self.pending >= self.possible


@dataclass(frozen=True)
class Log:
    """The lines in the order in which they were written. faults: lines that could not be read."""

    lines: list[VerdictLine] = field(default_factory=list[VerdictLine])
    faults: list[str] = field(default_factory=list[str])


def path() -> Path:
    """Return the path of the log."""
    return place.folder() / NAME


def note(record: Record, score: Score, by: By, *, own: bool, variant: str = "") -> None:
    """Append a line. A folder that cannot be written does not withhold a verdict.

    A check with a given seed is no progress, and is not noted. own: this machine judged for the
    learner alone, so the inputs are not secret. variant: digest of the folder's.
    """
    if os.environ.get(OFF) == "1" or not is_about_given(record, variant):
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
        "instrumented": bool(verdict_words.instrumented(record)),
        "state": verdict_words.of_task(record),
        "practice": record.circumstances.practice,
    }
    append(path(), json.dumps(line))


def append(file: Path, line: str) -> None:
    """Append a line to a log; do nothing if its folder cannot be written."""
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        # A single write in append mode, so that lines from two kernels do not mix.
        with file.open("ab", buffering=0) as stream:
            stream.write(line.encode() + b"\n")


def read() -> Log:
    """Return all lines; those that cannot be read are reported in `faults`, with file and line."""
    log = Log()
    try:
        lines = path().read_bytes().splitlines()
    except FileNotFoundError:
        return log
    for number, text in enumerate(lines, 1):
        try:
            log.lines.append(VerdictLine.model_validate_json(text))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"]))
            log.faults.append(f"{path()}:{number}: {where or 'line'}: {first['msg']}")
    return log


def latest(lines: Iterable[VerdictLine]) -> dict[str, VerdictLine]:
    """Return the last line of each task."""
    return {line.task: line for line in lines}


def took_before(tasks: Iterable[str]) -> float:
    """Return the seconds that the last checks of these tasks took; 0 if unknown for any of them.

    tasks: keys `module.task`.
    """
    last = latest(read().lines)
    taken = [last[task].seconds if task in last else 0.0 for task in tasks]
    return sum(taken) if all(taken) else 0.0


def best(lines: Iterable[VerdictLine]) -> dict[str, VerdictLine]:
    """Return the best line of each task; the last one if several are equal."""
    best_lines: dict[str, VerdictLine] = {}
    for line in lines:
        if line.task not in best_lines or _worth(line) >= _worth(best_lines[line.task]):
            best_lines[line.task] = line
    return best_lines


def _worth(line: VerdictLine) -> tuple[bool, float]:
    return line.done, line.points
