"""Why points were lost or are open, in groups: what many learners met is one line."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from hotloop.core.record import NOT_REACHED, RungRecord
from hotloop.core.verdict import Verdict
from hotloop.course.class_page.marks import Mark

_NUMBER = re.compile(r"(?<!\w)[-+−]?\d+(?:,\d{3}(?!\d))*(?:\.\d+)?(?:[eE][-+]?\d+)?")
_SEVERAL = re.compile(r"#(?:, #)+")

NOT_JUDGED = "not_judged"
BY_HAND = "by_hand"

Clean = Callable[[str], str]
"""A sentence as the page may show it."""


@dataclass(frozen=True)
class Cause:
    """One reason for lost points. students: who met it."""

    task: str
    rung: str
    verdict: str
    sentence: str
    students: tuple[str, ...]


@dataclass(frozen=True)
class Waiting:
    """One reason for open points. kind: a pending verdict, `NOT_JUDGED` or `BY_HAND`."""

    kind: str
    sentence: str
    tasks: tuple[str, ...]
    students: tuple[str, ...]


def lost(marks: Iterable[Mark], clean: Clean) -> list[Cause]:
    """The first rung that failed of each task, the most common first.

    What comes after it on the ladder fails for the same reason.
    """
    met: dict[tuple[str, str, str, str], list[str]] = {}
    for mark in marks:
        rung = _first_failed(mark)
        if rung is not None:
            key = (mark.task, rung.rung, rung.verdict.value, clean(rung.sentence))
            met.setdefault(key, []).append(mark.student)
    causes = [Cause(*key, students=tuple(sorted(set(who)))) for key, who in met.items()]
    return sorted(causes, key=lambda c: (-len(c.students), c.task, c.rung, c.sentence))


def waiting(marks: Iterable[Mark], by_hand: Collection[str], clean: Clean) -> list[Waiting]:
    """Why points are open. by_hand: tasks that a person grades. Faults of the judge come first."""
    met: dict[tuple[str, str], list[Mark]] = {}
    for mark in marks:
        for key in set(_reasons(mark, by_hand, clean)):
            met.setdefault(key, []).append(mark)
    groups = [
        Waiting(
            kind,
            sentence,
            tuple(dict.fromkeys(mark.task for mark in who)),
            tuple(sorted({mark.student for mark in who})),
        )
        for (kind, sentence), who in met.items()
    ]
    return sorted(groups, key=lambda w: (_URGENCY.index(w.kind), -len(w.students), w.sentence))


def cleaner(names: Collection[str]) -> Clean:
    """Takes numbers out of a sentence, and learners' names: it may quote what one of them wrote."""
    if not names:
        return without_numbers
    either = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    name = re.compile(rf"(?<!\w)(?:{either})(?!\w)", re.IGNORECASE)
    return lambda sentence: without_numbers(name.sub("…", sentence))


def without_numbers(sentence: str) -> str:
    """Each number as #, and a list of them as one; what is part of a name stays, as in sm_80."""
    return _SEVERAL.sub("#", _NUMBER.sub("#", sentence))


_URGENCY = (
    Verdict.JUDGE_ERROR.value,
    NOT_JUDGED,
    Verdict.UNDECIDED.value,
    Verdict.NOT_MEASURED.value,
    BY_HAND,
)


def _first_failed(mark: Mark) -> RungRecord | None:
    if mark.record is None:
        return None
    failed = (
        rung
        for rung in mark.record.rungs
        if rung.verdict is not Verdict.PASSED and not rung.verdict.pending
    )
    return next(failed, None)


def _reasons(mark: Mark, by_hand: Collection[str], clean: Clean) -> Iterator[tuple[str, str]]:
    if not mark.score.pending:
        return
    if mark.task in by_hand:
        yield BY_HAND, "A person has yet to grade this."
    elif mark.record is None or not mark.record.pending:
        yield NOT_JUDGED, "There is no verdict that counts: the grading never came to its end."
    else:
        for rung in mark.record.rungs:
            # What is not reached waits for the same as the rung that comes first.
            if rung.verdict.pending and not rung.sentence.startswith(NOT_REACHED):
                yield rung.verdict.value, clean(rung.sentence)
