"""Grades again after a change of the grader: first in the shadow, then, on a word, for real.

In the shadow, attempts are stored that do not count, and compared with those that do. Publishing
books them through nbgrader, so that late penalties, extensions and what a person decided stay; the
audit log keeps who did it, when, why, and the points before and after.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hotloop.course import records
from hotloop.course.attempts.attempt import Attempt, Points, now
from hotloop.course.attempts.course_store import store
from hotloop.course.attempts.grader import grader_digest
from hotloop.course.attempts.record_files import TIME
from hotloop.course.booking import Bookkeeper
from hotloop.course.config import database
from hotloop.course.executors import Executor, Lost, Work
from hotloop.course.executors.local import Local
from hotloop.course.grade import judged_execute, submissions
from hotloop.course.judged_execute import grading, known
from hotloop.course.plan import NOT_SETTLED
from hotloop.course.progress import Batch, Progress
from hotloop.course.released import remembering
from hotloop.course.standing import is_dropped
from hotloop.course.submission import Submission, collect, load_release
from hotloop.course.write_ahead import write_ahead


@dataclass(frozen=True)
class Change:
    """What a regrade would change for one learner. reasons: by task, from which verdict to which.

    skipped: why nothing was compared, or nothing.
    """

    student: str
    old: Points | None
    new: Points | None
    reasons: Mapping[str, str] = field(default_factory=dict[str, str])
    skipped: str = ""

    @property
    def differs(self) -> bool:
        """True when points, open points or a verdict change."""
        return self.old != self.new or bool(self.reasons)


@dataclass(frozen=True)
class Regraded:
    """A regrade of one module. batch: its name in the audit log, empty until it is published."""

    module: str
    changes: Sequence[Change]
    batch: str = ""
    problems: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class _Pair:
    """A submission whose grade counts, and the shadow's attempt at it, if there is one."""

    student: str
    submission: Submission
    counts: records.Grading
    shadow: Attempt | None

    @property
    def is_new(self) -> bool:
        """False where the shadow is what counts already."""
        return self.shadow is not None and records.read(self.shadow).graded != self.counts.graded


def shadow(
    root: Path,
    module: str,
    students: Collection[str] | None = None,
    on_progress: Callable[[Progress], None] = lambda _progress: None,
    settings: Mapping[str, Any] | None = None,
    jobs: int = 1,
    *,
    executor: Executor | None = None,
) -> Regraded:
    """Execute what the present grader has not executed yet, and say what would change.

    Nothing that counts is touched. Killed at any moment, it goes on where it was.
    """
    root = root.resolve()
    judged = judged_execute(root, settings or {})
    pairs, skipped = _pairs(root, module, students, judged.asked())
    todo = {pair.student: pair for pair in pairs if pair.shadow is None}
    batch = Batch(len(todo), on_progress)
    problems: dict[str, str] = {}

    def tell(student: str, task: str, text: str) -> None:
        batch.step(student, module, task, text)

    works = (Work(student, pair.submission) for student, pair in todo.items())
    who = executor or Local(min(jobs, len(todo) or 1))
    kept = write_ahead(database(root))
    with kept, closing(who.run(works, judged.terms(), tell)) as outcomes:
        for student, outcome in outcomes:
            if isinstance(outcome, Lost):
                problems[student] = outcome.reason
            else:
                records.add(root, grading(student, module, outcome))
            batch.ended(student, module, failed=isinstance(outcome, Lost))
    pairs, _ = _pairs(root, module, students, judged.asked())
    changes = [*map(_change, pairs), *skipped]
    changes.sort(key=lambda change: change.student)
    return Regraded(module, changes, problems=problems)


def publish(
    root: Path,
    module: str,
    why: str,
    students: Collection[str] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Regraded:
    """Let the shadow's attempts count. ValueError without a reason, or where there is no shadow."""
    if not why.strip():
        raise ValueError("say why: the audit log keeps the reason of every change")
    root = root.resolve()
    batch = f"regrade-{now().strftime(TIME)}"
    pairs, skipped = _pairs(root, module, students, judged_execute(root, settings or {}).asked())
    ready = [pair for pair in pairs if pair.is_new]
    if not ready:
        raise ValueError(f"nothing was regraded of {module}: run it without --publish first")
    books = Bookkeeper(root, why, batch)
    problems: dict[str, str] = {}
    with write_ahead(database(root)), remembering():
        for pair in ready:
            assert pair.shadow is not None
            fresh = known(records.read(pair.shadow))
            problem = books.book(pair.student, module, fresh)
            problem = problem or books.feedback(pair.student, module)
            if problem:
                problems[pair.student] = problem
    return Regraded(module, [*map(_change, ready), *skipped], batch, problems)


def _pairs(
    root: Path, module: str, students: Collection[str] | None, tasks: Collection[str]
) -> tuple[list[_Pair], list[Change]]:
    """Whose grades can be compared, and whose cannot, with the reason."""
    release = load_release(root, database(root), module)
    pairs: list[_Pair] = []
    skipped: list[Change] = []
    for student, _ in submissions(root, students, [module]):
        counts = records.latest(root, student, module)
        submission = collect(root, student, release, tasks)
        if counts is None or counts.submission_digest != submission.digest:
            points = records.points(counts) if counts is not None else None
            reason = _why_skipped(root, student, submission, counts)
            skipped.append(Change(student, points, None, skipped=reason))
        else:
            pairs.append(_Pair(student, submission, counts, _shadow(root, student, counts)))
    return pairs, skipped


def _why_skipped(
    root: Path, student: str, submission: Submission, counts: records.Grading | None
) -> str:
    """Why there is nothing that could be graded again."""
    dropped = is_dropped(root, student, submission.module, submission.digest)
    if counts is None:
        return (
            "dropped, and nothing else counts"
            if dropped
            else "not graded yet: hotloop course grade"
        )
    if dropped:
        return "dropped: what counts is an earlier hand-in, which is no longer there"
    return "handed in anew since it was graded: hotloop course grade"


def _shadow(root: Path, student: str, counts: records.Grading) -> Attempt | None:
    """The newest attempt of the present grader, here, that is of use and was not dropped.

    The one that counts is its own shadow, where the grader has not changed since.
    """
    present = grader_digest(counts.module)
    dropped = store(root).dropped(student, counts.module)
    for attempt in reversed(store(root).history(student, counts.module)):
        if attempt.id in dropped or (attempt.submission_digest, attempt.grader_digest) != (
            counts.submission_digest,
            present,
        ):
            continue
        grading_ = records.read(attempt)
        verdicts = {rung.verdict for r in grading_.records.values() for rung in r.rungs}
        if grading_.graded >= counts.graded and not verdicts & NOT_SETTLED:
            return attempt
    return None


def _change(pair: _Pair) -> Change:
    old = records.points(pair.counts)
    if pair.shadow is None:
        return Change(pair.student, old, None, skipped="it could not be graded again")
    fresh = records.read(pair.shadow)
    return Change(
        pair.student, old, records.points(fresh), dict(_reasons(pair.counts.records, fresh.records))
    )


def _reasons(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """By task: its rungs whose verdicts differ, and what the grader says now."""
    for task, record in new.items():
        before = {rung.rung: rung for rung in old[task].rungs} if task in old else {}
        for rung in record.rungs:
            was = before[rung.rung].verdict.value if rung.rung in before else "not there"
            if was != rung.verdict.value:
                said = f"{rung.rung}: {was} → {rung.verdict.value}: {rung.sentence}"
                yield task, said
                break
