"""Copies a submission's files into the worker's working directory, and executes them."""

import importlib.util
import os
import shutil
import sys
from pathlib import Path
from types import ModuleType


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


def load_module(name: str, path: Path) -> ModuleType:
    """Execute a source file as the module `name`. Raises FileNotFoundError if it is no Python."""
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
