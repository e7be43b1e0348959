"""Regrades after a change of the grader: first as shadow attempts, then published on request.

Shadow attempts are stored without counting, and compared with the attempts that count. Publishing
enters them, while late penalties, extensions and manual grades stay; the audit log records who did
it, when, why, and the points before and after.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from hotloop.core.record import Record
from hotloop.core.user_error import UserError
from hotloop.course.attempts.attempt import Attempt, AttemptPoints, batch_name, require_reason
from hotloop.course.attempts.store import store
from hotloop.course.book import Book
from hotloop.course.executors import ExecutorWork, Lost
from hotloop.course.executors.local import Local
from hotloop.course.feedback_pages import FeedbackPages
from hotloop.course.grade import NOT_SETTLED, submissions
from hotloop.course.hand_in import HandIn, read
from hotloop.course.points import of_attempt
from hotloop.course.progress import Batch, Progress
from hotloop.course.released import load_release
from hotloop.course.results import Total, results
from hotloop.course.settings import Grading
from hotloop.course.standing import is_dropped
from hotloop.course.worth import Worth, of_course
from hotloop.judge.grader_digest import grader_digest


@dataclass(frozen=True)
class RegradeEffect:
    """The effect of a regrade on one learner. old, new: the judge's points alone.

    reasons: by task, the change of verdict. skipped: why nothing was compared, or "".
    """

    student: str
    old: AttemptPoints | None
    new: AttemptPoints | None
    reasons: Mapping[str, str] = field(default_factory=dict[str, str])
    skipped: str = ""

    @property
    def differs(self) -> bool:
        """True if points, open points or a verdict change."""
        return self.old != self.new or bool(self.reasons)


@dataclass(frozen=True)
class Regraded:
    """A regrade of one module. batch: its name in the audit log, "" until it is published.

    totals: what the gradebook has now, with late penalties and what a person decided.
    """

    module: str
    changes: Sequence[RegradeEffect]
    totals: Sequence[Total]
    batch: str = ""
    problems: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class _Pair:
    """A submission with the attempt that counts, and its shadow attempt, or None."""

    hand_in: HandIn
    counts: Attempt
    shadow: Attempt | None

    @property
    def is_new(self) -> bool:
        """False if the shadow attempt already counts."""
        return self.shadow is not None and self.shadow.id != self.counts.id


def shadow(
    root: Path,
    module: str,
    students: Collection[str] | None = None,
    on_progress: Callable[[Progress], None] = lambda _progress: None,
    settings: Mapping[str, Any] | None = None,
    jobs: int = 1,
) -> Regraded:
    """Execute what the current grader has not executed yet, and return what would change.

    Nothing that counts is changed. It can be killed at any time and resumes.
    """
    root = root.resolve()
    rules = Grading.of(root, settings or {})
    pairs, skipped = _pairs(root, module, students, rules.tasks_to_judge())
    todo = [pair.hand_in for pair in pairs if pair.shadow is None]
    batch = Batch(len(todo), on_progress)
    problems: dict[str, str] = {}
    works = (ExecutorWork(hand_in.key, hand_in) for hand_in in todo)
    executor = Local(min(jobs, len(todo) or 1))
    with closing(executor.run(works, rules.terms(), batch.step)) as outcomes:
        for key, outcome in chain.from_iterable(outcomes):
            if isinstance(outcome, Lost):
                problems[key.rpartition("/")[0]] = outcome.reason
            else:
                store(root).add(outcome)
            batch.ended(key, failed=isinstance(outcome, Lost))
    pairs, _ = _pairs(root, module, students, rules.tasks_to_judge())
    worth = _worth(root, module)
    changes = [*(_change(pair, worth) for pair in pairs), *skipped]
    changes.sort(key=lambda change: change.student)
    return Regraded(module, changes, _totals(root, module, changes), problems=problems)


def publish(
    root: Path,
    module: str,
    why: str,
    students: Collection[str] | None = None,
) -> Regraded:
    """Make the shadow attempts count. Raises UserError without a reason or shadow attempts."""
    require_reason(why)
    root = root.resolve()
    batch = batch_name("regrade")
    tasks = Grading.of(root, {}).tasks_to_judge()
    pairs, skipped = _pairs(root, module, students, tasks)
    ready = [pair for pair in pairs if pair.is_new]
    if not ready:
        raise UserError(f"Nothing was regraded of {module}: run it without --publish first.")
    book, pages = Book(root, why, batch), FeedbackPages(root)
    problems: dict[str, str] = {}
    for pair in ready:
        assert pair.shadow is not None
        book.enter(pair.shadow)
        if problem := pages.make(pair.counts.student, module):
            problems[pair.counts.student] = problem
    worth = _worth(root, module)
    changes = [*(_change(pair, worth) for pair in ready), *skipped]
    return Regraded(module, changes, _totals(root, module, changes), batch, problems)


def _pairs(
    root: Path, module: str, students: Collection[str] | None, tasks: Collection[str]
) -> tuple[list[_Pair], list[RegradeEffect]]:
    """Return the submissions that can be compared, and those that cannot, with the reason."""
    release, worth = load_release(root, module), _worth(root, module)
    pairs: list[_Pair] = []
    skipped: list[RegradeEffect] = []
    for student, _ in submissions(root, students, [module]):
        counts = store(root).published(student, module)
        try:
            hand_in = read(root, student, release, tasks)
        except OSError as error:
            reason = f"it could not be read: {error}"
            skipped.append(RegradeEffect(student, of_attempt(counts, worth), None, skipped=reason))
            continue
        if counts is None or counts.digest != hand_in.digest:
            reason = _why_skipped(root, hand_in, counts)
            points = of_attempt(counts, worth)
            skipped.append(RegradeEffect(student, points, None, skipped=reason))
        else:
            pairs.append(_Pair(hand_in, counts, _shadow(root, counts)))
    return pairs, skipped


def _worth(root: Path, module: str) -> Worth:
    return store(root).read(lambda connection: of_course(connection, module))


def _totals(root: Path, module: str, changes: Sequence[RegradeEffect]) -> list[Total]:
    return results(root, [(change.student, module) for change in changes], {}).totals


def _why_skipped(root: Path, hand_in: HandIn, counts: Attempt | None) -> str:
    """Return why a submission cannot be regraded."""
    dropped = is_dropped(root, hand_in.student, hand_in.module, hand_in.digest)
    if counts is None:
        return (
            "dropped, and nothing else counts"
            if dropped
            else "not graded yet: hotloop course grade"
        )
    if dropped:
        return "dropped: what counts is an earlier hand-in, which is no longer there"
    return "handed in anew since it was graded: hotloop course grade"


def _shadow(root: Path, counts: Attempt) -> Attempt | None:
    """Return the newest settled attempt of the current grader that was not dropped, or None.

    If the grader has not changed, that is the attempt that counts.
    """
    attempts, present = store(root), grader_digest(counts.module)
    dropped = attempts.dropped(counts.student, counts.module)
    fitting = [
        attempt
        for attempt in attempts.history(counts.student, counts.module)
        if attempt.id not in dropped
        and (attempt.digest, attempt.grader) == (counts.digest, present)
        # By id, since other nodes' clocks may differ.
        and attempt.number >= counts.number
        and not attempt.verdicts & NOT_SETTLED
    ]
    return max(fitting, key=lambda attempt: attempt.number, default=None)


def _change(pair: _Pair, worth: Worth) -> RegradeEffect:
    old, fresh = pair.counts, pair.shadow
    before = of_attempt(old, worth)
    if fresh is None:
        return RegradeEffect(old.student, before, None, skipped="it could not be graded again")
    reasons = dict(_reasons(old.records, fresh.records))
    return RegradeEffect(old.student, before, of_attempt(fresh, worth), reasons)


def _reasons(old: Mapping[str, Record], new: Mapping[str, Record]) -> Iterator[tuple[str, str]]:
    """Yield for each task the first check whose verdict differs, with the new sentence."""
    for task, record in new.items():
        before = {check.check: check for check in old[task].checks} if task in old else {}
        for check in record.checks:
            was = before[check.check].verdict.value if check.check in before else "not there"
            if was != check.verdict.value:
                reason = f"{check.check}: {was} → {check.verdict.value}: {check.sentence}"
                yield task, reason
                break
