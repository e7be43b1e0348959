"""nbgrader's execution step, with the judge in the place of the graded cells' text.

A learner's cells run in a confined kernel. A graded cell is not run as it stands: the judge is
asked for its verdict, with the kernel as its worker, and the cell's outputs are written from the
record. Nothing that a cell prints, raises or destroys has a say in the points.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Any as AnyTrait
from traitlets import Bool, Float, Integer, List, Unicode

from hotloop.course import records
from hotloop.course.attempts.record_files import TIME
from hotloop.course.execution import Executed, Terms, execute
from hotloop.course.isolation import choose
from hotloop.course.judging import shared_judge
from hotloop.course.notebook_exporter import METADATA
from hotloop.course.released import set_handed_in
from hotloop.course.submission import code_cells, collect, load_release

GRADING = "hotloop_grading"
"""Key in nbconvert's resources under which what was found goes to the next preprocessors."""

OTHER = "hotloop_other_hand_in"
"""Key under which it says that this was found of another hand-in than the notebook is of."""


class JudgedExecute(NbGraderPreprocessor):
    """Runs one submitted notebook and has its tasks judged, unless that was done already."""

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
    executed = AnyTrait(
        None, allow_none=True, help="Gives what came of the submission, where that is known."
    ).tag(config=True)
    other = Bool(
        False, help="What is known came of another hand-in than lies in the submission's folder."
    ).tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Put the outputs into the notebook, and a `Grading` into `resources`."""
        names = resources["nbgrader"]
        root = Path(resources["metadata"]["path"]).parents[2]
        student, module = str(names["student"]), str(names["assignment"])
        given = cast(Callable[[], Executed] | None, self.executed)
        if given is not None:
            executed = given()
        else:
            release = load_release(root, str(names["db_url"]), module)
            executed = execute(collect(root, student, release, self.asked()), self.terms())
        notes = list(executed.notes)
        if self.other:
            notes.append(_note_on_other(executed))
            _clear(nb)
            if executed.handed_in is not None:
                set_handed_in(str(names["db_url"]), module, student, executed.handed_in)
        else:
            _fill(nb, executed)
        nb.metadata[METADATA] = {"notes": notes}
        resources[OTHER] = bool(self.other)
        resources[GRADING] = grading(student, module, executed)
        return nb, resources

    def terms(self) -> Terms:
        """What the configuration says of how notebooks are run."""
        return Terms(
            cell_s=self.cell_timeout_s,
            notebook_s=self.notebook_timeout_s,
            judge_budget_s=self.judge_budget_s,
            memory_bytes=self.memory_mib << 20,
            isolation=self.isolation,
            judge=self.judge_factory,
        )

    def asked(self) -> tuple[str, ...]:
        """The tasks to be judged; none when all are."""
        return tuple(cast(Any, self).tasks)


def grading(student: str, module: str, executed: Executed) -> records.Grading:
    """An execution as it is kept."""
    return records.Grading(
        student,
        module,
        executed.digest,
        executed.graded,
        executed.notes,
        executed.records,
        executed.outputs,
        executed.seconds,
        executed.environment,
        executed.grader,
        executed.handed_in,
    )


def known(kept: records.Grading) -> Executed:
    """The execution that was kept as a grading."""
    assert kept.environment is not None
    return Executed(
        kept.submission_digest,
        kept.records,
        kept.outputs,
        kept.notes,
        kept.graded,
        kept.seconds,
        kept.environment,
        kept.handed_in,
        kept.grader,
    )


def _note_on_other(executed: Executed) -> str:
    graded = datetime.strptime(executed.graded, TIME).replace(tzinfo=UTC)
    return (
        f"The points are those of another hand-in, which was graded on {graded:%Y-%m-%d at %H:%M} "
        "UTC. The notebook below was dropped and does not count."
    )


def _clear(nb: NotebookNode) -> None:
    """Leave no outputs: those that are known are of cells that are not here."""
    for cell in code_cells(nb):
        cell.execution_count, cell.outputs = None, []


def _fill(nb: NotebookNode, executed: Executed) -> None:
    """Write outputs into the cells. RuntimeError when they are of another notebook."""
    cells = code_cells(nb)
    if len(cells) != len(executed.outputs):
        raise RuntimeError(
            f"the notebook has {len(cells)} code cells, what was executed {len(executed.outputs)}"
        )
    for count, (cell, outputs) in enumerate(zip(cells, executed.outputs, strict=True), start=1):
        cell.execution_count = count
        cell.outputs = [cast(Any, nbformat).from_dict(dict(output)) for output in outputs]
