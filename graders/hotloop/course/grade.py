"""Grades a course: reads hand-ins, has them executed, and enters the results.

It can be killed at any time and resumes: entered results are not executed again, and a new hand-in
is pending until it is graded.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict
from hotloop.course import gradebook
from hotloop.course.attempts.attempt import Attempt, now
from hotloop.course.attempts.database_retry import StoreUnavailable
from hotloop.course.attempts.machine import machine
from hotloop.course.attempts.store import store
from hotloop.course.book import AUTOGRADED, Book
from hotloop.course.executors import Executor, ExecutorWork, Lost, Outcomes
from hotloop.course.executors.local import Local, attempt
from hotloop.course.feedback_pages import FeedbackPages
from hotloop.course.gpu_checks import open_on_gpu, verdicts_without_gpu
from hotloop.course.hand_in import SUBMITTED, HandIn, is_folder, read
from hotloop.course.notebook_run import WAITING, Terms
from hotloop.course.progress import Batch, Progress
from hotloop.course.released import load_release, released_modules
from hotloop.course.results import Graded, results
from hotloop.course.settings import Grading
from hotloop.course.standing import at_hand_in, is_dropped
from hotloop.judge.lease import Lease
from hotloop.judge.notebook_release import Release
from hotloop.tasks.notebook_cells import writable

NOT_SETTLED = frozenset({Verdict.UNDECIDED, Verdict.JUDGE_ERROR})
"""Verdicts that another measurement may settle.

Another machine may measure what this one could not; all other verdicts stay, however often they are
measured.
"""

log = logging.getLogger("hotloop.course")


def grade(
    root: Path,
    students: Collection[str] | None = None,
    modules: Collection[str] | None = None,
    on_progress: Callable[[Progress], None] = lambda _progress: None,
    settings: Mapping[str, Any] | None = None,
    tasks: Mapping[str, Collection[str]] | None = None,
    jobs: int = 1,
    *,
    executor: Executor | None = None,
    again: bool = False,
    feedback: bool = True,
) -> Graded:
    """Grade all submissions in the course at `root`, or those of some learners and modules.

    settings: traits of `Grading`. tasks: by learner, if not all are to be judged. jobs: how
    many to execute at once on this machine; executor: executes instead. again: also regrade
    submissions that are settled; their late penalties and pages follow the current dates and rules
    in any case.
    feedback: whether to write pages. Manual grades stay. Raises UserError if there is nothing to
    grade.
    """
    root = root.resolve()
    todo = submissions(root, students, modules)
    if not todo:
        raise UserError(f"There are no submissions to grade in {root / SUBMITTED}.")
    rules = Grading.of(root, settings or {})
    run = _Run(root, Batch(len(todo), on_progress), again=again, feedback=feedback)
    tasks_of = {
        student: tuple((tasks or {}).get(student, rules.tasks_to_judge())) for student, _ in todo
    }
    run.execute(todo, tasks_of, executor or Local(min(jobs, len(todo))), rules.terms())
    run.settle(todo)
    return results(root, todo, run.problems)


def grade_one(
    root: Path,
    settings: Grading,
    student: str,
    module: str,
    notes: Sequence[str] = (),
    *,
    again: bool = False,
) -> Attempt:
    """Grade one submission in this process, or enter its settled attempt again.

    notes: more sentences for the learner about the hand-in. again: also grade a dropped hand-in if
    an earlier one counts. Raises RuntimeError if there is no result; its grades are pending then.
    """
    hand_in = read(root, student, load_release(root, module), settings.tasks_to_judge())
    hand_in = replace(hand_in, notes=(*hand_in.notes, *map(writable, notes)))
    counts = store(root).published(student, module)
    stays = counts is not None and is_dropped(root, student, module, hand_in.digest)
    counts = counts if stays else at_hand_in(root, hand_in, counts)
    result: Attempt | Lost | None = _in_time(counts, hand_in)
    work = remaining(counts, hand_in, Local().has_gpu) if again or not stays else None
    if work is not None:
        result = attempt(work, settings.terms(), _log_waiting)
    if not isinstance(result, Attempt):
        Book(root).open(student, module)
        raise RuntimeError(result.reason if result else "")
    return Book(root).enter(result)[0]


def _log_waiting(key: str, _task: str, text: str) -> None:
    """Log that the submission waits; nbgrader's log has no place for other progress."""
    if text == WAITING:
        log.warning("%s: %s", key, text)


def submissions(
    root: Path, students: Collection[str] | None = None, modules: Collection[str] | None = None
) -> list[tuple[str, str]]:
    """Return learner and module of all submissions of released modules, sorted by name."""
    places = sorted((p.parent.name, p.name) for p in (root / SUBMITTED).glob("*/*") if is_folder(p))
    released = released_modules(root)
    return [
        (student, module)
        for student, module in places
        if (students is None or student in students)
        and (modules is None or module in modules)
        and module in released
    ]


def stands(counts: Attempt, hand_in: HandIn) -> bool:
    """True if the attempt is for this hand-in, and another run would settle nothing more.

    Checks that need a GPU are ignored.
    """
    verdicts = verdicts_without_gpu(counts)
    if counts.digest != hand_in.digest or verdicts & NOT_SETTLED:
        return False
    is_elsewhere = counts.machine != machine(str(counts.machine["isolation"]))
    return not (Verdict.NOT_MEASURED in verdicts and is_elsewhere)


def remaining(
    counts: Attempt | None, hand_in: HandIn, has_gpu: Callable[[], bool]
) -> ExecutorWork | None:
    """Return what is left to execute of a hand-in; None if the attempt that counts settles it."""
    if counts is None or not stands(counts, hand_in):
        return ExecutorWork(hand_in.key, hand_in)
    if has_gpu() and open_on_gpu(counts):
        return ExecutorWork(hand_in.key, hand_in, earlier=counts)
    return None


