"""What a judging service says of a job: the document that travels, for both sides."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from hotloop.problem import Strict

State = Literal["open", "done", "cancelled", "replaced"]
"""replaced: the same learner has sent the same tasks again while this job still waited."""

Phase = Literal["cpu", "gpu"]
"""What needs no GPU is judged at once; what needs one waits for a queue of its own."""


class Job(Strict):
    """A job as its owner sees it.

    phase: what it waits for, or is judged on; None once it has ended. running: whether it is being
    judged at this moment, and `said` what is being done. position: from 1, in the queue of this
    phase, of `waiting`. expected_s: seconds until its turn, by what judging took lately; None while
    nothing is known. problem: why points stay open that could not be judged; a fault of the
    service. records: of the tasks, once they were judged; they change when the GPU's are there.
    """

    id: str
    state: State
    phase: Phase | None = None
    running: bool = False
    said: str = ""
    position: int | None = None
    waiting: int = 0
    expected_s: float | None = None
    submitted: datetime
    problem: str = ""
    records: list[dict[str, Any]] = Field(default_factory=list[dict[str, Any]])


class Stored(Strict):
    """The answer to a request: it is stored, and is judged whatever happens now."""

    id: str


class Taken(Strict):
    """The answer to a hand-in: it is stored, and counts as handed in at this moment."""

    handed_in: datetime


class Feedback(Strict):
    """The released feedback on one hand-in. pages: HTML, by the notebook's name."""

    handed_in: datetime
    pages: dict[Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]{0,100}$")], str]


class Released(Strict):
    """All feedback on a module that a learner may see, the oldest hand-in first."""

    feedback: list[Feedback]


class Placed(Strict):
    """One solution. place: 1 and those whose interval overlaps the first one's, and so on.

    ratio, interval: of the speedup over the baseline. fraction_of_limit: of what the device can do.
    """

    place: int
    name: str
    ratio: float
    interval: tuple[float, float]
    fraction_of_limit: float | None


class Board(Strict):
    """Who passed a check of speed on a device, the fastest first."""

    task: str
    rung: str
    device: str
    places: list[Placed]


class Boards(Strict):
    """Those of a module."""

    boards: list[Board]


class Link(Strict):
    """An address that works once."""

    link: str


class Login(Strict):
    """What an invitation is exchanged for. token: for the `Authorization: Bearer` header."""

    name: str
    role: Literal["learner", "instructor"]
    token: str
