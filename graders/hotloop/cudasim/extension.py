"""Builds a PyTorch operator in CUDA C++ and loads it: for a GPU, or for the simulator without one.

The source is the same. It uses PyTorch's stable ABI, so that it compiles in seconds; in the
simulator the CPU is the device, `is_cuda()` is true of its tensors, and kernels run on it.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import Any, cast

from hotloop.cudasim import build
from hotloop.cudasim.problem import CompileError, ToolMissing
from hotloop.worker.cuda_extension import CompileFailed, nvcc

_TIMEOUT_S = 200


def load(source: str | Path) -> None:
    """Compile `source` and load it; its operators are then in `torch.ops`.

    CompileError with the compiler's own message, ToolMissing without a compiler.
    """
    torch = _torch()
    path = Path(source).resolve()
    library = _for_gpu(path) if torch.cuda.is_available() else _for_simulator(path)
    torch.ops.load_library(str(library))


def _for_simulator(source: Path) -> Path:
    return build.library(
        [source], "plain", include=_headers(), link=_link_options("-Wl,-rpath,")
    ).path


def _for_gpu(source: Path) -> Path:
    target = Path(tempfile.mkdtemp(prefix="operator-")) / f"{source.stem}.so"
    try:
        command = [
            *(nvcc(), "-O3", "-std=c++17", "-arch=native", "-shared", "-Xcompiler", "-fPIC"),
            "-DUSE_CUDA",  # PyTorch's headers then tell of its streams
            *(f"-I{folder}" for folder in _headers()),
            *("-o", str(target), str(source), *_link_options("-Xlinker=-rpath=")),
            "-ltorch_cuda",
        ]
    except CompileFailed as missing:
        raise ToolMissing(str(missing)) from None
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_TIMEOUT_S)
    if done.returncode:
        raise CompileError((done.stderr or done.stdout).strip())
    return target


def _headers() -> list[Path]:
    base = Path(cast(str, _torch().__file__)).parent / "include"
    return [base, base / "torch" / "csrc" / "api" / "include"]


def _link_options(rpath: str) -> list[str]:
    folder = Path(cast(str, _torch().__file__)).parent / "lib"
    return [f"-L{folder}", f"{rpath}{folder}", "-ltorch_cpu", "-ltorch", "-lc10"]


def _torch() -> Any:
    """Imported late: the simulator itself needs no PyTorch."""
    import torch

    return torch
