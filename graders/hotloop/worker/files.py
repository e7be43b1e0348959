"""A submission's files, brought into the worker's own folder."""

import os
import shutil
import sys
from pathlib import Path


def settle(files: Path) -> None:
    """Copy `files` into the working directory, so that the candidate may write beside them, and
    make them importable. Contents only: modes and owners belong to the sandbox.
    """
    home = Path.cwd()
    if files.is_dir() and files.resolve() != home:
        for folder, _folders, names in os.walk(files):
            target = home / Path(folder).relative_to(files)
            target.mkdir(exist_ok=True)
            for name in names:
                shutil.copyfile(Path(folder) / name, target / name)
    sys.path.insert(0, str(home))
