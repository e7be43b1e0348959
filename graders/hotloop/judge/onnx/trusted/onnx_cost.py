"""What running a graph node by node costs in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
import onnx
from onnx import helper


def shapes_of(graph: onnx.GraphProto) -> dict[str, list[int]]:
    """Return the shape of each tensor that is stored, or static in the graph's value infos."""
    shapes = {tensor.name: list(tensor.dims) for tensor in graph.initializer}
    for value in (*graph.input, *graph.value_info, *graph.output):
        dims = value.type.tensor_type.shape.dim
        if all(dim.HasField("dim_value") for dim in dims):
            shapes[value.name] = [dim.dim_value for dim in dims]
    return shapes


def sizes_of(graph: onnx.GraphProto) -> dict[str, int]:
    """Return the bytes of each tensor with a static shape in the graph's value infos."""
    shapes = shapes_of(graph)
    kinds = {
        value.name: helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
        for value in (*graph.input, *graph.value_info, *graph.output)
        if value.name in shapes
    }
    return {name: kind.itemsize * int(np.prod(shapes[name])) for name, kind in kinds.items()}


def peak_bytes(
    graph: onnx.GraphProto, sizes: Mapping[str, int], *, stay: Collection[str] = ()
) -> int:
    """Return the peak of live bytes over all nodes, from each tensor's first to its last use.

    Outputs, and inputs in `stay`, live to the end; initializers don't count.
    """
    count = len(graph.node)
    stored = {tensor.name for tensor in graph.initializer}
    born = {value.name: 0 for value in graph.input if value.name not in stored}
    died = dict.fromkeys((*(value.name for value in graph.output), *stay), count)
    for step, node in enumerate(graph.node):
        born.update((name, step) for name in node.output if name)
    for name, birth in born.items():
        reads = [step for step, node in enumerate(graph.node) if name in node.input]
        died.setdefault(name, max(reads, default=birth))
    alive = [[n for n in born if born[n] <= step <= died[n]] for step in range(count)]
    return max((sum(sizes[name] for name in names) for names in alive), default=0)
