"""Runs the cells of a notebook in a worker, within the limits that a course's kernel has."""

import json
import time
from collections.abc import Sequence
from tempfile import TemporaryFile

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.budget import Budget
from hotloop.judge.files import SubmissionFiles
from hotloop.judge.notebook_release import exercise
from hotloop.judge.notebook_repair import repaired
from hotloop.judge.worker_connection import WorkerConnection
from hotloop.worker.notebook import CELL_S, INTERRUPT_S, MAX_NOTEBOOK, NOTEBOOK_S

PROGRAM = "hotloop.worker.notebook_worker"
_LAY_OUT_S = 60.0


def cells_to_run(files: SubmissionFiles, name: str, module: str, task: str) -> list[str]:
    """Return the cells that define the names with which a task is judged, as a course runs them.

    Raises Ruling if the notebook cannot be read or belongs to another module.
    """
    cells = repaired(files.content(name, 4 * MAX_NOTEBOOK), exercise(module))
    if cells.unreadable:
        raise Ruling(Verdict.RUNTIME_ERROR, cells.unreadable)
    return cells.before(task)


def run_cells(worker: WorkerConnection, sources: Sequence[str], budget: Budget) -> None:
    """Run the cells; the worker then serves their names.

    Their time is not the task's. Raises Ruling(TIMEOUT) if it is used up, or if a cell cannot be
    interrupted, and Ruling if the process ends.
    """
    with budget.without(NOTEBOOK_S):
        try:
            _run(worker, sources)
        except BaseException:
            worker.close()
            raise


def _run(worker: WorkerConnection, sources: Sequence[str]) -> None:
    deadline = time.monotonic() + NOTEBOOK_S
    with TemporaryFile() as stream:  # a cell may be longer than a message
        stream.write(json.dumps(sources).encode())
        stream.flush()
        worker.request({"op": "notebook"}, _LAY_OUT_S, [stream.fileno()])
    for number in range(len(sources)):
        seconds = min(CELL_S, deadline - time.monotonic())
        if seconds <= 0:
            raise Ruling(
                Verdict.TIMEOUT,
                "The notebook ran longer than allowed and was stopped: shorten what it runs.",
            )
        request = {"op": "cell", "number": number, "seconds": seconds}
        worker.request(request, seconds + INTERRUPT_S)
    worker.request({"op": "names"}, _LAY_OUT_S)
