"""Rung: what the candidate has made stands up to everything that is asked of it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.labelled import labelled
from hotloop.judge.session import Session


@dataclass(frozen=True)
class Look:
    """At one thing. label: how the learner is told of it.

    mismatch: has it made, unless an earlier rung has, and looks at it; a sentence's beginning, or
        None.
    """

    label: str
    mismatch: Callable[[], str | None]


@dataclass(frozen=True)
class Holds:
    """Nothing is to be complained of.

    looks: in order, and not before the one ahead has found all well. said: then; with {count}, of
        the looks.
    """

    looks: Callable[[Session], Iterable[Look]]
    said: str
    after: tuple[str, ...] = ()

    def __call__(self, session: Session) -> str:
        """Look at everything; the first mismatch rules."""
        count = 0
        for look in self.looks(session):
            session.progress(look.label)
            with labelled(look.label):
                mismatch = look.mismatch()
            if mismatch is not None:
                raise Ruling(Verdict.WRONG_ANSWER, f"{look.label}: {mismatch}.")
            count += 1
        said = self.said.format(count=count)
        session.note(looks=count)
        return said
