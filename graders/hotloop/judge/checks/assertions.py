"""What the candidate made passes a list of inspections."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ClassVar

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.author_guard import Authored, Check
from hotloop.judge.case_label import labeled
from hotloop.judge.session import Session


@dataclass(frozen=True)
class Assertion(Authored):
    """One property that must hold. label: its name in messages to the learner.

    mismatch: has the candidate make the object, unless an earlier check did, and looks at it;
        returns the beginning of a sentence, or None if it passes.
    """

    reads_answer: ClassVar[frozenset[str]] = frozenset({"mismatch"})
    label: str
    mismatch: Callable[[], str | None]


@dataclass(frozen=True)
class Assertions(Check):
    """What the candidate made has every property that is asserted.

    looks: yields the assertions in order; the next one is requested only after the one before
        held.
    said: sentence if all hold; `{count}` is the number of assertions.
    """

    looks: Callable[[Session], Iterable[Assertion]]
    said: str

    def __call__(self, session: Session) -> str:
        """Make every inspection; raise Ruling at the first mismatch."""
        count = 0
        for look in self.looks(session):
            session.progress(look.label)
            with labeled(look.label):
                mismatch = look.mismatch()
            if mismatch is not None:
                raise Ruling(Verdict.WRONG_ANSWER, f"{look.label}: {mismatch}.")
            count += 1
        session.note(looks=count)
        return self.said.format(count=count)
