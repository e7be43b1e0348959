"""Run a candidate's matrix product on the judge's tensors, compiled for this machine's CPU.

Also the baseline's program: another process runs the naive module with it.
"""

from __future__ import annotations

import json
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
from tvm import tirx
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
    given = vetting.read(path, vetting.TIR)["main"]
    in_turn = tvm.IRModule({"main": threads_in_turn.in_turn(given)})
    graph = json.loads(tvm.ir.save_json(in_turn))
    shapes = _serialize(graph)
    function = tvm.ir.load_json(json.dumps(graph))["main"]
    plain = tirx.PrimFunc(function.params, function.body).with_attr(
        {"global_symbol": "main", "tirx.noalias": True, "s_tir": True}
    )
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


def _serialize(graph: dict[str, Any]) -> list[list[int]]:
    """Turn the caches of a JSON graph into parameters, in place; return their shapes."""
    nodes: list[dict[str, Any]] = graph["nodes"]
    nodes.append({"type": "ffi.String", "data": "global"})
    scope = len(nodes) - 1
    caches: list[int] = []
    for node in nodes:
        data = node.get("data")
        if node["type"] == "tirx.BufferType":
            data["storage_scope"] = scope
        elif node["type"] == "s_tir.SBlock":
            caches += nodes[data["alloc_buffers"]]["data"]
            nodes.append({"type": "ffi.Array", "data": []})
            data["alloc_buffers"] = len(nodes) - 1
    function = next(node["data"] for node in nodes if node["type"] == "tirx.PrimFunc")
    nodes.append({"type": "ffi.Array", "data": [*nodes[function["params"]]["data"], *caches]})
    function["params"] = len(nodes) - 1
    return [_shape(nodes, cache) for cache in caches]


def _shape(nodes: list[dict[str, Any]], variable: int) -> list[int]:
    """Return the shape of the buffer that node `variable` is."""
    buffer = nodes[nodes[variable]["data"]["ty"]]["data"]
    extents = nodes[buffer["shape"]]["data"]
    return [int(nodes[nodes[extent]["data"]["value"]]["data"]) for extent in extents]
