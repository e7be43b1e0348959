"""Grades a course: plans what is to be executed, has it executed, and books what comes of it.

Killed at any moment, it goes on where it was: what is booked is not executed again, and whatever
was under way is pending until it is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from hotloop.course import records
from hotloop.course.attempts.course_store import store
from hotloop.course.booking import Bookkeeper
from hotloop.course.config import database, load_config
from hotloop.course.drops import book_again, settle
from hotloop.course.executors import Executor, Lost, Outcome, Tell, Work
from hotloop.course.executors.local import Local
from hotloop.course.judged_execute import JudgedExecute
from hotloop.course.plan import Item, Planned, plan
from hotloop.course.progress import Batch, Progress
from hotloop.course.released import notebook_ids, remembering
from hotloop.course.results import Graded, notes, results
from hotloop.course.submission import Release, collect, load_release
from hotloop.course.write_ahead import write_ahead
from hotloop.judge.lease import Lease

MEMORY_PER_JOB = 6 << 30
"""Bytes: the notebook's limit, and what judge and baseline take beside it."""


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

    `settings` are traits of `JudgedExecute`. `tasks`: by learner, where not all are to be judged.
    `jobs`: how many are executed at once on this machine; `executor`: who executes instead.
    What is graded as it stands is left alone, unless `again`. feedback: whether to write pages.
    What a person decided stays. FileNotFoundError when there is nothing to grade, or no course.
    """
    root = root.resolve()
    todo = submissions(root, students, modules)
    if not todo:
        raise FileNotFoundError(f"there are no submissions to grade in {root / 'submitted'}")
    judged = judged_execute(root, settings or {})
    items = [Item(s, m, tuple((tasks or {}).get(s, judged.asked()))) for s, m in todo]
    books = Bookkeeper(root)
    graded = Graded()
    url = database(root)
    releases = {module: load_release(root, url, module) for module in {i.module for i in items}}
    with write_ahead(url), remembering():
        planned = _plan(root, items, releases, books, again=again)
        batch = Batch(len(planned), on_progress)
        who = executor or Local(min(jobs, len(planned) or 1))
        works = (
            Work(i.key, collect(root, i.student, releases[i.module], i.tasks))
            for i in (each.item for each in planned)
        )
        with closing(who.run(works, judged.terms(), _teller(batch))) as outcomes:
            graded.problems.update(_book(outcomes, books, batch, feedback=feedback))
        graded.problems.update(_settle(root, items, planned, books))
        if feedback:
            graded.problems.update(_feedback(root, items, books, graded.problems))
    for item in items:
        graded.results.extend(results(root, item.student, item.module))
        if found := notes(root, item.student, item.module):
            graded.notes[item.key] = found
        graded.feedback.extend(sorted(_pages(root, item).glob("*.html")))
    return graded


def default_jobs() -> int:
    """As many gradings at once as the machine has cores, and memory for each."""
    cores = len(os.sched_getaffinity(0))
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(cores, memory // MEMORY_PER_JOB))


def submissions(
    root: Path, students: Collection[str] | None = None, modules: Collection[str] | None = None
) -> list[tuple[str, str]]:
    """Learner and module of all submissions of released modules, in name order."""
    found = sorted((p.parent.name, p.name) for p in (root / "submitted").glob("*/*") if p.is_dir())
    url = database(root)
    released = {module: bool(notebook_ids(url, module)) for module in {m for _, m in found}}
    return [
        (student, module)
        for student, module in found
        if (students is None or student in students)
        and (modules is None or module in modules)
        and released[module]
    ]


def learners(root: Path) -> list[str]:
    """Who has handed in anything, in name order."""
    return sorted({path.parent.name for path in (root / "submitted").glob("*/*") if path.is_dir()})


def _plan(
    root: Path,
    items: Sequence[Item],
    releases: Mapping[str, Release],
    books: Bookkeeper,
    *,
    again: bool,
) -> list[Planned]:
    """What is to be executed. From here on, no grade speaks of what is no longer there."""
    planned = list(plan(root, items, releases, again=again))
    for each in planned:
        if each.stale:
            books.open(each.item.student, each.item.module)
    return planned


def _teller(batch: Batch) -> Tell:
    def tell(key: str, task: str, text: str) -> None:
        batch.step(*Item.of(key), task, text)

    return tell


def _book(
    outcomes: Iterable[Outcome], books: Bookkeeper, batch: Batch, *, feedback: bool
) -> Iterator[tuple[str, str]]:
    """Book each as it comes, and write its page while the next ones are executed; key and log of
    each that came to nothing.
    """
    for key, outcome in outcomes:
        student, module = Item.of(key)
        # Whoever measures shares no core with this either.
        with Lease().shared():
            if isinstance(outcome, Lost):
                books.open(student, module)
                problem = outcome.reason
            else:
                problem = books.book(student, module, outcome)
                if feedback and not problem:
                    problem = books.feedback(student, module)
        batch.ended(student, module, failed=bool(problem))
        if problem:
            yield key, problem


def judged_execute(root: Path, settings: Mapping[str, Any]) -> JudgedExecute:
    """What the course's configuration, and then the caller, say of how submissions are judged."""
    config = load_config(root)
    config.JudgedExecute.update(dict(settings))
    return JudgedExecute(config=config)


def _settle(
    root: Path, items: Sequence[Item], planned: Sequence[Planned], books: Bookkeeper
) -> Iterator[tuple[str, str]]:
    """Book what counts, where a kill came between the dropping of an attempt and that."""
    with_drops = store(root).with_drops()
    executed = {each.item for each in planned}
    for item in items:
        if (item.student, item.module) not in with_drops or item in executed:
            continue
        with Lease().shared():
            problem = settle(root, books, item.student, item.module, item.tasks)
        if problem:
            yield item.key, problem


def _feedback(
    root: Path, items: Sequence[Item], books: Bookkeeper, problems: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Write the pages that are missing, or older than what was booked."""
    for item in items:
        if item.key in problems or _is_current(root, item):
            continue
        with Lease().shared():
            problem = _book_again(root, item, books) or books.feedback(item.student, item.module)
        if problem:
            yield item.key, problem


def _book_again(root: Path, item: Item, books: Bookkeeper) -> str:
    """Book once more what counts already, where a kill or a full disk came before its notebook was
    written; nothing is executed. Returns what nbgrader could not do, or nothing.
    """
    counts = records.latest(root, item.student, item.module)
    if counts is None or _notebooks(root, item):
        return ""
    return book_again(root, books, counts, item.tasks)


def _is_current(root: Path, item: Item) -> bool:
    pages = [path.stat().st_mtime_ns for path in _pages(root, item).glob("*.html")]
    booked = [path.stat().st_mtime_ns for path in _notebooks(root, item)]
    return bool(pages) and bool(booked) and min(pages) > max(booked)


def _notebooks(root: Path, item: Item) -> list[Path]:
    return list((root / "autograded" / item.student / item.module).glob("*.ipynb"))


def _pages(root: Path, item: Item) -> Path:
    return root / "feedback" / item.student / item.module
