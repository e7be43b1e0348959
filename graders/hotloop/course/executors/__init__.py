"""Executors of submissions: processes on this machine, or nodes of a cluster.

An executor takes work lazily and yields outcomes in any order, in groups of those that ended at
about the same time, so that the caller can store each group in one transaction. A submission whose
process or node is lost is tried again; if it is lost each time, its outcome is `Lost`: its points
stay open, and other submissions continue.
"""

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from hotloop.course.attempts.attempt import Attempt
from hotloop.course.hand_in import HandIn
from hotloop.course.notebook_run import Terms

Tell = Callable[[str, str, str], None]
"""Progress callback: key of a work item, task ("" while cells run), and what is being done."""


@dataclass(frozen=True)
class ExecutorWork:
    """One submission to execute. key: chosen by the caller, unique in a batch.

    earlier: an attempt of which only open checks that need a GPU are to be judged; None for all.
    """

    key: str
    hand_in: HandIn
    earlier: Attempt | None = None


@dataclass(frozen=True)
class Lost:
    """A submission without a result, not by the learner's fault. reason: one sentence."""

    reason: str


Outcome = tuple[str, Attempt | Lost]
Outcomes = Sequence[Outcome]


class Executor(Protocol):
    """Executes submissions."""

    def run(self, works: Iterable[ExecutorWork], terms: Terms, tell: Tell) -> Generator[Outcomes]:
        """Yield groups of outcomes.

        Closing the iterator, as Ctrl-C does, cancels all running work.
        """
        ...

    def has_gpu(self) -> bool:
        """True if it can currently execute work with an `earlier` attempt."""
        ...
