"""Run a candidate's matrix product on the judge's tensors, compiled for this machine's CPU.

Also the baseline's program: another process runs the naive module with it.
"""

from __future__ import annotations

import os
from typing import Any

# Set before TVM is loaded: one thread for each core that the judge assigns and binds, without
# spinning, because the clock stops only once the process is idle.
os.environ["TVM_NUM_THREADS"] = os.environ.get("OMP_NUM_THREADS", "1")
os.environ["TVM_BIND_THREADS"] = "0"
os.environ["TVM_THREAD_POOL_SPIN_COUNT"] = "0"

import numpy as np
import threads_in_turn
import tvm
import vetting
from tvm.target import Target

COMPILED: list[Any] = []
SHAPES: list[list[int]] = []


def load(path: str) -> None:
    """Compile the module for this CPU."""
    COMPILED[:] = [_compiled(vetting.read(path, vetting.TIR))]


def run(a: Any, b: Any, out: Any) -> None:
    """Compute out[m, n] = a[m, k] @ b[k, n], all float32."""
    COMPILED[0](a, b, out)


def load_threads(path: str) -> None:
    """Compile a GPU schedule so that one CPU thread runs it, in the order that barriers ensure.

    Schedules leave caches with the shape of what they cache, so that each element has its own
    place. Here the caches become parameters, which `run_threads` passes filled with NaN.
    """
    kernel = vetting.read(path, vetting.TIR)["main"]
    function, shapes = threads_in_turn.with_given_caches(threads_in_turn.in_turn(kernel))
    plain = function.with_attr({"global_symbol": "main", "tirx.noalias": True, "s_tir": True})
    COMPILED[:] = [_compiled(tvm.IRModule({"main": plain}))]
    SHAPES[:] = shapes


def run_threads(a: Any, b: Any, out: Any) -> None:
    """Compute out = a @ b with caches full of NaN, so that reading an unfilled element shows."""
    empty = [tvm.runtime.tensor(np.full(shape, np.nan, np.float32)) for shape in SHAPES]
    COMPILED[0](a, b, out, *empty)


def load_cuda(path: str) -> None:
    """Compile a module for the GPU of this machine."""
    module = vetting.read(path, vetting.TIR)
    COMPILED[:] = [tvm.compile(module, target=Target("cuda", host="llvm"))["main"]]


def _compiled(module: tvm.IRModule) -> Any:
    cpu = tvm.target.codegen.llvm_get_system_cpu()
    return tvm.compile(module, target=Target({"kind": "llvm", "mcpu": cpu}))["main"]
