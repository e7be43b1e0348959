"""The log of an attack: JSON lines, in the order in which things happened.

A person adds the lines of the kind `reading`, one for each attempt with claims:

    {"kind": "reading", "attacker": "grammar", "task": "ssa_passes.fold", "attempt": 7,
     "success": false, "why": "The check `sound` asks only that …"}
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from hotloop.author.attack.messages import CheckResult, Files
from hotloop.core.document import Strict
from hotloop.core.user_error import UserError
from hotloop.tasks.curriculum import TaskKey

Key = tuple[str, str, int]
"""Attacker, task and number of an attempt."""


class Control(Strict):
    """A task's right answer, judged first. fault: why the task is left out; "" if it is not."""

    kind: Literal["control"] = "control"
    task: TaskKey
    device: str
    checks: list[str]
    seconds: float
    fault: str


class _OfAttempt(Strict):
    attacker: str
    task: TaskKey
    attempt: int

    @property
    def key(self) -> Key:
        """Which attempt it is about."""
        return self.attacker, self.task, self.attempt


class Attempt(_OfAttempt):
    """An attempt and its judging.

    claims: what may be undeserved. noise: checks that stayed open for the right answer too.
    """

    kind: Literal["attempt"] = "attempt"
    at: str
    why: str
    honest: list[str]
    files: Files
    results: list[CheckResult]
    points: float
    possible: float
    claims: list[str]
    noise: list[str]
    seconds: float

    @property
    def module(self) -> str:
        """The module of the task."""
        return self.task.partition(".")[0]


class Fault(_OfAttempt):
    """The attacker had no answer; this counts as no attempt, and is not repeated."""

    kind: Literal["fault"] = "fault"
    fault: str


class Reading(_OfAttempt):
    """A person's ruling on an attempt with claims."""

    kind: Literal["reading"] = "reading"
    success: bool
    why: str


Line = Annotated[Control | Attempt | Fault | Reading, Field(discriminator="kind")]
_LINE: TypeAdapter[Control | Attempt | Fault | Reading] = TypeAdapter(Line)


def read(path: Path) -> list[Control | Attempt | Fault | Reading]:
    """Return all lines; none if there is no file.

    Raises UserError that names an invalid line. A last line without an end is left out: a run that
    was killed wrote it.
    """
    if not path.exists():
        return []
    whole, _, _ = path.read_text(encoding="utf-8").rpartition("\n")
    return list(_parsed(whole.split("\n"), path)) if whole else []


def _parsed(lines: Iterable[str], path: Path) -> Iterator[Control | Attempt | Fault | Reading]:
    for number, line in enumerate(lines, 1):
        try:
            yield _LINE.validate_json(line)
        except ValidationError as error:
            raise UserError(f"{path}:{number}: {error}") from None


def open_for_more(path: Path) -> None:
    """Cut off the unfinished last line of a run that was killed."""
    if path.exists():
        data = path.read_bytes()
        if not data.endswith(b"\n"):
            path.write_bytes(data[: data.rfind(b"\n") + 1])


def append(path: Path, line: Strict) -> None:
    """Write a line at once, so that an interrupted run keeps it."""
    with path.open("a", encoding="utf-8") as stream:
        stream.write(line.model_dump_json() + "\n")
