"""Random TIR functions for the learner to read, with the right answers.

Each is one block in a loop nest of random order, names and extents. What it touches is counted by
enumerating all of its iterations. Has no file of the learner's.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import bare_tvm  # noqa: F401 - first, without PyTorch
import numpy as np
import tvm
from accesses import accesses
from tvm import te

Tensors = list[te.Tensor]


@dataclass(frozen=True)
class _Kind:
    """A computation. axes: "S" (spatial) or "R" (reduction) for each axis.

    operations: FLOPs of one iteration. tensors: its parameters and last its result, which is called
    out, for the axes' extents; loops are called loop_0, loop_1, … in the order of the axes.
    """

    label: str
    axes: str
    operations: int
    tensors: Callable[..., Tensors]


def kinds() -> int:
    """Return how many kinds of functions there are."""
    return len(_KINDS)


def make(kind: int, seed: int) -> dict[str, Any]:
    """Return the path of a module with the function, and the answers for task naive_matmul."""
    rng = random.Random(seed)
    chosen = _KINDS[kind]
    extents = [rng.choice([2, 3, 4, 5, 6, 8]) for _ in chosen.axes]
    names = rng.sample(["i", "j", "k", "p", "q", "r", "x", "y"], len(extents))
    order = rng.sample(range(len(extents)), len(extents))
    function = te.create_prim_func(chosen.tensors(*extents))
    sch = tvm.s_tir.Schedule(tvm.IRModule({"main": function}))
    loops = sch.get_loops(sch.get_sblock("out"))
    sch.reorder(*(loops[position] for position in order))
    text = tvm.ir.save_json(sch.mod)
    for number, name in enumerate(names):
        # Names that do not reveal the axes.
        text = text.replace(f"loop_{number}", name)
    path = Path(tempfile.mkdtemp()) / "function.json"
    path.write_text(text)
    return {
        "path": str(path),
        "label": chosen.label,
        "loops": [[names[position], extents[position]] for position in order],
        "reductions": sorted(names[n] for n, axis in enumerate(chosen.axes) if axis == "R"),
        "bytes": _bytes(sch.mod["main"]),
        "flops": chosen.operations * prod(extents),
    }


def _bytes(function: Any) -> dict[str, int]:
    """Return how many bytes of each buffer the function touches, each once."""
    touched: dict[str, int] = {}
    for access in accesses(function.body):
        grid = np.meshgrid(*(np.arange(int(loop.extent)) for loop in access.loops))
        at = dict(zip((loop.loop_var for loop in access.loops), grid, strict=True))
        size = np.dtype(str(access.buffer.ty.dtype)).itemsize
        touched[access.buffer.name] = size * np.unique(access.elements(at)).size
    return touched


def _part_of_a_matrix(m: int, n: int, k: int) -> Tensors:
    a, b = te.placeholder((m + 2, k + 3), name="A"), te.placeholder((k, n), name="B")
    p = te.reduce_axis((0, k), "loop_2")

    def element(loop_0: Any, loop_1: Any) -> Any:
        return te.sum(a[loop_0 + 1, p + 3] * b[p, loop_1], p)

    return [a, b, te.compute((m, n), element, "out")]


def _convolution(rows: int, width: int, taps: int) -> Tensors:
    a, b = te.placeholder((rows, width + taps - 1), name="A"), te.placeholder((taps,), name="B")
    tap = te.reduce_axis((0, taps), "loop_2")

    def element(loop_0: Any, loop_1: Any) -> Any:
        return te.sum(a[loop_0, loop_1 + tap] * b[tap], tap)

    return [a, b, te.compute((rows, width), element, "out")]


def _strided_sum(rows: int, outer: int, inner: int) -> Tensors:
    a = te.placeholder((rows, outer, 2 * inner), "float16", "A")
    o, i = te.reduce_axis((0, outer), "loop_1"), te.reduce_axis((0, inner), "loop_2")
    return [a, te.compute((rows,), lambda loop_0: te.sum(a[loop_0, o, i * 2], [o, i]), "out")]


def _scaled_transpose(rows: int, columns: int) -> Tensors:
    a, b = te.placeholder((columns, rows), name="A"), te.placeholder((columns,), name="B")

    def element(loop_0: Any, loop_1: Any) -> Any:
        return a[loop_1, loop_0] * b[loop_1] + a[loop_1, loop_0]

    return [a, b, te.compute((rows, columns), element, "out")]


def _batched(batch: int, m: int, n: int, k: int) -> Tensors:
    a, b = te.placeholder((batch, m, k), name="A"), te.placeholder((n, k), name="B")
    p = te.reduce_axis((0, k), "loop_3")

    def element(loop_0: Any, loop_1: Any, loop_2: Any) -> Any:
        return te.sum(a[loop_0, loop_1, p] * b[loop_2, p], p)

    return [a, b, te.compute((batch, m, n), element, "out")]


_KINDS = (
    _Kind("a product with a part of a matrix", "SSR", 2, _part_of_a_matrix),
    _Kind("a convolution", "SSR", 2, _convolution),
    _Kind("a sum over every other element", "SRR", 1, _strided_sum),
    _Kind("a scaled transpose", "SS", 2, _scaled_transpose),
    _Kind("a batch of products", "SSSR", 2, _batched),
)
