"""Finds the folder of a learner's work on a module."""

from pathlib import Path

from hotloop.core.user_error import UserError
from hotloop.tasks.notebook_cells import NOTEBOOK


def work_folder(folder: Path, module: str) -> Path:
    """Return the folder with the notebook: `folder`, or the module's folder in it.

    Raises UserError if neither has one.
    """
    for candidate in (folder, folder / module):
        if (candidate / NOTEBOOK).is_file():
            return candidate.resolve()
    raise UserError(
        f"There is no {NOTEBOOK} in {folder.resolve()}: `hotloop start {module}` first."
    )
