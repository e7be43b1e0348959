"""The names that a learner's notebook defines, in the process of a program that reproduces."""

import sys
from pathlib import Path
from typing import Any

from hotloop.judge.files import SubmissionFiles
from hotloop.judge.notebook import cells_to_run
from hotloop.tasks.notebook_cells import NOTEBOOK
from hotloop.worker.cells import Cells
from hotloop.worker.notebook import CELL_S


def run_notebook(folder: Path, key: str) -> dict[str, Any]:
    """Return the names with which a task of the notebook is judged. key: `module.task`."""
    module, _, task = key.partition(".")
    cells = Cells(sys.stderr)
    for source in cells_to_run(SubmissionFiles(folder), NOTEBOOK, module, task):
        cells.run(source, CELL_S)
    return cells.names
