"""Documents that a judging service and its clients exchange about jobs."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from hotloop.core.document import Strict

State = Literal["open", "done", "canceled", "replaced"]
"""replaced: the same learner sent the same tasks again while this job was waiting."""

Phase = Literal["cpu", "gpu"]
"""Checks without a GPU are judged first; those that need one wait in a queue of their own."""


class RemoteJob(Strict):
    """A job as its owner sees it.

    phase: the phase that it waits for or is judged in; None once it has ended. running: whether it
    is being judged now; `said` is its progress. position: from 1, in the queue of this phase, which
    holds `waiting` jobs. expected_s: seconds until its turn, estimated from recent jobs; None while
    there is no estimate. problem: the service's fault that left points open. records: one per task,
    once judged; replaced when the GPU's results arrive.
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
    """Answer to a request: it is stored, and will be judged even if the client disconnects."""

    id: str


class Taken(Strict):
    """Answer to a hand-in: it is stored, and this is the time that counts as handed in.

    late: that it is late, and what that costs; "" if it is in time.
    """

    handed_in: datetime
    late: str = ""


class ModuleDate(Strict):
    """What a learner has to hand in. due: None for no date. if_late: what that would cost now.

    handed_in: when they did so last; None for never.
    """

    module: str
    due: datetime | None
    if_late: str
    handed_in: datetime | None


class Dates(Strict):
    """The released modules of a course."""

    modules: list[ModuleDate]


class Feedback(Strict):
    """The released feedback on one hand-in. pages: HTML, by the notebook's name."""

    handed_in: datetime
    pages: dict[Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]{0,100}$")], str]


class Released(Strict):
    """All feedback on a module that a learner may see, the oldest hand-in first."""

    feedback: list[Feedback]


class BoardPlace(Strict):
    """One solution. place: 1 for all whose interval overlaps the fastest one's, and so on.

    ratio, interval: of the speedup over the baseline. fraction_of_limit: share of the device's
    limit; None if it was not measured. count: what was counted on an open scale, such as cycles.
    """

    place: int
    name: str
    ratio: float
    interval: tuple[float, float]
    fraction_of_limit: float | None
    count: float | None = None


class Board(Strict):
    """The solutions that passed a speed check on a device, the fastest first. unit: of a count."""

    task: str
    check: str
    device: str
    places: list[BoardPlace]
    unit: str = ""


class Boards(Strict):
    """All boards of a module."""

    boards: list[Board]


class OneTimeLink(Strict):
    """A URL that works once."""

    link: str


class LoginAnswer(Strict):
    """Answer to an invitation. token: for the `Authorization: Bearer` header."""

    name: str
    role: Literal["learner", "instructor"]
    token: str
