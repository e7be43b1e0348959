"""Groups the reasons for lost and open points, so that a common one is a single line."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from hotloop.core.record import NOT_REACHED, CheckRecord
from hotloop.core.verdict import Verdict
from hotloop.course.class_page.marks import TaskMark

_NUMBER = re.compile(r"(?<!\w)[-+−]?\d+(?:,\d{3}(?!\d))*(?:\.\d+)?(?:[eE][-+]?\d+)?")
_SEVERAL = re.compile(r"#(?:, #)+")

NOT_JUDGED = "not_judged"
BY_HAND = "by_hand"

Clean = Callable[[str], str]
"""Removes numbers and names from a sentence for the page."""


@dataclass(frozen=True)
class Cause:
    """A reason for lost points. students: the learners affected."""

    task: str
    check: str
    verdict: str
    sentence: str
    students: tuple[str, ...]


@dataclass(frozen=True)
class OpenPointsCause:
    """A reason for open points. kind: a pending verdict, `NOT_JUDGED` or `BY_HAND`."""

    kind: str
    sentence: str
    tasks: tuple[str, ...]
    students: tuple[str, ...]


def lost(marks: Iterable[TaskMark], clean: Clean) -> list[Cause]:
    """Group the first failed check of each task, the most common first.

    Later checks of a task fail for the same reason.
    """
    met: dict[tuple[str, str, str, str], list[str]] = {}
    for mark in marks:
        check = _first_failed(mark)
        if check is not None:
            key = (mark.task, check.check, check.verdict.value, clean(check.sentence))
            met.setdefault(key, []).append(mark.student)
    causes = [Cause(*key, students=tuple(sorted(set(who)))) for key, who in met.items()]
    return sorted(causes, key=lambda c: (-len(c.students), c.task, c.check, c.sentence))


def waiting(
    marks: Iterable[TaskMark], by_hand: Collection[str], clean: Clean
) -> list[OpenPointsCause]:
    """Group the reasons for open points, judge errors first.

    by_hand: tasks that a person grades.
    """
    met: dict[tuple[str, str], list[TaskMark]] = {}
    for mark in marks:
        for key in set(_reasons(mark, by_hand, clean)):
            met.setdefault(key, []).append(mark)
    groups = [
        OpenPointsCause(
            kind,
            sentence,
            tuple(dict.fromkeys(mark.task for mark in who)),
            tuple(sorted({mark.student for mark in who})),
        )
        for (kind, sentence), who in met.items()
    ]
    return sorted(groups, key=lambda w: (_URGENCY.index(w.kind), -len(w.students), w.sentence))


def cleaner(names: Collection[str]) -> Clean:
    """Return a function that removes numbers and learners' names, which quoted code may contain."""
    if not names:
        return without_numbers
    either = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    name = re.compile(rf"(?<!\w)(?:{either})(?!\w)", re.IGNORECASE)
    return lambda sentence: without_numbers(name.sub("…", sentence))


def without_numbers(sentence: str) -> str:
    """Replace numbers, and lists of numbers, by #; numbers in names, as in sm_80, stay."""
    return _SEVERAL.sub("#", _NUMBER.sub("#", sentence))


_URGENCY = (
    Verdict.JUDGE_ERROR.value,
    NOT_JUDGED,
    Verdict.UNDECIDED.value,
    Verdict.NOT_MEASURED.value,
    BY_HAND,
)


def _first_failed(mark: TaskMark) -> CheckRecord | None:
    if mark.record is None:
        return None
    failed = (
        check
        for check in mark.record.checks
        if check.verdict is not Verdict.PASSED and not check.verdict.pending
    )
    return next(failed, None)


def _reasons(mark: TaskMark, by_hand: Collection[str], clean: Clean) -> Iterator[tuple[str, str]]:
    if not mark.score.pending:
        return
    if mark.task in by_hand:
        yield BY_HAND, "A person has yet to grade this."
    elif mark.record is None or not mark.record.pending:
        yield NOT_JUDGED, "There is no verdict that counts: the grading never came to its end."
    else:
        for check in mark.record.checks:
            # A check that was not reached waits for the same as the first open one.
            if check.verdict.pending and not check.sentence.startswith(NOT_REACHED):
                yield check.verdict.value, clean(check.sentence)
