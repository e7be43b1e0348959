"""Executes one submission: runs its cells in a sandboxed kernel and asks the judge.

It needs no gradebook and no course, and returns plain data, so any process on any node can do it.
"""

import time

from hotloop.course.attempts.attempt import Attempt, now
from hotloop.course.attempts.machine import machine
from hotloop.course.hand_in import HandIn
from hotloop.course.notebook_run import NotebookRun, Say, Terms
from hotloop.judge.files import lay_out
from hotloop.judge.grader_digest import grader_digest
from hotloop.sandbox.scratch import scratch
from hotloop.tasks.variants import digest_of


def execute(hand_in: HandIn, terms: Terms, say: Say = lambda _task, _text: None) -> Attempt:
    """Run the cells of a hand-in and judge its tasks.

    Nothing that the submission does raises an exception here: it becomes a verdict.
    """
    started = time.monotonic()
    # The next grading removes what a killed one has left.
    with scratch() as files:
        lay_out(hand_in.files, files)
        # Readable for all, since the sandbox may run as another user.
        for path in (files, *files.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        run = NotebookRun(hand_in, terms, files, say)
        outputs = run.run(hand_in.cells)
    return Attempt(
        student=hand_in.student,
        module=hand_in.module,
        digest=hand_in.digest,
        grader=grader_digest(hand_in.module),
        machine=machine(run.isolation.name),
        graded=now(),
        seconds=round(time.monotonic() - started, 3),
        records=run.records,
        variant=digest_of(hand_in.variant),
        handed_in=hand_in.handed_in,
        notes=hand_in.notes,
        persons=hand_in.persons,
        notebook=hand_in.notebook,
        outputs=outputs,
        files=hand_in.shown,
    )
