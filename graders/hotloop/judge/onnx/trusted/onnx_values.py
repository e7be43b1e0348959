"""Evaluate a model's tensors: in float64 by ONNX's reference, in float32 by ONNX Runtime.

The float64 values are the truth for a rewritten model. ONNX Runtime runs without optimizations: it
would fold and remove by itself what the tasks are about.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, numpy_helper
from onnx.reference import ReferenceEvaluator
from ort_session import opened

Values = dict[str, NDArray[np.generic]]
AS_IT_IS = {"graph_optimization_level": "disabled", "inter_op_num_threads": 1}


def every_output(model: onnx.ModelProto) -> list[str]:
    """Return the names of all node outputs, in the order of the nodes."""
    return [name for node in model.graph.node for name in node.output if name]


def in_float64(
    model: onnx.ModelProto, feeds: Mapping[str, NDArray[np.generic]], names: Sequence[str]
) -> Values:
    """Return the named tensors of the same graph, computed in float64."""
    twin = _showing(model, names)
    for tensor in twin.graph.initializer:
        _widen(tensor)
    for node in twin.graph.node:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                _widen(attribute.t)
            if node.op_type == "Cast" and attribute.i == TensorProto.FLOAT:
                attribute.i = TensorProto.DOUBLE
    return _by_reference(twin, {name: _wide(value) for name, value in feeds.items()}, names)


def on_zeros(model: onnx.ModelProto, batch: int) -> Values:
    """Return every tensor, by running the model on zeros, with initializers and inputs.

    batch: size of each symbolic dimension.
    """
    names = every_output(model)
    feeds: Values = {
        value.name: np.zeros([d.dim_value or batch for d in value.type.tensor_type.shape.dim], "f4")
        for value in model.graph.input
    }
    stored = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    return {**stored, **feeds, **_by_reference(_showing(model, names), feeds, names)}


def in_float32(
    model: onnx.ModelProto, feeds: Mapping[str, NDArray[np.generic]], names: Sequence[str]
) -> Values:
    """Return the named tensors as ONNX Runtime computes them."""
    session = opened(_showing(model, names).SerializeToString(), AS_IT_IS)
    return dict(zip(names, session.run(list(names), dict(feeds)), strict=True))


def _by_reference(model: onnx.ModelProto, feeds: Values, names: Sequence[str]) -> Values:
    return dict(zip(names, ReferenceEvaluator(model).run(None, feeds), strict=True))


def _showing(model: onnx.ModelProto, names: Sequence[str]) -> onnx.ModelProto:
    shown = copy.deepcopy(model)
    del shown.graph.output[:]
    shown.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    return shown


def _widen(tensor: onnx.TensorProto) -> None:
    tensor.CopyFrom(numpy_helper.from_array(_wide(numpy_helper.to_array(tensor)), tensor.name))


def _wide(value: NDArray[np.generic]) -> NDArray[np.generic]:
    return value.astype(np.float64) if np.issubdtype(value.dtype, np.floating) else value
