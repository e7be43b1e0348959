"""A file that a candidate writes to a hidden order, once for all checks of its task."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from hotloop.judge.checks.assertions import Assertion, Assertions
from hotloop.judge.file_exchange import MOST_BYTES
from hotloop.judge.questions import GivenFile, Plain
from hotloop.judge.session import Session
from hotloop.judge.written_files import TIMEOUT_S, Assignment, file_written

Order = TypeVar("Order")
Mismatch = Callable[[GivenFile, Order, Session], str | None]


@dataclass(frozen=True)
class OrderedFile(Generic[Order]):
    """name: the file's name.

    order: samples what is asked for; called once in a session.
    arguments: of the candidate's function for an order, before the path to write to.
    label: names the file in messages to the learner.
    entry: the candidate's function; None for the task's own.
    most_bytes: of the file.
    """

    name: str
    order: Callable[[Session], Order]
    arguments: Callable[[Order], tuple[Plain | GivenFile, ...]]
    label: str | Callable[[Order], str] = "Your file"
    entry: str | None = None
    timeout_s: float = TIMEOUT_S
    most_bytes: int = MOST_BYTES

    def ordered(self, session: Session) -> Order:
        """Return this session's order."""
        return session.once(f"order of {self.name}", lambda: self.order(session))

    def file(self, session: Session) -> GivenFile:
        """Return the file that the candidate writes. Raises Ruling if it writes none."""
        return session.once(f"candidate's {self.name}", lambda: self._written(session))

    def holds(self, mismatch: Mismatch[Order], said: str, *after: str) -> Assertions:
        """Return a check of the file.

        mismatch: takes file, order and session; returns a message fragment, or None. said: what a
        learner reads if it is right.
        """
        return Assertions(partial(self._assertions, mismatch=mismatch), said, after=after)

    def _assertions(self, session: Session, mismatch: Mismatch[Order]) -> Iterator[Assertion]:
        order = self.ordered(session)
        label = self.label if isinstance(self.label, str) else self.label(order)
        yield Assertion(label, lambda: mismatch(self.file(session), order, session))

    def _written(self, session: Session) -> GivenFile:
        order = self.ordered(session)
        label = self.label if isinstance(self.label, str) else self.label(order)
        writer = session if self.entry is None else session.of(self.entry)
        assignment = Assignment(label, self.arguments(order), self.name, lambda _data: None)
        written = file_written(assignment, writer, self.timeout_s, self.most_bytes)
        return GivenFile(self.name, written)
