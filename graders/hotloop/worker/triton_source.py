"""Loads vetted kernel source as a module and finds the source line of an error."""

import atexit
import shutil
import tempfile
from pathlib import Path
from types import ModuleType

from hotloop.worker.files import load_module

MODULE_NAME = "hotloop_kernels"


def load(text: str) -> ModuleType:
    """Execute `text` as a module, from a file, because Triton reads its functions' source."""
    path = temporary_folder() / f"{MODULE_NAME}.py"
    path.write_text(text, encoding="utf-8")
    return load_module(MODULE_NAME, path)


def temporary_folder() -> Path:
    """Create a folder in the working directory; it is removed when this process exits."""
    folder = tempfile.mkdtemp(prefix="kernels-", dir=Path.cwd())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def innermost(error: BaseException) -> BaseException:
    """Return the original error of a chain of `raise … from …`."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def line_of(error: BaseException, module: ModuleType) -> int | None:
    """Return the module's innermost line that was executing when the error was raised, or None."""
    line = None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == module.__file__:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
