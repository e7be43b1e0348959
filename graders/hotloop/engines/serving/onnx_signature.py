"""Reads the inputs, outputs, versions and external files of an ONNX model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from hotloop.core.extras import remedy
from hotloop.engines.serving.unavailable import ServingUnavailable

if TYPE_CHECKING:
    import onnx

# ONNX's TensorProto.DataType to Triton's data types.
_TYPES = {
    1: "TYPE_FP32", 2: "TYPE_UINT8", 3: "TYPE_INT8", 4: "TYPE_UINT16", 5: "TYPE_INT16",
    6: "TYPE_INT32", 7: "TYPE_INT64", 8: "TYPE_STRING", 9: "TYPE_BOOL", 10: "TYPE_FP16",
    11: "TYPE_FP64", 12: "TYPE_UINT32", 13: "TYPE_UINT64", 16: "TYPE_BF16",
}  # fmt: skip


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
    try:
        from onnx import ModelProto
    except ImportError:
        raise ServingUnavailable("onnx is not installed", remedy("serving")) from None
    model = ModelProto()
    try:
        model.ParseFromString(file.read_bytes())
    except Exception as error:  # noqa: BLE001 - protobuf's implementations raise different ones
        raise ValueError(f"it is no ONNX model ({type(error).__name__})") from None
    if not model.graph.output:
        raise ValueError("it is no ONNX model: it has no outputs")
    # Before version 4 of the format, weights were inputs with a default value.
    weights = {weight.name for weight in model.graph.initializer}
    return OnnxModel(
        inputs=tuple(_signature(v) for v in model.graph.input if v.name not in weights),
        outputs=tuple(_signature(v) for v in model.graph.output),
        initialized=frozenset(v.name for v in model.graph.input if v.name in weights),
        ir_version=model.ir_version,
        opsets={opset.domain: opset.version for opset in model.opset_import},
        external=tuple(_external(model)),
    )


def _external(model: onnx.ModelProto) -> Iterator[ExternalData]:
    """Yield the weights that are elsewhere, also in the branches and bodies of nodes."""
    graphs = [model.graph]
    while graphs:
        graph = graphs.pop()
        attributes = [attribute for node in graph.node for attribute in node.attribute]
        weights = list(graph.initializer)
        for attribute in attributes:
            weights += [attribute.t, *attribute.tensors]
            graphs += [attribute.g] if attribute.HasField("g") else []
            graphs += attribute.graphs
        for weight in weights:
            if weight.data_location == weight.EXTERNAL:
                fields = {entry.key: entry.value for entry in weight.external_data}
                sizes = (fields.get("offset", ""), fields.get("length", ""))
                end = sum(int(size) for size in sizes if size.isdecimal() and len(size) < 20)
                yield ExternalData(weight.name, fields.get("location", ""), end)


def _signature(value: onnx.ValueInfoProto) -> Signature:
    tensor = value.type.tensor_type
    sizes = (d.dim_value if d.HasField("dim_value") else -1 for d in tensor.shape.dim)
    shape = tuple(size if size > 0 else -1 for size in sizes)
    return Signature(value.name, _TYPES.get(tensor.elem_type, "TYPE_INVALID"), shape)
