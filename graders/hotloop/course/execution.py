"""Executes one submission: runs its cells in a sandboxed kernel and asks the judge.

It needs no gradebook and no course, and returns plain data, so any process on any node can do it.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from hotloop.course.attempts.attempt import Attempt, now
from hotloop.course.attempts.machine import machine
from hotloop.course.hand_in import HandIn
from hotloop.course.isolation import Isolation, choose
from hotloop.course.judging import Judge, shared_judge
from hotloop.course.kernel import NotebookLimits
from hotloop.course.notebook_run import NotebookRun, RunSettings
from hotloop.judge.files import lay_out
from hotloop.judge.grader_digest import grader_digest
from hotloop.sandbox.scratch import scratch
from hotloop.tasks import curriculum
from hotloop.tasks.variants import digest_of

Say = Callable[[str, str], None]
"""Progress callback: a task, or "" while cells run, and what is being done."""


@dataclass(frozen=True)
class Terms:
    """Conditions under which notebooks are run and judged.

    cell_s, notebook_s: time limits in seconds for one cell and all cells of a learner.
    judge_budget_s: seconds for judging one task. memory_bytes: limit of a learner's notebook.
    checks: by task, the only checks to judge; other tasks are not judged; empty for everything.
    device: "cpu" does not use a GPU, so that checks that need one stay open; "" uses what exists.
    nsight: as in `Job`. isolation, judge: must be picklable, that is module-level functions, if
    another process executes.
    """

    cell_s: float = 60.0
    notebook_s: float = 600.0
    judge_budget_s: float = 180.0
    memory_bytes: int = 4 << 30
    checks: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    device: Literal["", "cpu"] = ""
    nsight: bool = False
    isolation: Callable[[], Isolation] = choose
    judge: Callable[[], Judge] = shared_judge


def execute(hand_in: HandIn, terms: Terms, say: Say = lambda _task, _text: None) -> Attempt:
    """Run the cells of a hand-in and judge its tasks.

    Nothing that the submission does raises an exception here: it becomes a verdict.
    """
    started = time.monotonic()
    isolation = terms.isolation()
    settings = RunSettings(
        limits=NotebookLimits(
            cell_s=terms.cell_s, notebook_s=terms.notebook_s, memory_bytes=terms.memory_bytes
        ),
        judge_budget_s=terms.judge_budget_s,
        tasks=tuple(terms.checks or hand_in.tasks),
        checks=terms.checks,
        device=terms.device,
        nsight=terms.nsight,
        variant=hand_in.variant,
        given=hand_in.digests,
        isolation=isolation,
        judge=terms.judge,
        say=say,
    )
    module = curriculum.load_module(hand_in.module)
    # The next grading removes what a killed one has left.
    with scratch() as files:
        lay_out(hand_in.files, files)
        # Readable for all, since the sandbox may run as another user.
        for path in (files, *files.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
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
        variant=digest_of(hand_in.variant),
        handed_in=hand_in.handed_in,
        notes=hand_in.notes,
        notebook=hand_in.notebook,
        outputs=outputs,
        files=hand_in.shown,
    )
