"""Report an ONNX file's contents as plain data. Reads the file and runs nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import onnx
from onnx import helper, numpy_helper
from onnx_walk import PASSES_ON, alive, nodes_inside, nodes_within, origin, stored

MOST = 64
"""Limit of lists that are only shown to learners. Lists that are searched have no such limit."""

MOST_PRODUCTS = 1000
"""More than ten times as many as any network here has."""

PRODUCTS = ("Conv", "Gemm", "MatMul")
OWN = ("", "ai.onnx")


def facts(path: str) -> dict[str, Any]:
    """Return versions, ends, operators, types, functions, and what exports often get wrong."""
    model = onnx.load(path, load_external_data=False)
    nodes = list(nodes_within(model.graph))
    tensors = list(_tensors(model.graph))
    shown = _inferred(model)
    integers = [value for node in nodes for value in _constant_integers(node)]
    return {
        "checker": refusal(model),
        "version": model.model_version,
        "opset": next((o.version for o in model.opset_import if o.domain in OWN), 0),
        "domains": {o.domain: o.version for o in model.opset_import if o.domain not in OWN},
        "external": any(tensor.external_data for tensor in tensors),
        "inputs": _ends(model.graph, model.graph.input),
        "outputs": _ends(model.graph, model.graph.output),
        "foreign": [described(node) for node in nodes if node.domain not in OWN][:MOST],
        "functions": [_function(f, model.functions) for f in model.functions][:MOST],
        "operators": sorted({node.op_type for node in nodes}),
        "training": sorted({node.op_type for node in nodes if _trains(node)}),
        "types": sorted(_types(shown, nodes, tensors)),
        "stored": sorted({_name(tensor.data_type) for tensor in tensors}),
        "computed_kernels": _computed_kernels(model.graph, nodes),
        "beyond_int32": any(map(_beyond_int32, tensors)) or any(map(_is_beyond, integers)),
        "products": _products(model.graph, shown),
    }


def refusal(model: onnx.ModelProto | str) -> str | None:
    """Return why onnx.checker does not accept a model, or None. model: or the file's path."""
    try:
        onnx.checker.check_model(model, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        return " ".join(str(error).split())[:200]
    return None


def dims_of(value: onnx.ValueInfoProto) -> list[int | str]:
    """Return a value's sizes: a number, a name, or "?"."""
    tensor = value.type.tensor_type
    dims = tensor.shape.dim if tensor.HasField("shape") else [onnx.TensorShapeProto.Dimension()]
    return [d.dim_value if d.HasField("dim_value") else d.dim_param or "?" for d in dims]


def described(node: onnx.NodeProto) -> dict[str, Any]:
    """Return a node as plain data."""
    return {
        "domain": node.domain,
        "name": node.op_type,
        "attributes": {a.name: _plain(a) for a in node.attribute},
    }


def _inferred(model: onnx.ModelProto) -> onnx.GraphProto:
    """Return the graph with inferred types and shapes, as far as possible."""
    try:
        return onnx.shape_inference.infer_shapes(model).graph
    except onnx.shape_inference.InferenceError:
        return model.graph


def _tensors(graph: onnx.GraphProto) -> Iterator[onnx.TensorProto]:
    """Yield all tensors in initializers and attributes, including subgraphs."""
    yield from graph.initializer
    yield from (sparse.values for sparse in graph.sparse_initializer)
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                yield attribute.t
            if attribute.HasField("sparse_tensor"):
                yield attribute.sparse_tensor.values
            yield from attribute.tensors
            for inner in (attribute.g, *attribute.graphs):
                yield from _tensors(inner)


def _function(
    function: onnx.FunctionProto, functions: Iterable[onnx.FunctionProto]
) -> dict[str, Any]:
    """Return a function's name, its attributes, and what it calls that no function is."""
    called = {(f.domain, f.name) for f in functions}
    strangers = {
        node.op_type
        for node in nodes_within(function)
        if node.domain not in OWN and (node.domain, node.op_type) not in called
    }
    return {
        "domain": function.domain,
        "name": function.name,
        "attributes": sorted({*function.attribute, *(a.name for a in function.attribute_proto)}),
        "foreign": sorted(strangers),
    }


def _plain(attribute: onnx.AttributeProto) -> object:
    value = helper.get_attribute_value(attribute)
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return value if isinstance(value, int | float) else str(value)[:40]


def _ends(graph: onnx.GraphProto, values: Any) -> list[list[Any]]:
    weights = {tensor.name for tensor in graph.initializer}
    return [
        [v.name, _name(v.type.tensor_type.elem_type), dims_of(v)]
        for v in values
        if v.name not in weights
    ][:MOST]


def _trains(node: onnx.NodeProto) -> bool:
    if node.op_type == "BatchNormalization":
        mode = any(a.name == "training_mode" and a.i for a in node.attribute)
        return mode or len(node.output) > 1
    return node.op_type == "Dropout" and len(node.input) > 2 and node.input[2] != ""


def _types(
    graph: onnx.GraphProto, nodes: list[onnx.NodeProto], tensors: list[onnx.TensorProto]
) -> set[str]:
    """Return the types of everything that is stored, computed or cast to."""
    values = (*graph.input, *graph.value_info, *graph.output)
    elements = {v.type.tensor_type.elem_type for v in values} | {t.data_type for t in tensors}
    casts = (a.i for n in nodes if n.op_type == "Cast" for a in n.attribute if a.name == "to")
    return {_name(element) for element in (*elements, *casts)}


def _computed_kernels(graph: onnx.GraphProto, nodes: list[onnx.NodeProto]) -> int:
    """Count convolutions whose weights are not stored; an Identity in between is allowed."""
    known = {*stored(graph)}
    kernels = (node.input[1] for node in nodes if node.op_type == "Conv")
    return sum(origin(graph, name, ("Identity",)) not in known for name in kernels)


def _beyond_int32(tensor: onnx.TensorProto) -> bool:
    if tensor.data_type != onnx.TensorProto.INT64 or tensor.external_data:
        return False
    values = numpy_helper.to_array(tensor)
    return values.size > 0 and (_is_beyond(int(values.min())) or _is_beyond(int(values.max())))


def _constant_integers(node: onnx.NodeProto) -> Iterator[int]:
    """Yield the integers of a Constant with attributes instead of a tensor: int64 by definition."""
    if node.op_type != "Constant":
        return
    for attribute in node.attribute:
        if attribute.name == "value_int":
            yield attribute.i
        elif attribute.name == "value_ints":
            yield from attribute.ints


def _is_beyond(value: int) -> bool:
    return not -(2**31) <= value < 2**31


def _products(graph: onnx.GraphProto, shown: onnx.GraphProto) -> list[list[Any]]:
    """Return [operator, shape of weights, their stored type] of each product.

    Only of products that the output depends on. Weights that are not stored have the type "".
    """
    values = {value.name: value for value in shown.value_info}
    known = stored(graph)
    nodes = [each for node in alive(graph) for each in (node, *nodes_inside(node))]
    products = [
        [node.op_type, *_weights(graph, node.input[1], known, values)]
        for node in nodes
        if node.op_type in PRODUCTS
    ]
    return products[:MOST_PRODUCTS]


def _weights(
    graph: onnx.GraphProto,
    name: str,
    known: Mapping[str, onnx.TensorProto],
    values: Mapping[str, onnx.ValueInfoProto],
) -> tuple[list[int | str], str]:
    if name in known:
        return list(known[name].dims), _name(known[name].data_type)
    if name in values:
        return dims_of(values[name]), ""
    tensor = known.get(origin(graph, name, PASSES_ON))
    return ([] if tensor is None else list(tensor.dims)), ""


def _name(element: int) -> str:
    return onnx.TensorProto.DataType.Name(element)
