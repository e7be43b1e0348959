"""Copies a submission's files into the worker's working directory."""

import importlib
import os
import shutil
import sys
from pathlib import Path


def copy_files(files: Path) -> None:
    """Copy `files` into the working directory and make the copies importable.

    The candidate can then write beside them. Only contents are copied: the sandbox sets modes and
    owners.
    """
    home = Path.cwd()
    if files.is_dir() and files.resolve() != home:
        for folder, _folders, names in os.walk(files):
            target = home / Path(folder).relative_to(files)
            target.mkdir(exist_ok=True)
            for name in names:
                shutil.copyfile(Path(folder) / name, target / name)
    sys.path.insert(0, str(home))
    importlib.invalidate_caches()  # it may have been listed, within one tick of the clock
