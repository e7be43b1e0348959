"""Grades a course's submissions: nbgrader's autograde and feedback, several learners at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hotloop.course.config import database, load_config
from hotloop.course.grade_one import Order, grade_one
from hotloop.course.pool import in_parallel
from hotloop.course.progress import Progress
from hotloop.course.released import notebook_ids
from hotloop.course.results import Graded

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
) -> Graded:
    """Grade all submissions in the course at `root`, or those of some learners and modules.

    `settings` are traits of `JudgedExecute`. `tasks`: by learner, where not all are to be judged.
    `jobs`: how many are graded at once; what measures speed has the machine to itself even then.
    Grading again replaces what was graded before, apart from what a person decided.
    FileNotFoundError when there is nothing to grade, or no course.
    """
    root = root.resolve()
    todo = submissions(root, students, modules)
    if not todo:
        raise FileNotFoundError(f"there are no submissions to grade in {root / 'submitted'}")
    load_config(root)
    orders = [
        Order(root, student, module, tuple((tasks or {}).get(student, ())), settings or {})
        for student, module in todo
    ]
    jobs = min(jobs, len(orders))
    each = in_turn(orders, on_progress) if jobs == 1 else in_parallel(orders, on_progress, jobs)
    graded = Graded()
    for one in each:
        graded.add(one)
    return graded


def default_jobs() -> int:
    """As many gradings at once as the machine has cores, and memory for each."""
    cores = len(os.sched_getaffinity(0))
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(cores, memory // MEMORY_PER_JOB))


def in_turn(orders: Sequence[Order], on_progress: Callable[[Progress], None]) -> Iterator[Graded]:
    """One after the other, in this process."""
    for done, order in enumerate(orders):
        start = Progress(order.student, order.module, "", "starting", done, len(orders))
        on_progress(start)

        def tell(_student: str, task: str, text: str, start: Progress = start) -> None:
            on_progress(replace(start, task=task, text=text))

        yield grade_one(order, tell)


def submissions(
    root: Path, students: Collection[str] | None = None, modules: Collection[str] | None = None
) -> list[tuple[str, str]]:
    """Learner and module of all submissions of released modules, in name order."""
    found = sorted((p.parent.name, p.name) for p in (root / "submitted").glob("*/*") if p.is_dir())
    return [
        (student, module)
        for student, module in found
        if (students is None or student in students)
        and (modules is None or module in modules)
        and notebook_ids(database(root), module)
    ]
