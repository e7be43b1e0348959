"""Loads vetted kernel text as a module, and finds the line that an error stands on."""

import atexit
import importlib.util
import shutil
import sys
import tempfile
from pathlib import Path
from types import ModuleType

MODULE_NAME = "hotloop_kernels"


def load(text: str) -> ModuleType:
    """Run `text` as a module. Triton reads its functions' source back, so it goes into a file."""
    path = temporary_folder() / f"{MODULE_NAME}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(MODULE_NAME, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[MODULE_NAME] = module
    spec.loader.exec_module(module)
    return module


def temporary_folder() -> Path:
    """A new folder in the working directory, which goes with this process at the latest."""
    folder = tempfile.mkdtemp(prefix="kernels-", dir=Path.cwd())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def innermost(error: BaseException) -> BaseException:
    """The error that others were raised from."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def line_of(error: BaseException, module: ModuleType) -> int | None:
    """The last line of the module that was running when the error was raised."""
    line = None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == module.__file__:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
