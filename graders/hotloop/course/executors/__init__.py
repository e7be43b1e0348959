"""Who executes submissions: processes of this machine, or the nodes of a cluster.

An executor is given work lazily, and gives back what came of each in whatever order it comes. A
submission whose process or node is lost is tried again; one that is lost each time is `Lost`: its
points stay open, and the others go on.
"""

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import Protocol

from hotloop.course.attempts.attempt import Attempt
from hotloop.course.execution import Say, Terms, execute
from hotloop.course.hand_in import HandIn

Tell = Callable[[str, str, str], None]
"""Told the key of a piece of work, a task ("" while cells run) and what is being done."""


Execute = Callable[[HandIn, Terms, Say], Attempt]
"""A named function of a module, since another process may be told to call it."""


@dataclass(frozen=True)
class Work:
    """One submission to execute. key: the caller's name for it, unique in a batch. execute: what is
    done with it: a course runs the notebook's cells, a take-home has its own way.

    earlier: an attempt at it of which only those rungs are to be judged that need a GPU and are
    open; None for all.
    """

    key: str
    hand_in: HandIn
    execute: Execute = execute
    earlier: Attempt | None = None


@dataclass(frozen=True)
class Lost:
    """Nothing came of a submission, and it is not the learner's fault. reason: one sentence."""

    reason: str


Outcome = tuple[str, Attempt | Lost]


class Executor(Protocol):
    """Executes submissions."""

    def run(self, works: Iterable[Work], terms: Terms, tell: Tell) -> Generator[Outcome]:
        """What came of each. Closing the iterator, as Ctrl-C does, ends all that is under way."""
        ...

    def has_gpu(self) -> bool:
        """Whether work with an `earlier` attempt can be given to it, while it runs."""
        ...
