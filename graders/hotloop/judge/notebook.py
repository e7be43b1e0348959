"""Runs the cells of a notebook in a worker, within the limits that a course's kernel has."""

import time

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import Message
from hotloop.judge.budget import Budget
from hotloop.judge.files import SubmissionFiles
from hotloop.judge.worker_connection import WorkerConnection
from hotloop.worker.notebook import (
    CELL_S,
    INTERRUPT_S,
    MAX_NOTEBOOK,
    NOTEBOOK_S,
    UnreadableNotebook,
    cells_to_run,
    read_cells,
)

PROGRAM = "hotloop.worker.notebook_worker"
_LAY_OUT_S = 60.0


def count_cells(files: SubmissionFiles, name: str, module: str, task: str, entry: str = "") -> int:
    """Return how many cells a task needs. entry: the name with which it is judged.

    Raises Ruling if the notebook cannot be read or belongs to another module.
    """
    try:
        cells = read_cells(files.content(name, 4 * MAX_NOTEBOOK), module)
    except UnreadableNotebook as reason:
        raise Ruling(Verdict.RUNTIME_ERROR, str(reason)) from None
    return len(cells_to_run(cells, task, entry))


def run_cells(
    worker: WorkerConnection, name: str, task: str, count: int, budget: Budget, entry: str = ""
) -> None:
    """Run the first `count` cells of the notebook `name`; the worker then serves their names.

    Their time is not the task's. Raises Ruling(TIMEOUT) if it is used up, or if a cell cannot be
    interrupted, and Ruling if the process ends.
    """
    with budget.without(NOTEBOOK_S):
        try:
            _run(worker, {"op": "notebook", "file": name, "until": task, "entry": entry}, count)
        except BaseException:
            worker.close()
            raise


def _run(worker: WorkerConnection, notebook: Message, count: int) -> None:
    deadline = time.monotonic() + NOTEBOOK_S
    worker.request(notebook, _LAY_OUT_S)
    for number in range(count):
        seconds = min(CELL_S, deadline - time.monotonic())
        if seconds <= 0:
            raise Ruling(
                Verdict.TIMEOUT,
                "The notebook ran longer than allowed and was stopped: shorten what it runs.",
            )
        request = {"op": "cell", "number": number, "seconds": seconds}
        worker.request(request, seconds + INTERRUPT_S)
    worker.request({"op": "names"}, _LAY_OUT_S)
