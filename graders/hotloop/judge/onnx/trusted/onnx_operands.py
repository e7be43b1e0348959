"""How the nodes of a quantized model that multiply by weights get their operands."""

from __future__ import annotations

from typing import Any

import onnx
from onnx_walk import alive, stored

FLOAT = ("Conv", "Gemm", "MatMul", "FusedConv", "FusedGemm")
INTEGER = ("QLinearConv", "QGemm", "QLinearMatMul")
DYNAMIC = ("ConvInteger", "MatMulInteger")
COMPUTES = (*FLOAT, *INTEGER, *DYNAMIC)
INT8 = (onnx.TensorProto.INT8, onnx.TensorProto.UINT8)


def computing(graph: onnx.GraphProto) -> list[onnx.NodeProto]:
    """Return the nodes that multiply by weights and that the graph's first output needs."""
    return [node for node in alive(graph) if node.op_type in COMPUTES]


def operands(graph: onnx.GraphProto) -> list[dict[str, Any]]:
    """Describe each computing node: "op", "name", and the kind of its "activation" and "weight".

    A kind is "static" for integers whose scale is stored, "dynamic" for integers that are scaled in
    each call, or "float".
    """
    reader = _Reader(graph)
    return [
        {"op": node.op_type, "name": node.name, **reader.kinds(node)} for node in computing(graph)
    ]


class _Reader:
    def __init__(self, graph: onnx.GraphProto) -> None:
        self.constants = stored(graph)
        self.makers = {name: node for node in graph.node for name in node.output}

    def kinds(self, node: onnx.NodeProto) -> dict[str, str]:
        if node.op_type in DYNAMIC:
            activation, integers = "dynamic", self._is_integer(node.input[1])
        elif node.op_type in INTEGER:
            activation = "static" if node.input[1] in self.constants else "dynamic"
            integers = self._is_integer(node.input[3])
        else:
            activation = self._activation(node.input[0])
            maker = self._maker(node.input[1], "DequantizeLinear")
            integers = maker is not None and self._is_integer(maker.input[0])
        return {"activation": activation, "weight": "static" if integers else "float"}

    def _activation(self, name: str) -> str:
        node = self._maker(name, "DequantizeLinear")
        if node is None:
            return "float"
        before = self._maker(node.input[0], "QuantizeLinear")
        if before is None:
            return "dynamic"
        if not self._gives_bytes(before):
            return "float"
        fixed = {before.input[1], node.input[1]} <= self.constants.keys()
        return "static" if fixed else "dynamic"

    def _gives_bytes(self, node: onnx.NodeProto) -> bool:
        """Whether a QuantizeLinear outputs 8-bit integers, by the type of its zero point."""
        if len(node.input) > 2 and node.input[2]:
            return self._is_integer(node.input[2])
        return not any(a.name == "output_dtype" and a.i for a in node.attribute)

    def _maker(self, name: str, op: str) -> onnx.NodeProto | None:
        node = self.makers.get(name)
        return node if node is not None and node.op_type == op else None

    def _is_integer(self, name: str) -> bool:
        tensor = self.constants.get(name)
        return tensor is not None and tensor.data_type in INT8
