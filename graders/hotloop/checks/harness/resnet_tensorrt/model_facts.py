"""What stands in an ONNX file, as plain data. It reads the file and runs nothing of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import onnx
from onnx import numpy_helper

MOST = 64
"""So many of anything are told; a longer list is no better evidence."""

OWN = ("", "ai.onnx")
LEAST, MOST_INT32 = -(2**31), 2**31 - 1


def facts(path: str) -> dict[str, Any]:
    """Opset, inputs and outputs, operators, types, and what an export can have gone wrong in."""
    model = onnx.load(path, load_external_data=False)
    nodes = list(_nodes(model.graph))
    tensors = list(_tensors(model))
    return {
        "checker": _checker(model),
        "opset": next((o.version for o in model.opset_import if o.domain in OWN), 0),
        "foreign": sorted({node.domain for node in nodes if node.domain not in OWN})[:MOST],
        "functions": len(model.functions),
        "external": any(tensor.external_data for tensor in tensors),
        "inputs": _ends(model.graph, model.graph.input),
        "outputs": _ends(model.graph, model.graph.output),
        "operators": dict(Counter(node.op_type for node in nodes).most_common(MOST)),
        "training": sorted({node.op_type for node in nodes if _trains(node)}),
        "types": sorted(_types(model, nodes, tensors))[:MOST],
        "stored": sorted({_name(tensor.data_type) for tensor in tensors}),
        "computed_kernels": _computed_kernels(model.graph, nodes),
        "beyond_int32": any(_beyond_int32(tensor) for tensor in tensors),
        "halved": _halved(model.graph, nodes),
    }


def _checker(model: onnx.ModelProto) -> str | None:
    try:
        onnx.checker.check_model(model, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        return " ".join(str(error).split())[:200]
    return None


def _nodes(graph: onnx.GraphProto) -> Iterator[onnx.NodeProto]:
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                yield from _nodes(inner)


def _tensors(model: onnx.ModelProto) -> Iterator[onnx.TensorProto]:
    """All that hold numbers, in initializers and in attributes."""
    yield from model.graph.initializer
    for node in _nodes(model.graph):
        for attribute in node.attribute:
            if attribute.HasField("t"):
                yield attribute.t
            yield from attribute.g.initializer


def _ends(graph: onnx.GraphProto, values: Any) -> list[list[Any]]:
    weights = {tensor.name for tensor in graph.initializer}
    return [
        [v.name, _name(v.type.tensor_type.elem_type), _dims(v)]
        for v in values
        if v.name not in weights
    ][:MOST]


def _dims(value: onnx.ValueInfoProto) -> list[int | str]:
    dims = value.type.tensor_type.shape.dim
    return [d.dim_value if d.HasField("dim_value") else d.dim_param or "?" for d in dims]


def _trains(node: onnx.NodeProto) -> bool:
    if node.op_type == "BatchNormalization":
        mode = any(a.name == "training_mode" and a.i for a in node.attribute)
        return mode or len(node.output) > 1
    return node.op_type == "Dropout" and len(node.input) > 2 and node.input[2] != ""


def _types(
    model: onnx.ModelProto, nodes: list[onnx.NodeProto], tensors: list[onnx.TensorProto]
) -> set[str]:
    """Of everything that is stored, computed or converted to."""
    try:
        graph = onnx.shape_inference.infer_shapes(model).graph
    except onnx.shape_inference.InferenceError:
        graph = model.graph
    values = (*graph.input, *graph.value_info, *graph.output)
    found = {v.type.tensor_type.elem_type for v in values} | {t.data_type for t in tensors}
    casts = (a.i for n in nodes if n.op_type == "Cast" for a in n.attribute if a.name == "to")
    return {_name(element) for element in (*found, *casts)}


def _computed_kernels(graph: onnx.GraphProto, nodes: list[onnx.NodeProto]) -> int:
    """Convolutions whose weights are no stored numbers."""
    stored = {tensor.name for tensor in graph.initializer}
    stored |= {n.output[0] for n in nodes if n.op_type in ("Constant", "Identity")}
    return sum(node.input[1] not in stored for node in nodes if node.op_type == "Conv")


def _beyond_int32(tensor: onnx.TensorProto) -> bool:
    if tensor.data_type != onnx.TensorProto.INT64 or tensor.external_data:
        return False
    values = numpy_helper.to_array(tensor)
    return values.size > 0 and not (values.min() >= LEAST and values.max() <= MOST_INT32)


def _halved(graph: onnx.GraphProto, nodes: list[onnx.NodeProto]) -> bool:
    """Every convolution and matrix product has its weights in float16."""
    types = {tensor.name: tensor.data_type for tensor in graph.initializer}
    products = [node for node in nodes if node.op_type in ("Conv", "Gemm", "MatMul")]
    return bool(products) and all(
        types.get(node.input[1]) == onnx.TensorProto.FLOAT16 for node in products
    )


def _name(element: int) -> str:
    return onnx.TensorProto.DataType.Name(element)
