"""A learner's CUDA kernel as a Python function on a GPU: compiled by nvcc, called through ctypes.

This runs in the candidate's process and is not trusted. The judge provides the launcher, so that
every submission is launched in the same way.
"""

import ctypes
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hotloop.worker.cuda_tools import HEADERS, architecture, program, with_own_instructions

ENTRY = "hotloop_run"
COMPILE_TIMEOUT_S = 100
_MESSAGE_LIMIT = 500


class CompileFailed(RuntimeError):
    """nvcc rejected the file, timed out or is not installed; the message says which."""


def load(source: Path, launcher_source: str) -> Callable[..., None]:
    """Compile `source` with the launcher and return that as a Python function.

    The function takes the launcher's tensors, output last, then plain numbers. The launcher gets
    the tensors' pointers, and one list of numbers: the output's extents, then the plain numbers.
    The function raises RuntimeError with the CUDA error code if the launch fails. Raises
    CompileFailed.
    """
    folder = Path(tempfile.mkdtemp(prefix="cuda-", dir=Path.cwd()))
    launcher = folder / "launcher.cu"
    launcher.write_text(launcher_source, encoding="utf-8")
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


def compiled(sources: list[Path], target: Path) -> Path:
    """Compile `sources` into a shared library at `target` and return its path.

    Raises CompileFailed with nvcc's output.
    """
    target_code = with_own_instructions(architecture(), sources)
    # `-arch=sm_90a` would also keep PTX of compute_90, which lacks these instructions.
    is_plain = not target_code.endswith("a")
    virtual = target_code.replace("sm_", "compute_")
    code = f"-arch={target_code}" if is_plain else f"-gencode=arch={virtual},code={target_code}"
    command = [
        *(nvcc(), "-O3", "-std=c++17", code, "-shared"),
        f"-I{HEADERS}",
        *("-Xcompiler", "-fPIC", "-o", str(target), *map(str, sources)),
    ]
    try:
        result = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=COMPILE_TIMEOUT_S
        )
    except subprocess.TimeoutExpired:
        raise CompileFailed(f"nvcc did not end within {COMPILE_TIMEOUT_S} s") from None
    if result.returncode:
        raise CompileFailed((result.stderr or result.stdout).strip()[:_MESSAGE_LIMIT])
    return target


def nvcc() -> str:
    """Return the path of nvcc. Raises CompileFailed if it is not installed."""
    path = program("nvcc")
    if path is None:
        raise CompileFailed("nvcc is missing: `hotloop doctor` says how to install it")
    return str(path)
