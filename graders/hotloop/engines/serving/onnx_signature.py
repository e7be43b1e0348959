"""Reads the inputs, outputs, versions and external files of an ONNX model without the onnx package.

A model is a protobuf message, of which few fields describe these. They are declared here by their
numbers in onnx.proto; the weights are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from hotloop.engines.serving.unavailable import ServingUnavailable

# ONNX's TensorProto.DataType to Triton's data types.
_TYPES = {
    1: "TYPE_FP32", 2: "TYPE_UINT8", 3: "TYPE_INT8", 4: "TYPE_UINT16", 5: "TYPE_INT16",
    6: "TYPE_INT32", 7: "TYPE_INT64", 8: "TYPE_STRING", 9: "TYPE_BOOL", 10: "TYPE_FP16",
    11: "TYPE_FP64", 12: "TYPE_UINT32", 13: "TYPE_UINT64", 16: "TYPE_BF16",
}  # fmt: skip
# Message -> field -> number and type: a scalar, or another message here; "*" means repeated.
_FIELDS: dict[str, dict[str, tuple[int, str]]] = {
    "Model": {
        "ir_version": (1, "int64"), "graph": (7, "Graph"), "opset": (8, "*Opset"),
    },
    "Opset": {"domain": (1, "string"), "version": (2, "int64")},
    "Graph": {
        "node": (1, "*Node"), "initializer": (5, "*Weight"), "input": (11, "*Value"),
        "output": (12, "*Value"),
    },
    "Node": {"attribute": (5, "*Attribute")},
    "Attribute": {
        "tensor": (5, "Weight"), "graph": (6, "Graph"), "tensors": (10, "*Weight"),
        "graphs": (11, "*Graph"),
    },
    "Weight": {"name": (8, "string"), "external": (13, "*Entry"), "location": (14, "int32")},
    "Entry": {"key": (1, "string"), "value": (2, "string")},
    "Value": {"name": (1, "string"), "type": (2, "Type")},
    "Type": {"tensor": (1, "Tensor")},
    "Tensor": {"elements": (1, "int32"), "shape": (2, "Shape")},
    "Shape": {"dim": (1, "*Dim")},
    "Dim": {"size": (1, "int64"), "symbol": (2, "string")},
}  # fmt: skip
_EXTERNAL = 1
"""TensorProto.DataLocation: the values are in another file."""
_SCALARS = {"int32": 5, "int64": 3, "string": 9}
_MESSAGE = 11


@dataclass(frozen=True)
class Signature:
    """An input or output. shape: with the batch dimension; -1 for a variable size."""

    name: str
    data_type: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class ExternalData:
    """A weight in another file. file: relative to the model's folder; "" if not said.

    end: bytes that the file must have, as far as the model says.
    """

    weight: str
    file: str
    end: int


@dataclass(frozen=True)
class OnnxModel:
    """A model's inputs and outputs. initialized: names of inputs that have a default value.

    ir_version: of the file format. opsets: domain -> version; "" is ONNX's own. external: weights
    in other files.
    """

    inputs: tuple[Signature, ...]
    outputs: tuple[Signature, ...]
    initialized: frozenset[str] = frozenset()
    ir_version: int = 0
    opsets: Mapping[str, int] = field(default_factory=dict[str, int])
    external: tuple[ExternalData, ...] = ()

    @property
    def can_batch(self) -> bool:
        """True if the first dimension of all inputs and outputs is variable."""
        tensors = (*self.inputs, *self.outputs)
        return all(tensor.shape[:1] == (-1,) for tensor in tensors)


def read(file: Path) -> OnnxModel:
    """Read a model file. Raises ValueError if it is not an ONNX model."""
    message: Any = _model_class()()
    try:
        message.ParseFromString(file.read_bytes())
    except Exception as error:  # noqa: BLE001 - protobuf's implementations raise different ones
        raise ValueError(f"it is no ONNX model ({type(error).__name__})") from None
    if not message.graph.output:
        raise ValueError("it is no ONNX model: it has no outputs")
    # Before version 4 of the format, weights were inputs with a default value.
    weights = {weight.name for weight in message.graph.initializer}
    return OnnxModel(
        inputs=tuple(_signature(v) for v in message.graph.input if v.name not in weights),
        outputs=tuple(_signature(v) for v in message.graph.output),
        initialized=frozenset(v.name for v in message.graph.input if v.name in weights),
        ir_version=message.ir_version,
        opsets={opset.domain: opset.version for opset in message.opset},
        external=tuple(_external(message)),
    )


def _external(message: Any) -> Iterator[ExternalData]:
    """Yield the weights that are elsewhere, also in the branches and bodies of nodes."""
    graphs: list[Any] = [message.graph]
    while graphs:
        graph = graphs.pop()
        attributes = [attribute for node in graph.node for attribute in node.attribute]
        weights = list(graph.initializer)
        for attribute in attributes:
            weights += [attribute.tensor, *attribute.tensors]
            graphs += [attribute.graph] if attribute.HasField("graph") else []
            graphs += attribute.graphs
        for weight in weights:
            if weight.location == _EXTERNAL:
                said = {entry.key: entry.value for entry in weight.external}
                sizes = (said.get("offset", ""), said.get("length", ""))
                end = sum(int(size) for size in sizes if size.isdecimal() and len(size) < 20)
                yield ExternalData(weight.name, said.get("location", ""), end)


def _signature(value: Any) -> Signature:
    tensor = value.type.tensor
    shape = tuple(d.size if d.HasField("size") and d.size > 0 else -1 for d in tensor.shape.dim)
    return Signature(value.name, _TYPES.get(tensor.elements, "TYPE_INVALID"), shape)


@cache
def _model_class() -> Any:
    try:
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    except ImportError:
        from hotloop.engines.serving.extra import remedy

        raise ServingUnavailable("protobuf is not installed", remedy()) from None
    file: Any = descriptor_pb2.FileDescriptorProto(name="signature.proto", package="signature")
    for name, fields in _FIELDS.items():
        message = file.message_type.add(name=name)
        for key, (number, kind) in fields.items():
            described = message.field.add(name=key, number=number)
            described.label = 3 if kind.startswith("*") else 1
            kind = kind.removeprefix("*")
            described.type = _SCALARS.get(kind, _MESSAGE)
            if kind not in _SCALARS:
                described.type_name = f".signature.{kind}"
    pool: Any = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("signature.Model"))
