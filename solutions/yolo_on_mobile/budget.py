"""A model against the card of a device: what its delegate takes, and what it costs."""

### BEGIN SOLUTION yolo_on_mobile.audit
### STUB def audit(model_path, card_path):
### STUB     """What a model costs on the device of a card; see the notebook."""
### STUB     raise NotImplementedError("yolo_on_mobile.audit")
import json
from pathlib import Path

import numpy as np
import onnx
from onnx import helper


def audit(model_path, card_path):
    """What a model costs on the device of a card; the notebook says what each figure means."""
    card = json.loads(Path(card_path).read_text(encoding="utf-8"))
    model = onnx.shape_inference.infer_shapes(onnx.load(model_path), strict_mode=True)
    graph = model.graph
    stored = {tensor.name: tuple(tensor.dims) for tensor in graph.initializer}
    taken = [takes(card["operators"], node, stored) for node in graph.node]
    sizes = tensor_bytes(graph)
    found = {
        "refused": [node.name for node, good in zip(graph.node, taken, strict=True) if not good],
        "segments": segments(taken),
        "bytes": Path(model_path).stat().st_size,
        "peak_bytes": peak_bytes(graph, stored, sizes),
        "crossing_bytes": crossing_bytes(graph, taken, sizes),
    }
    limits = card["limits"]
    return {**found, "over": sorted(key for key in limits if found[key] > limits[key])}


### END SOLUTION


### BEGIN SOLUTION yolo_on_mobile.audit delegate
### STUB # Which nodes does the delegate take, and in how many parts?
def takes(operators, node, stored):
    rule = operators.get(node.op_type)
    if rule is None:
        return False
    given = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    if rule.get("groups") is False and given.get("group", 1) > 1:
        return False
    if "largest_kernel" in rule:
        # An exporter may leave kernel_shape out: the weight has it too.
        kernel = given.get("kernel_shape") or stored[node.input[1]][2:]
        return max(kernel) <= rule["largest_kernel"]
    return True


def segments(taken):
    return sum(now and not before for before, now in zip([False, *taken], taken, strict=False))


### END SOLUTION


### BEGIN SOLUTION yolo_on_mobile.audit memory
### STUB # What do tensors take, at one time, and on their way from side to side?
def tensor_bytes(graph):
    """By name, of all that is no initializer."""
    found = {}
    for value in (*graph.input, *graph.value_info, *graph.output):
        kind = value.type.tensor_type
        elements = np.prod([dim.dim_value for dim in kind.shape.dim])
        each = helper.tensor_dtype_to_np_dtype(kind.elem_type).itemsize
        found[value.name] = int(elements) * each
    return found


def peak_bytes(graph, stored, sizes):
    last = {name: step for step, node in enumerate(graph.node) for name in node.input}
    last.update({value.name: len(graph.node) for value in graph.output})
    alive = {value.name for value in graph.input if value.name not in stored}
    peak = 0
    for step, node in enumerate(graph.node):
        alive |= set(node.output)
        peak = max(peak, sum(sizes[name] for name in alive))
        alive = {name for name in alive if last.get(name, -1) > step}
    return peak


def crossing_bytes(graph, taken, sizes):
    """Of what one side makes and the other one needs, each tensor once."""
    side = {value.name: False for value in graph.input}
    for node, mine in zip(graph.node, taken, strict=True):
        side.update(dict.fromkeys(node.output, mine))
    crossing = {value.name for value in graph.output if side[value.name]}
    for node, mine in zip(graph.node, taken, strict=True):
        crossing |= {name for name in node.input if name in side and side[name] != mine}
    return sum(sizes[name] for name in crossing)


### END SOLUTION
