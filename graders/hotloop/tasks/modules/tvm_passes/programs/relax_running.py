"""Compile a candidate's imported or lowered module, and run it on the judge's tensors."""

from __future__ import annotations

import os
from typing import Any

import bare_tvm  # noqa: F401
import numpy as np
import relax_language
import tvm
from numpy.typing import NDArray
from tvm import relax

os.environ.setdefault("TVM_NUM_THREADS", "1")

_main: list[Any] = []
_parameters: list[Any] = []


def load(path: str, parameters: str | None = None) -> None:
    """Compile the module. parameters: a .npz of further inputs of "main", in order."""
    compiled = tvm.compile(relax_language.read(path), target="llvm")
    _main[:] = [relax.VirtualMachine(compiled, tvm.cpu())["main"]]
    _parameters.clear()
    if parameters is not None:
        values = np.load(parameters)
        _parameters.extend(tvm.runtime.tensor(values[name]) for name in sorted(values.files))


def run(pictures: NDArray[np.float32], out: NDArray[np.float32]) -> None:
    """Run "main" on one batch. pictures: float32 [batch, 3, 16, 16]. out: float32 [batch, 5]."""
    out[...] = _main[0](tvm.runtime.tensor(pictures), *_parameters).numpy()
