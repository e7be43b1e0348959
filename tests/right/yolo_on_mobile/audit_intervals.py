"""Tensors as dataclasses with a maker and readers; bytes alive by a numpy table of intervals."""


### BEGIN SOLUTION yolo_on_mobile.audit
import json
import os
from dataclasses import dataclass, field

import numpy as np
import onnx


@dataclass
class Tensor:
    bytes: int
    born: int
    dies: int
    makers: set = field(default_factory=set)
    readers: set = field(default_factory=set)


def audit(model_path, card_path):
    card = json.load(open(card_path))
    graph = onnx.shape_inference.infer_shapes(onnx.load(model_path), True, True).graph
    taken = delegated(graph, card["operators"])
    tensors = lifetimes(graph, taken)
    table = np.zeros((len(tensors), len(graph.node)), np.int64)
    for row, tensor in zip(table, tensors.values()):
        row[tensor.born : tensor.dies + 1] = tensor.bytes
    found = {
        "refused": {n.name: None for n, ok in zip(graph.node, taken) if not ok},
        "segments": np.count_nonzero(np.diff([0, *map(int, taken)]) == 1),
        "bytes": os.path.getsize(model_path),
        "peak_bytes": table.sum(0).max(),
        "crossing_bytes": sum(t.bytes for t in tensors.values() if t.readers - t.makers),
    }
    found["refused"] = list(found["refused"])
    found["over"] = [limit for limit, most in card["limits"].items() if found[limit] > most]
    return found


### END SOLUTION


### BEGIN SOLUTION yolo_on_mobile.audit delegate
def delegated(graph, rules):
    kernels = {t.name: list(t.dims)[2:] for t in graph.initializer}

    def takes(node):
        if node.op_type not in rules:
            return False
        rule = rules[node.op_type]
        options = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        if not rule.get("groups", True) and options.get("group", 1) != 1:
            return False
        most = rule.get("largest_kernel")
        if most is None:
            return True
        shape = options.get("kernel_shape")
        return max(shape if shape is not None else kernels[node.input[1]]) <= most

    return [takes(node) for node in graph.node]


### END SOLUTION


### BEGIN SOLUTION yolo_on_mobile.audit memory
def lifetimes(graph, taken):
    stored = {t.name for t in graph.initializer}
    last = len(graph.node) - 1
    tensors = {}

    def size(value):
        tensor = value.type.tensor_type
        width = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type).itemsize
        return width * int(np.prod([d.dim_value for d in tensor.shape.dim]))

    sizes = {v.name: size(v) for v in (*graph.input, *graph.value_info, *graph.output)}
    for value in graph.input:
        if value.name not in stored:
            tensors[value.name] = Tensor(sizes[value.name], 0, 0, {False})
    for at, (node, side) in enumerate(zip(graph.node, taken)):
        for name in node.output:
            if name:
                tensors[name] = Tensor(sizes[name], at, at, {side})
        for name in node.input:
            if name in tensors:
                tensors[name].dies = at
                tensors[name].readers.add(side)
    for value in graph.output:
        tensors[value.name].dies = last
        tensors[value.name].readers.add(False)
    return tensors


### END SOLUTION
