"""Who executes submissions: processes of this machine, or the nodes of a cluster.

An executor is given work lazily, and gives back what came of each in whatever order it comes. A
submission whose process or node is lost is tried again; one that is lost each time is `Lost`: its
points stay open, and the others go on.

A course's submission is judged in two phases: first without a GPU; then, where there is one, what
is left open for want of it (`gpu_phase`). Only the second one holds a GPU.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from hotloop.course.attempts.attempt import Attempt
from hotloop.course.execution import Say, Terms, execute, measure_open, open_rungs
from hotloop.course.hand_in import HandIn

Tell = Callable[[str, str, str], None]
"""Told the key of a piece of work, a task ("" while cells run) and what is being done."""


Execute = Callable[[HandIn, Terms, Say], Attempt]
"""A named function of a module, or a `partial` of one: another process may be told to call it."""


@dataclass(frozen=True)
class Work:
    """One submission to execute. key: the caller's name for it, unique in a batch. execute: what is
    done with it: a course runs the notebook's cells, a take-home has its own way. needs_gpu: it
    holds a GPU, where there is one.
    """

    key: str
    hand_in: HandIn
    execute: Execute = execute
    needs_gpu: bool = False


def gpu_phase(work: Work, attempt: Attempt) -> Work | None:
    """The second phase after `attempt` at the work's submission; None where no GPU is missing.

    A take-home has one phase: what executes it may use a GPU at once.
    """
    if work.execute is not execute or not open_rungs(attempt, work.hand_in.tasks):
        return None
    return replace(work, execute=partial(measure_open, attempt), needs_gpu=True)


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
        """True where work that needs a GPU would find one. Ask while `run` takes its works."""
        ...
