"""Where a learner's work on a module is."""

from pathlib import Path

from hotloop.cli.answer import UserError
from hotloop.notebook_cells import NOTEBOOK


def work_folder(folder: Path, module: str) -> Path:
    """The folder that holds the notebook: the one given, or the started one in it."""
    for candidate in (folder, folder / module):
        if (candidate / NOTEBOOK).is_file():
            return candidate.resolve()
    raise UserError(
        f"There is no {NOTEBOOK} in {folder.resolve()}: `hotloop start {module}` first."
    )
