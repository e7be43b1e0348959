"""Random TIR functions for the learner to read, with the right answers.

Each is one block in a loop nest of random order, names and extents. The answers are counted by
enumerating the iterations in plain Python, without TVM. Has no file of the learner's.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import bare_tvm  # noqa: F401 - first, without PyTorch
import tvm
from tvm.script import tirx as T  # noqa: N812 - as everybody calls it

Point = tuple[int, ...]


@dataclass(frozen=True)
class _Kind:
    """A computation. axes: "S" (spatial) or "R" (reduction) for each axis.

    operations: FLOPs of one iteration. places: the elements of each parameter that an iteration
    touches, the result's last. itemsize: bytes of an element.
    """

    label: str
    axes: str
    operations: int
    places: Callable[[Point], Sequence[Point]]
    make: Callable[[Sequence[int]], Any]
    itemsize: int = 4


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
    sch = tvm.s_tir.Schedule(tvm.IRModule({"main": chosen.make(extents)}))
    loops = sch.get_loops(sch.get_sblock("out"))
    sch.reorder(*(loops[position] for position in order))
    path = Path(tempfile.mkdtemp()) / "function.json"
    path.write_text(_renamed(tvm.ir.save_json(sch.mod), names))
    return {"path": str(path), "label": chosen.label, **_truth(chosen, extents, names, order)}


def _truth(
    kind: _Kind, extents: Sequence[int], names: Sequence[str], order: Sequence[int]
) -> dict[str, Any]:
    points = list(product(*(range(extent) for extent in extents)))
    touched: list[set[Point]] = []
    for point in points:
        places = kind.places(point)
        touched = touched or [set() for _ in places]
        for seen, place in zip(touched, places, strict=True):
            seen.add(place)
    parameters = "ABCD"[: len(touched) - 1]
    return {
        "loops": [[names[position], extents[position]] for position in order],
        "reductions": sorted(names[n] for n, axis in enumerate(kind.axes) if axis == "R"),
        "bytes": {
            name: kind.itemsize * len(seen)
            for name, seen in zip([*parameters, "OUT"], touched, strict=True)
        },
        "flops": kind.operations * len(points),
    }


def _renamed(text: str, names: Sequence[str]) -> str:
    """Rename the loops "loop_0", "loop_1", … to names that do not reveal their axes."""
    for number, name in enumerate(names):
        text = text.replace(f'"loop_{number}"', f'"{name}"')
    return text


def _slice_matmul(e: Sequence[int]) -> Any:
    m, n, k = e

    @T.prim_func(s_tir=True)
    def main(
        A: T.Buffer((m + 2, k + 3), "float32"),  # noqa: N803
        B: T.Buffer((k, n), "float32"),  # noqa: N803
        OUT: T.Buffer((m, n), "float32"),  # noqa: N803
    ):
        for loop_0, loop_1, loop_2 in T.grid(m, n, k):
            with T.sblock("out"):
                vi, vj, vk = T.axis.remap("SSR", [loop_0, loop_1, loop_2])
                with T.init():
                    OUT[vi, vj] = T.float32(0)
                OUT[vi, vj] = OUT[vi, vj] + A[vi + 1, vk + 3] * B[vk, vj]

    return main


def _convolution(e: Sequence[int]) -> Any:
    rows, width, taps = e

    @T.prim_func(s_tir=True)
    def main(
        A: T.Buffer((rows, width + taps - 1), "float32"),  # noqa: N803
        B: T.Buffer((taps,), "float32"),  # noqa: N803
        OUT: T.Buffer((rows, width), "float32"),  # noqa: N803
    ):
        for loop_0, loop_1, loop_2 in T.grid(rows, width, taps):
            with T.sblock("out"):
                vr, vx, vt = T.axis.remap("SSR", [loop_0, loop_1, loop_2])
                with T.init():
                    OUT[vr, vx] = T.float32(0)
                OUT[vr, vx] = OUT[vr, vx] + A[vr, vx + vt] * B[vt]

    return main


def _strided_sum(e: Sequence[int]) -> Any:
    rows, outer, inner = e

    @T.prim_func(s_tir=True)
    def main(
        A: T.Buffer((rows, outer, 2 * inner), "float16"),  # noqa: N803
        OUT: T.Buffer((rows,), "float16"),  # noqa: N803
    ):
        for loop_0, loop_1, loop_2 in T.grid(rows, outer, inner):
            with T.sblock("out"):
                vr, vo, vi = T.axis.remap("SRR", [loop_0, loop_1, loop_2])
                with T.init():
                    OUT[vr] = T.float16(0)
                OUT[vr] = OUT[vr] + A[vr, vo, vi * 2]

    return main


def _scaled_transpose(e: Sequence[int]) -> Any:
    rows, columns = e

    @T.prim_func(s_tir=True)
    def main(
        A: T.Buffer((columns, rows), "float32"),  # noqa: N803
        B: T.Buffer((columns,), "float32"),  # noqa: N803
        OUT: T.Buffer((rows, columns), "float32"),  # noqa: N803
    ):
        for loop_0, loop_1 in T.grid(rows, columns):
            with T.sblock("out"):
                vr, vc = T.axis.remap("SS", [loop_0, loop_1])
                OUT[vr, vc] = A[vc, vr] * B[vc] + A[vc, vr]

    return main


def _batched(e: Sequence[int]) -> Any:
    batch, m, n, k = e

    @T.prim_func(s_tir=True)
    def main(
        A: T.Buffer((batch, m, k), "float32"),  # noqa: N803
        B: T.Buffer((n, k), "float32"),  # noqa: N803
        OUT: T.Buffer((batch, m, n), "float32"),  # noqa: N803
    ):
        for loop_0, loop_1, loop_2, loop_3 in T.grid(batch, m, n, k):
            with T.sblock("out"):
                vb, vi, vj, vk = T.axis.remap("SSSR", [loop_0, loop_1, loop_2, loop_3])
                with T.init():
                    OUT[vb, vi, vj] = T.float32(0)
                OUT[vb, vi, vj] = OUT[vb, vi, vj] + A[vb, vi, vk] * B[vj, vk]

    return main


_KINDS = (
    _Kind(
        "a product with a part of a matrix",
        "SSR",
        2,
        lambda p: ((p[0] + 1, p[2] + 3), (p[2], p[1]), (p[0], p[1])),
        _slice_matmul,
    ),
    _Kind(
        "a convolution",
        "SSR",
        2,
        lambda p: ((p[0], p[1] + p[2]), (p[2],), (p[0], p[1])),
        _convolution,
    ),
    _Kind(
        "a sum over every other element",
        "SRR",
        1,
        lambda p: ((p[0], p[1], 2 * p[2]), (p[0],)),
        _strided_sum,
        itemsize=2,
    ),
    _Kind(
        "a scaled transpose",
        "SS",
        2,
        lambda p: ((p[1], p[0]), (p[1],), (p[0], p[1])),
        _scaled_transpose,
    ),
    _Kind(
        "a batch of products",
        "SSSR",
        2,
        lambda p: ((p[0], p[1], p[3]), (p[2], p[3]), (p[0], p[1], p[2])),
        _batched,
    ),
)
