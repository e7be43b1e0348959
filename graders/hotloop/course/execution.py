"""Executes one submission: its cells run in a sandboxed kernel, and the judge is asked.

It needs no gradebook and no course, and what comes of it is plain data: any process on any node
may do it.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from hotloop import curriculum
from hotloop.core.record import Record
from hotloop.course.attempts.attempt import Environment, now
from hotloop.course.attempts.grader import environment
from hotloop.course.attempts.record_files import TIME
from hotloop.course.isolation import Isolation, choose
from hotloop.course.judging import Judge, shared_judge
from hotloop.course.kernel import Limits
from hotloop.course.notebook_run import NotebookRun, Settings
from hotloop.course.snapshot import write_all
from hotloop.course.submission import Submission

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


@dataclass(frozen=True)
class Executed:
    """What came of one submission. outputs: by code cell, as a notebook file keeps them.

    digest: of the submission. notes: on the hand-in. graded: when, as UTC text. seconds: that it
    took. environment: where, as a digest and in words. handed_in: as `Submission` has it. grader:
    digest of the code that judged it; empty for this one.
    """

    digest: str
    records: Mapping[str, Record]
    outputs: Sequence[Sequence[Mapping[str, Any]]]
    notes: Sequence[str]
    graded: str
    seconds: float
    environment: Environment
    handed_in: str | None = None
    grader: str = ""

    def to_json(self) -> dict[str, Any]:
        """A document of plain JSON types."""
        return {
            "digest": self.digest,
            "records": {task: record.to_json() for task, record in self.records.items()},
            "outputs": [list(map(dict, cell)) for cell in self.outputs],
            "notes": list(self.notes),
            "graded": self.graded,
            "seconds": self.seconds,
            "environment": asdict(self.environment),
            "handed_in": self.handed_in,
            "grader": self.grader,
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read what `to_json` wrote."""
        records = document["records"].items()
        return cls(
            document["digest"],
            {task: Record.from_json(record) for task, record in records},
            document["outputs"],
            tuple(document["notes"]),
            document["graded"],
            document["seconds"],
            Environment(**document["environment"]),
            document["handed_in"],
            document["grader"],
        )


def execute(submission: Submission, terms: Terms, say: Say = lambda _task, _text: None) -> Executed:
    """Run the submission's cells and have its tasks judged.

    Nothing that the submission does is raised here: it becomes a verdict.
    """
    started = time.monotonic()
    isolation = terms.isolation()
    settings = Settings(
        limits=Limits(
            cell_s=terms.cell_s, notebook_s=terms.notebook_s, memory_bytes=terms.memory_bytes
        ),
        judge_budget_s=terms.judge_budget_s,
        tasks=tuple(submission.tasks),
        isolation=isolation,
        judge=terms.judge,
        say=say,
    )
    with tempfile.TemporaryDirectory(prefix="hotloop-submission-") as folder:
        files = Path(folder)
        write_all(submission.files, files)
        module = curriculum.load_module(submission.module)
        run = NotebookRun(settings, module, files, submission.unreadable)
        outputs = run.run(submission.cells)
    seconds = round(time.monotonic() - started, 3)
    return Executed(
        submission.digest,
        run.records,
        outputs,
        submission.notes,
        now().strftime(TIME),
        seconds,
        environment(isolation.name),
        submission.handed_in,
    )
