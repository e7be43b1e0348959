"""The naive matrix product that a learner's schedule starts from. Has no file of the learner's."""

from __future__ import annotations

import tempfile
from pathlib import Path

import bare_tvm  # noqa: F401 - first, without PyTorch
import tvm
from tvm import te


def make(m: int, n: int, k: int) -> str:
    """Return the path of a module: C[m, n] = A[m, k] @ B[k, n], float32, three loops, block "C"."""
    path = Path(tempfile.mkdtemp()) / "naive.json"
    path.write_text(tvm.ir.save_json(tvm.IRModule({"main": naive(m, n, k)})))
    return str(path)


def naive(m: int, n: int, k: int) -> tvm.tirx.PrimFunc:
    """Return the product that the task describes, built with TE so that it is no solution."""
    a = te.placeholder((m, k), "float32", name="a")
    b = te.placeholder((k, n), "float32", name="b")
    p = te.reduce_axis((0, k), name="p")
    c = te.compute((m, n), lambda i, j: te.sum(a[i, p] * b[p, j], axis=p), name="C")
    return te.create_prim_func([a, b, c])
