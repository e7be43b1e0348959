"""A round of interviews of a given length: which questions, in which order, and from which minute.

The first minutes are for a warm-up and the last ones for the candidate's own questions.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from hotloop.learn.bank.catalog import CatalogEntry

WARM_UP, CLOSING = 5, 5
"""Minutes before the first and after the last question."""

SHORTEST = 15
"""Minutes of the shortest round."""

_LEVELS = ("beginner", "intermediate", "advanced")


@dataclass(frozen=True)
class PlannedQuestion:
    """A question, and from which to which minute it is asked."""

    entry: CatalogEntry
    begins: int

    @property
    def ends(self) -> int:
        """The minute at which the next one begins."""
        return self.begins + self.entry.question.minutes


@dataclass(frozen=True)
class InterviewRound:
    """What is asked when. spare: chosen questions for which there is no time."""

    minutes: int
    questions: tuple[PlannedQuestion, ...]
    spare: tuple[CatalogEntry, ...]

    @property
    def closing(self) -> int:
        """The minute from which the candidate asks."""
        return self.minutes - CLOSING


def fit(
    entries: Sequence[CatalogEntry], minutes: int, seed: str = "", *, in_order: bool = False
) -> InterviewRound:
    """Return a round with as many of the questions as fit, easier ones before harder ones.

    They are of as many modules and levels as possible. seed: another one chooses other questions.
    in_order: take the first ones that fit, and leave them in their order.
    """
    left = minutes - WARM_UP - CLOSING
    chosen: list[CatalogEntry] = []
    waiting = list(entries) if in_order else sorted(entries, key=lambda e: _drawn(e, seed))
    while fitting := [e for e in waiting if e.question.minutes <= left]:
        entry = fitting[0] if in_order else min(fitting, key=lambda e: _rank(e, chosen))
        chosen.append(entry)
        waiting.remove(entry)
        left -= entry.question.minutes
    if not in_order:
        chosen.sort(key=lambda e: (_LEVELS.index(e.question.level), e.question.minutes))
    planned: list[PlannedQuestion] = []
    begins = WARM_UP
    for entry in chosen:
        planned.append(PlannedQuestion(entry, begins))
        begins = planned[-1].ends
    return InterviewRound(minutes, tuple(planned), tuple(waiting) if in_order else ())


def _drawn(entry: CatalogEntry, seed: str) -> str:
    """Return a hash, so that the order does not depend on the bank's own, which is by module."""
    return hashlib.sha256(f"{seed}.{entry.key}".encode()).hexdigest()


def _rank(entry: CatalogEntry, chosen: Sequence[CatalogEntry]) -> tuple[int, int, int]:
    """Return what is least for a question whose module, level and kind were chosen least."""
    modules = Counter(one.module or one.track for one in chosen)
    levels = Counter(one.question.level for one in chosen)
    kinds = Counter(one.question.kind for one in chosen)
    own = entry.question
    # One easy question is enough to begin with.
    weight = 3 if own.level == "beginner" else 1
    return modules[entry.module or entry.track], weight * levels[own.level], kinds[own.kind]
