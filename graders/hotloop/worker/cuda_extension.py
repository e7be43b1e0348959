"""A learner's CUDA kernel as a Python function on a GPU: compiled by nvcc, called through ctypes.

In the candidate's own process, where nothing is trusted. The harness is the judge's, so that every
answer is launched alike.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

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


def compiled(sources: list[Path], target: Path, architecture: str = "native") -> Path:
    """A shared library for `architecture`: native, or e.g. sm_90. CompileFailed otherwise."""
    command = [
        *(nvcc(), "-O3", "-std=c++17", f"-arch={architecture}", "-shared"),
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
    for place in _places():
        if place is not None:
            return place
    raise CompileFailed("nvcc is missing: install the CUDA toolkit")


def _places() -> Iterator[str | None]:
    yield shutil.which("nvcc")
    for folder in (Path("/usr/local/cuda"), *sorted(Path("/usr/local").glob("cuda-*"))):
        yield shutil.which("nvcc", path=str(folder / "bin"))
