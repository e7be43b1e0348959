"""The naive matrix product that a learner's schedule is given. Sees nothing of the learner's."""

from __future__ import annotations

import tempfile
from pathlib import Path

import bare_tvm  # noqa: F401 - first, without PyTorch
import tvm
from tvm import te


def make(m: int, n: int, k: int) -> str:
    """Path of a module: C[m, n] = A[m, k] @ B[k, n] in float32, in three loops, block "C"."""
    path = Path(tempfile.mkdtemp()) / "naive.json"
    path.write_text(tvm.ir.save_json(tvm.IRModule({"main": naive(m, n, k)})))
    return str(path)


def naive(m: int, n: int, k: int) -> tvm.tirx.PrimFunc:
    """As the task says it. Made by TE, so that it is no solution of `naive_matmul` to copy."""
    a = te.placeholder((m, k), "float32", name="a")
    b = te.placeholder((k, n), "float32", name="b")
    p = te.reduce_axis((0, k), name="p")
    c = te.compute((m, n), lambda i, j: te.sum(a[i, p] * b[p, j], axis=p), name="C")
    return te.create_prim_func([a, b, c])
