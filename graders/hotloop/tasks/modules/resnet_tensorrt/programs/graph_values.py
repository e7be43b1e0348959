"""Evaluate a model's tensors: in float64 by ONNX's reference, in float32 by ONNX Runtime.

The float64 values are the truth for a rewritten model. ONNX Runtime runs without optimizations: it
would fold and remove by itself what the tasks are about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import TensorProto, numpy_helper
from onnx.reference import ReferenceEvaluator

Values = dict[str, NDArray[np.generic]]


def every_output(model: onnx.ModelProto) -> list[str]:
    """Return the names of all node outputs, in the order of the nodes."""
    return [name for node in model.graph.node for name in node.output if name]


def in_float64(
    model: onnx.ModelProto, feeds: Mapping[str, NDArray[np.generic]], names: Sequence[str]
) -> Values:
    """Return the named tensors of the same graph, computed in float64."""
    twin = onnx.ModelProto()
    twin.CopyFrom(_showing(model, names))
    for tensor in twin.graph.initializer:
        _widen(tensor)
    for node in twin.graph.node:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                _widen(attribute.t)
            if node.op_type == "Cast" and attribute.i == TensorProto.FLOAT:
                attribute.i = TensorProto.DOUBLE
    wide = {name: _wide(value) for name, value in feeds.items()}
    return dict(zip(names, ReferenceEvaluator(twin).run(None, wide), strict=True))


def in_float32(
    model: onnx.ModelProto, feeds: Mapping[str, NDArray[np.generic]], names: Sequence[str]
) -> Values:
    """Return the named tensors as ONNX Runtime computes them."""
    values = session(_showing(model, names).SerializeToString()).run(list(names), dict(feeds))
    return dict(zip(names, values, strict=True))


def session(model: bytes) -> onnxruntime.InferenceSession:
    """Return a session with one thread and no graph optimizations."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _showing(model: onnx.ModelProto, names: Sequence[str]) -> onnx.ModelProto:
    shown = onnx.ModelProto()
    shown.CopyFrom(model)
    del shown.graph.output[:]
    shown.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    return shown


def _widen(tensor: onnx.TensorProto) -> None:
    values = numpy_helper.to_array(tensor)
    if np.issubdtype(values.dtype, np.floating):
        tensor.CopyFrom(numpy_helper.from_array(values.astype(np.float64), tensor.name))


def _wide(value: NDArray[np.generic]) -> NDArray[np.generic]:
    return value.astype(np.float64) if np.issubdtype(value.dtype, np.floating) else value