def _in_time(counts: Attempt | None, hand_in: HandIn) -> Attempt | None:
    """Return the attempt; a new one if the same work was handed in at another time.

    Lateness depends on the time, verdicts do not. A time that is gone changes nothing.
    """
    if counts is None or counts.digest != hand_in.digest:
        return counts
    if hand_in.handed_in in ("", counts.handed_in):
        return counts
    return replace(counts, handed_in=hand_in.handed_in, graded=now(), id=None)


class _Run:
    """One run over a course. problems: by key, what went wrong with a submission."""

    def __init__(self, root: Path, batch: Batch, *, again: bool, feedback: bool) -> None:
        self.problems: dict[str, str] = {}
        self._root, self._batch, self._again = root, batch, again
        self._book = Book(root)
        self._pages = FeedbackPages(root) if feedback else None
        self._has_gpu: Callable[[], bool] = Local().has_gpu

    def execute(
        self,
        todo: Sequence[tuple[str, str]],
        tasks_of: Mapping[str, Collection[str]],
        executor: Executor,
        terms: Terms,
    ) -> None:
        """Execute submissions that are not settled; enter each result while others run."""
        self._has_gpu = executor.has_gpu
        with closing(
            executor.run(self._works(todo, tasks_of), terms, self._batch.step)
        ) as outcomes:
            for ended in outcomes:
                # Hold the shared lease, so that this does not use a core during a measurement. That
                # is mostly one of this run, which its progress shows.
                with Lease().shared(lambda: None):
                    self._ended(ended)

    def settle(self, todo: Sequence[tuple[str, str]]) -> None:
        """Apply dates and rules, and write files that are missing or outdated."""
        with Lease().shared():
            changed = self._book.apply_rules(todo)
            for student, module in todo:
                if (key := f"{student}/{module}") not in self.problems:
                    self._try(key, partial(self._complete, student, module, changed))

    def _works(
        self, todo: Iterable[tuple[str, str]], tasks_of: Mapping[str, Collection[str]]
    ) -> Iterator[ExecutorWork]:
        """Yield work items, reading each hand-in when its turn comes, to limit memory."""
        releases: dict[str, Release] = {}
        attempts = store(self._root)
        known, entered = attempts.known(), gradebook.read(self._root, gradebook.places)
        for student, module in todo:
            if module not in releases:
                releases[module] = load_release(self._root, module)
            try:
                hand_in = read(self._root, student, releases[module], tasks_of[student])
            except OSError as error:
                key = f"{student}/{module}"
                self.problems[key] = f"It could not be read: {error}"
                self._batch.ended(key, failed=True)
                continue
            is_known = (student, module) in known
            counts = attempts.published(student, module) if is_known else None
            counts = at_hand_in(self._root, hand_in, counts)
            work = self._work(hand_in, counts, is_known=is_known)
            if work is None:
                current = _in_time(counts, hand_in)
                # With nbgrader, a submission can be removed from the gradebook.
                is_entered = current is counts and (student, module) in entered
                if current is not None and not is_entered:
                    self._book.enter(current)
                self._batch.left_alone()
                continue
            if counts is not None and work.earlier is None:
                # The grades would belong to an attempt that no longer counts.
                self._book.open(student, module)
            yield work

    def _work(
        self, hand_in: HandIn, counts: Attempt | None, *, is_known: bool
    ) -> ExecutorWork | None:
        if self._again:
            return ExecutorWork(hand_in.key, hand_in)
        if is_known and is_dropped(self._root, hand_in.student, hand_in.module, hand_in.digest):
            return None
        return remaining(counts, hand_in, self._has_gpu)

    def _ended(self, ended: Outcomes) -> None:
        together = self._entered([found for _, found in ended if isinstance(found, Attempt)])
        for key, outcome in ended:
            if isinstance(outcome, Lost):
                self.problems[key] = outcome.reason
            else:
                self._try(key, partial(self._finish, outcome, entered=together))
            self._batch.ended(key, failed=key in self.problems)

    def _entered(self, attempts: Sequence[Attempt]) -> bool:
        """Enter attempts in one transaction; False if each has to be entered alone."""
        if len(attempts) < 2:
            return False
        try:
            self._book.enter(*attempts)
        except StoreUnavailable:
            raise
        except Exception:
            log.exception("%d attempts could not be entered together", len(attempts))
            return False
        return True

    def _finish(self, attempt: Attempt, *, entered: bool) -> str:
        if not entered:
            self._book.enter(attempt)
        return self._pages.make(attempt.student, attempt.module) if self._pages else ""

    def _complete(self, student: str, module: str, changed: Collection[tuple[str, str]]) -> str:
        """Write what an earlier run could not, because it was killed or the disk was full."""
        if not (self._root / AUTOGRADED / student / module).is_dir():
            counts = store(self._root).published(student, module)
            if counts is not None:
                self._book.write(counts)
        pages = self._pages
        if pages is None or (
            pages.are_current(student, module) and (student, module) not in changed
        ):
            return ""
        return pages.make(student, module)

    def _try(self, key: str, work: Callable[[], str]) -> None:
        """Run `work`; an error becomes a problem of this submission only."""
        try:
            problem = work()
        except StoreUnavailable:
            raise  # the next submission would wait for the database too
        except Exception as error:
            log.exception("%s could not be entered", key)
            problem = f"{type(error).__name__}: {error}"
        if problem:
            self.problems[key] = problem
