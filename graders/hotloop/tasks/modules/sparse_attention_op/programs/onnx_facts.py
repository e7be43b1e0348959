"""Facts about an ONNX file as plain data. The file is read and never run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import onnx

OWN = ("", "ai.onnx")
MOST = 64


def facts(path: str) -> dict[str, Any]:
    """Return opset, ends, custom nodes, functions, and the message of onnx.checker."""
    model = onnx.load(path, load_external_data=False)
    nodes = list(_within(model.graph.node))
    in_functions = [node for f in model.functions for node in _within(f.node)]
    called = {(f.domain, f.name) for f in model.functions}
    return {
        "checker": _checker(model),
        "version": model.model_version,
        "opset": next((o.version for o in model.opset_import if o.domain in OWN), 0),
        "domains": {o.domain: o.version for o in model.opset_import if o.domain not in OWN},
        "external": any(t.external_data for t in model.graph.initializer),
        "inputs": [_end(value) for value in model.graph.input][:MOST],
        "outputs": [_end(value) for value in model.graph.output][:MOST],
        "foreign": [_node(n) for n in nodes if n.domain not in OWN][:MOST],
        "nodes": len(nodes),
        "products": sum(n.op_type in ("MatMul", "Gemm", "Einsum") for n in (*nodes, *in_functions)),
        "functions": [
            {
                "domain": f.domain,
                "name": f.name,
                "attributes": sorted({*f.attribute, *(a.name for a in f.attribute_proto)}),
                "foreign": sorted({n.op_type for n in _within(f.node) if not _known(n, called)}),
            }
            for f in model.functions
        ][:MOST],
    }


def _known(node: onnx.NodeProto, called: set[tuple[str, str]]) -> bool:
    return node.domain in OWN or (node.domain, node.op_type) in called


def _checker(model: onnx.ModelProto) -> str | None:
    try:
        onnx.checker.check_model(model, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        return " ".join(str(error).split())[:200]
    return None


def _within(nodes: Any) -> Iterator[onnx.NodeProto]:
    for node in nodes:
        yield node
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                yield from _within(inner.node)


def _node(node: onnx.NodeProto) -> dict[str, Any]:
    return {
        "domain": node.domain,
        "name": node.op_type,
        "inputs": list(node.input),
        "outputs": list(node.output),
        "attributes": {a.name: _plain(a) for a in node.attribute},
    }


def _plain(attribute: onnx.AttributeProto) -> object:
    value = onnx.helper.get_attribute_value(attribute)
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return value if isinstance(value, int | float) else str(value)[:40]


def _end(value: onnx.ValueInfoProto) -> list[Any]:
    tensor = value.type.tensor_type
    dims = [
        d.dim_value if d.HasField("dim_value") else d.dim_param or "?" for d in tensor.shape.dim
    ]
    return [value.name, onnx.TensorProto.DataType.Name(tensor.elem_type), dims]
