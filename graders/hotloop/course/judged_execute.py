"""nbgrader's execution step, with the judge in the place of the graded cells' text.

A learner's cells run in a confined kernel. A graded cell is not run as it stands: the judge is
asked for its verdict, with the kernel as its worker, and the cell's outputs are written from the
record. Nothing that a cell prints, raises or destroys has a say in the points.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, cast

from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Any as AnyTrait
from traitlets import Float, Integer, List, Unicode

from hotloop import curriculum
from hotloop.course import records
from hotloop.course.isolation import choose
from hotloop.course.judging import shared_judge
from hotloop.course.kernel import Limits
from hotloop.course.notebook_exporter import METADATA, find_notebook, read_ordinary
from hotloop.course.notebook_run import NOTEBOOK_SUFFIX, NotebookRun, Settings
from hotloop.course.sanitize import writable
from hotloop.course.snapshot import snapshot

RECORDS = "hotloop_records"
"""Key in nbconvert's resources under which records, by task, go to the next preprocessors."""

SUBMITTED = "submitted"


class JudgedExecute(NbGraderPreprocessor):
    """Runs one submitted notebook and has its tasks judged."""

    cell_timeout_s = Float(60.0, help="Seconds that one cell of a learner may run.").tag(
        config=True
    )
    notebook_timeout_s = Float(
        600.0, help="Seconds that all cells of a learner together may run."
    ).tag(config=True)
    judge_budget_s = Float(180.0, help="Seconds that judging one task may take.").tag(config=True)
    memory_mib = Integer(4096, help="MiB of memory that a learner's notebook may use.").tag(
        config=True
    )
    tasks = List(
        Unicode(), help="Judge only these tasks; the others stay pending. Empty: all."
    ).tag(config=True)
    isolation = AnyTrait(choose, help="Gives the hotloop Isolation to run under.").tag(config=True)
    judge_factory = AnyTrait(shared_judge, help="Gives the judge.").tag(config=True)
    on_progress = AnyTrait(
        None,
        allow_none=True,
        help='Called with student, task ("" while cells run) and what is being done.',
    ).tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Judge the notebook's tasks; the records go into `resources` and into the course."""
        names = resources["nbgrader"]
        student, module = names["student"], curriculum.load_module(names["assignment"])
        folder = Path(resources["metadata"]["path"])
        root = folder.parents[2]
        told = nb.metadata.get(METADATA, {})
        with tempfile.TemporaryDirectory(prefix="hotloop-submission-") as copy:
            files = Path(copy)
            notes = [*told.get("notes", []), *map(writable, snapshot(folder, files))]
            _put_back_notebooks(root / SUBMITTED / student / module.id, files)
            run = NotebookRun(self._settings(student), module, files, told.get("unreadable", ""))
            run.run(cast(list[NotebookNode], nb.cells))
        resources[RECORDS] = run.records
        nb.metadata[METADATA] = {"notes": notes}
        grading = records.Grading(student, module.id, run.digest, records.now(), notes, run.records)
        records.keep(root, grading)
        return nb, resources

    def _settings(self, student: str) -> Settings:
        def say(task: str, text: str) -> None:
            if self.on_progress is not None:
                self.on_progress(student, task, text)

        return Settings(
            limits=Limits(
                cell_s=self.cell_timeout_s,
                notebook_s=self.notebook_timeout_s,
                memory_bytes=self.memory_mib << 20,
            ),
            judge_budget_s=self.judge_budget_s,
            tasks=tuple(cast(Any, self).tasks),
            isolation=self.isolation(),
            judge=self.judge_factory,
            say=say,
        )


def _put_back_notebooks(handed_in: Path, files: Path) -> None:
    """The learner's own notebook in the place of the repaired one: it is what was handed in."""
    known = [path.stem for path in files.glob(f"*{NOTEBOOK_SUFFIX}")]
    for path in files.glob(f"*{NOTEBOOK_SUFFIX}"):
        source, _ = find_notebook(handed_in / path.name, known)
        path.write_bytes((read_ordinary(source) if source else None) or b"")
