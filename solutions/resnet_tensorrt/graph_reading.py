"""Reading ONNX graphs: where two of them part, and what is in one.

`python graph_reading.py MODEL` prints the figures of a model.
"""

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

TOLERANCE = 1e-3


### BEGIN SOLUTION resnet_tensorrt.first_departure
### STUB def first_departure(reference_path, exported_path, feeds_path):
### STUB     """The name of the first tensor that departs in the exported model; None if all agree.
### STUB
### STUB     feeds_path: an .npz file with the inputs, by name. Compared are the tensors that nodes
### STUB     of both models make, by name, in the order of the reference's nodes. One departs when
### STUB     its largest error exceeds TOLERANCE times the reference's largest absolute value in it.
### STUB     """
### STUB     raise NotImplementedError("resnet_tensorrt.first_departure")
def first_departure(reference_path, exported_path, feeds_path):
    """The name of the first tensor that departs in the exported model; None if all agree.

    feeds_path: an .npz file with the inputs, by name. Compared are the tensors that nodes of both
    models make, by name, in the order of the reference's nodes. One departs when its largest error
    exceeds TOLERANCE times the reference's largest absolute value in it.
    """
    reference, exported = onnx.load(reference_path), onnx.load(exported_path)
    feeds = dict(np.load(feeds_path))
    there = set(made_by_nodes(exported))
    both = [name for name in made_by_nodes(reference) if name in there]
    wanted, found = values_of(reference, both, feeds), values_of(exported, both, feeds)
    for name, want, got in zip(both, wanted, found, strict=True):
        if departs(want, got):
            return name
    return None


def made_by_nodes(model):
    return [name for node in model.graph.node for name in node.output if name]


def values_of(model, names, feeds):
    """All of these tensors become outputs of the graph, which runs as it stands."""
    del model.graph.output[:]
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3  # no warnings
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(names, feeds)


def departs(want, got):
    if want.shape != got.shape:
        return True
    error = np.abs(got.astype(np.float64) - want.astype(np.float64))
    # Written so that a NaN departs.
    return not error.max(initial=0) <= TOLERANCE * np.abs(want).max(initial=0)


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.read_graph
### STUB def read_graph(path, batch):
### STUB     """Seven figures of a graph, when it runs on `batch` samples.
### STUB
### STUB     {"fusible": [[node, …], …], "blocked": {conv: reason}, "foldable": [node, …],
### STUB      "unused": [initializer, …], "parameter_bytes": int, "macs": int, "peak_bytes": int}
### STUB
### STUB     Nodes are given by their names. What each figure means stands in the notebook.
### STUB     """
### STUB     raise NotImplementedError("resnet_tensorrt.read_graph")
def read_graph(path, batch):
    """Seven figures of a graph, when it runs on `batch` samples; the notebook says what they mean.

    Nodes are given by their names.
    """
    model = sized(onnx.load(path), batch)
    graph = model.graph
    uses = Counter(name for node in graph.node for name in node.input if name)
    stored = {tensor.name: tensor for tensor in graph.initializer}
    shown = {value.name for value in graph.output}
    fusible, blocked = chains(graph, shown)
    used = [tensor for name, tensor in stored.items() if uses[name]]
    tensors = tensor_types(graph, stored)
    return {
        "fusible": fusible,
        "blocked": blocked,
        "foldable": foldable(graph, stored),
        "unused": [name for name in stored if not uses[name] and name not in shown],
        "parameter_bytes": sum(numpy_helper.to_array(tensor).nbytes for tensor in used),
        "macs": sum(multiplications(node, tensors) for node in graph.node),
        "peak_bytes": peak_bytes(graph, stored, shown, tensors),
    }


def sized(model, batch):
    """The batch put in for every dimension that has a name; all other shapes follow from it."""
    del model.graph.value_info[:]
    for value in model.graph.input:
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_param:
                dim.dim_value = batch
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
    return onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)


def tensor_types(graph, stored):
    """(shape, bytes of one element) of each tensor, by name."""
    found = {name: (tuple(t.dims), element_bytes(t.data_type)) for name, t in stored.items()}
    for value in (*graph.input, *graph.value_info, *graph.output):
        kind = value.type.tensor_type
        shape = tuple(dim.dim_value for dim in kind.shape.dim)
        found[value.name] = (shape, element_bytes(kind.elem_type))
    return found


def element_bytes(kind):
    return helper.tensor_dtype_to_np_dtype(kind).itemsize


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.read_graph chains
### STUB # Which nodes stand in a row, and may become one?
def chains(graph, shown):
    """Conv + BatchNormalization + Relu, and the convolutions for which it comes to nothing."""
    consumers = {}
    for node in graph.node:
        for name in node.input:
            consumers.setdefault(name, []).append(node)

    def only_consumer(node):
        readers = consumers.get(node.output[0], [])
        return readers[0] if len(readers) == 1 and node.output[0] not in shown else None

    fusible, blocked = [], {}
    for conv in graph.node:
        if conv.op_type != "Conv":
            continue
        chain, following = [conv], only_consumer(conv)
        for op in ("BatchNormalization", "Relu"):
            if following is not None and following.op_type == op:
                chain.append(following)
                following = only_consumer(following)
        readers = consumers.get(conv.output[0], [])
        if len(chain) > 1:
            fusible.append([node.name for node in chain])
        elif any(node.op_type in {"BatchNormalization", "Relu"} for node in readers):
            blocked[conv.name] = "output" if conv.output[0] in shown else "consumers"
    return fusible, blocked


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.read_graph foldable
### STUB # Which nodes give the same in every run?
def foldable(graph, stored):
    known = set(stored) - {value.name for value in graph.input}
    names = []
    for node in graph.node:
        if known.issuperset(name for name in node.input if name):
            known.update(node.output)
            names.append(node.name)
    return names


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.read_graph macs
### STUB # How many multiplications does one node take?
def multiplications(node, tensors):
    """Each element of the result is a sum of products: elements times the length of that sum."""
    if node.op_type == "Conv":
        weight, _ = tensors[node.input[1]]
        length = np.prod(weight[1:])
    elif node.op_type in {"MatMul", "Gemm"}:
        transposed = any(a.name == "transA" and a.i for a in node.attribute)
        length = tensors[node.input[0]][0][-2 if transposed else -1]
    else:
        return 0
    shape, _ = tensors[node.output[0]]
    return int(np.prod(shape) * length)


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.read_graph memory
### STUB # Which tensors live at one time, and what do they take?
def peak_bytes(graph, stored, shown, tensors):
    last = {}
    for step, node in enumerate(graph.node):
        for name in (*node.input, *node.output):
            last[name] = step
    last.update(dict.fromkeys(shown, len(graph.node)))
    alive = {value.name for value in graph.input} - set(stored)
    peak = 0
    for step, node in enumerate(graph.node):
        alive |= {name for name in node.output if name}
        peak = max(peak, sum(size_of(*tensors[name]) for name in alive))
        alive = {name for name in alive if last.get(name, -1) > step}
    return peak


def size_of(shape, element):
    return int(np.prod(shape)) * element


### END SOLUTION

if __name__ == "__main__":
    for figure, value in read_graph(Path(sys.argv[1]), batch=1).items():
        print(f"{figure}: {value}")
