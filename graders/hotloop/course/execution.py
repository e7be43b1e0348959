"""Executes one submission: its cells run in a sandboxed kernel, and the judge is asked.

In two phases: `execute` holds no GPU; `measure_open` then judges what needs one, and only that.

It needs no gradebook and no course, and what comes of it is plain data: any process on any node
may do it.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hotloop import curriculum
from hotloop.core.record import Record
from hotloop.core.verdict import Verdict
from hotloop.course.attempts.attempt import Attempt, now
from hotloop.course.attempts.grader import grader_digest, machine
from hotloop.course.hand_in import HandIn
from hotloop.course.isolation import Isolation, choose
from hotloop.course.judging import Judge, shared_judge
from hotloop.course.kernel import Limits
from hotloop.course.notebook_run import NotebookRun, Settings, shown
from hotloop.judge.files import lay_out
from hotloop.judged_again import with_rungs

Say = Callable[[str, str], None]
"""Told a task, "" while cells run, and what is being done."""


@dataclass(frozen=True)
class Terms:
    """Under what notebooks run and are judged.

    cell_s, notebook_s: seconds that one cell, and all cells, of a learner may run. judge_budget_s:
    seconds that judging one task may take. memory_bytes: of a learner's notebook. isolation and
    judge must be picklable, that is named functions of a module, where another process executes.
    """

    cell_s: float = 60.0
    notebook_s: float = 600.0
    judge_budget_s: float = 180.0
    memory_bytes: int = 4 << 30
    isolation: Callable[[], Isolation] = choose
    judge: Callable[[], Judge] = shared_judge


def execute(hand_in: HandIn, terms: Terms, say: Say = lambda _task, _text: None) -> Attempt:
    """Run the cells of a notebook that was handed in, and have its tasks judged without a GPU.

    Nothing that the submission does is raised here: it becomes a verdict.
    """
    return _execute(hand_in, terms, say, None)


def open_rungs(attempt: Attempt, tasks: Collection[str]) -> dict[str, list[str]]:
    """By task, the rungs that were not measured, where at least one of them needs a GPU.

    tasks: those that were to be judged; empty for all.
    """
    found: dict[str, list[str]] = {}
    for task in curriculum.load_module(attempt.module).tasks:
        if task.id not in attempt.records or (tasks and task.id not in tasks):
            continue
        judged = {rung.rung: rung.verdict for rung in attempt.records[task.id].rungs}
        left = [r for r in task.rungs if judged.get(r.id) is Verdict.NOT_MEASURED]
        if any(rung.needs_gpu for rung in left):
            found[task.id] = [rung.id for rung in left]
    return found


def measure_open(before: Attempt, hand_in: HandIn, terms: Terms, say: Say) -> Attempt:
    """The attempt with its `open_rungs` judged on this machine's GPU, and all else as it was.

    hand_in: the one that `before` is about.
    """
    rungs = open_rungs(before, hand_in.tasks)
    later = _execute(replace(hand_in, tasks=tuple(rungs)), terms, say, rungs)
    records = {
        task: _merged(before.records[task], later.records[task], rungs[task]) for task in rungs
    }
    module = curriculum.load_module(before.module)
    outputs = [
        [shown(records[grade_id], module)] if grade_id in records else output
        for (grade_id, _), output in zip(hand_in.cells, before.outputs, strict=True)
    ]
    return replace(
        before,
        machine=later.machine,
        graded=later.graded,
        seconds=round(before.seconds + later.seconds, 3),
        records={**before.records, **records},
        outputs=outputs,
        id=None,
    )


def _merged(before: Record, later: Record, rungs: Collection[str]) -> Record:
    """A ruling about the whole task, as of a kernel that died, says nothing of its other rungs."""
    judged = tuple(rung for rung in later.rungs if rung.rung in rungs)
    return with_rungs(before, replace(later, rungs=judged))


def _execute(
    hand_in: HandIn, terms: Terms, say: Say, rungs: Mapping[str, Sequence[str]] | None
) -> Attempt:
    """rungs: as in `Settings`."""
    started = time.monotonic()
    isolation = terms.isolation()
    settings = Settings(
        limits=Limits(
            cell_s=terms.cell_s, notebook_s=terms.notebook_s, memory_bytes=terms.memory_bytes
        ),
        judge_budget_s=terms.judge_budget_s,
        tasks=tuple(hand_in.tasks),
        isolation=isolation,
        judge=terms.judge,
        say=say,
        rungs=rungs,
    )
    module = curriculum.load_module(hand_in.module)
    with tempfile.TemporaryDirectory(prefix="hotloop-submission-") as folder:
        files = Path(folder)
        lay_out(hand_in.files, files)
        _open_to_all(files)
        run = NotebookRun(settings, module, files, hand_in.unreadable)
        outputs = run.run(hand_in.cells)
    return Attempt(
        student=hand_in.student,
        module=hand_in.module,
        digest=hand_in.digest,
        grader=grader_digest(hand_in.module),
        machine=machine(isolation.name),
        graded=now(),
        seconds=round(time.monotonic() - started, 3),
        records=run.records,
        handed_in=hand_in.handed_in,
        notes=hand_in.notes,
        notebook=hand_in.notebook,
        outputs=outputs,
        files=hand_in.shown,
    )


def _open_to_all(folder: Path) -> None:
    """Everybody may read it, whoever the sandbox runs as."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
