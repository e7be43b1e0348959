"""The naive matrix product that a learner's schedule is given. Sees nothing of the learner's."""

from __future__ import annotations

import tempfile
from pathlib import Path

import bare_tvm  # noqa: F401 - first, without PyTorch
import tvm
from tvm.script import tirx as T  # noqa: N812 - as everybody calls it


def make(m: int, n: int, k: int) -> str:
    """Path of a module: C[m, n] = A[m, k] @ B[k, n] in float32, in three loops, block "C"."""
    path = Path(tempfile.mkdtemp()) / "naive.json"
    path.write_text(tvm.ir.save_json(tvm.IRModule({"main": naive(m, n, k)})))
    return str(path)


def naive(m: int, n: int, k: int) -> tvm.tirx.PrimFunc:
    """As the task says it."""

    @T.prim_func(s_tir=True)
    def matmul(
        a: T.Buffer((m, k), "float32"),
        b: T.Buffer((k, n), "float32"),
        c: T.Buffer((m, n), "float32"),
    ):
        T.func_attr({"global_symbol": "main", "tirx.noalias": True})
        for i, j, p in T.grid(m, n, k):
            with T.sblock("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, p])
                with T.init():
                    c[vi, vj] = T.float32(0)
                c[vi, vj] = c[vi, vj] + a[vi, vk] * b[vk, vj]

    return matmul
