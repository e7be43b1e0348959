"""A learner's CUDA kernel as a Python function on a GPU: compiled by nvcc, called through ctypes.

In the candidate's own process, where nothing is trusted. The harness is the judge's, so that every
answer is launched alike.
"""

import ctypes
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hotloop.worker.cuda_tools import HEADERS, architecture, program

ENTRY = "hotloop_run"
COMPILE_TIMEOUT_S = 100
_MESSAGE_LIMIT = 500


class CompileFailed(RuntimeError):
    """nvcc refused the file, or is not here; the text says why."""


def load(source: Path, harness: str) -> Callable[..., None]:
    """A function of the harness's tensors, output last, and plain values behind them.

    The harness gets the output's extents and then the plain values as numbers.
    """
    folder = Path(tempfile.mkdtemp(prefix="cuda-", dir=Path.cwd()))
    launcher = folder / "harness.cu"
    launcher.write_text(harness, encoding="utf-8")
    library = ctypes.CDLL(str(compiled([source, launcher], folder / "kernel.so")))
    entry = getattr(library, ENTRY)

    def call(*arguments: Any) -> None:
        tensors = [a for a in arguments if hasattr(a, "data_ptr")]
        plain = [float(a) for a in arguments if isinstance(a, int | float)]
        numbers = [*map(float, tensors[-1].shape), *plain]
        pointers = (ctypes.c_void_p * len(tensors))(*(t.data_ptr() for t in tensors))
        status = entry(pointers, (ctypes.c_double * len(numbers))(*numbers))
        if status:
            raise RuntimeError(f"the launch failed with CUDA error {status}")

    return call


def compiled(sources: list[Path], target: Path, for_card: str | None = None) -> Path:
    """A shared library. CompileFailed with what nvcc says where there is none.

    for_card: such as sm_90, if it is not for the card at hand.
    """
    command = [
        *(nvcc(), "-O3", "-std=c++17", f"-arch={for_card or architecture()}", "-shared"),
        f"-I{HEADERS}",
        *("-Xcompiler", "-fPIC", "-o", str(target), *map(str, sources)),
    ]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=COMPILE_TIMEOUT_S
        )
    except subprocess.TimeoutExpired:
        raise CompileFailed(f"nvcc did not end within {COMPILE_TIMEOUT_S} s") from None
    if done.returncode:
        raise CompileFailed((done.stderr or done.stdout).strip()[:_MESSAGE_LIMIT])
    return target


def nvcc() -> str:
    """Path of the compiler. CompileFailed where there is none."""
    found = program("nvcc")
    if found is None:
        raise CompileFailed("nvcc is missing: `hotloop doctor` says how to install it")
    return str(found)
