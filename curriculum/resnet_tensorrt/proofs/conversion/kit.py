"""What the proofs share: a quiet export, a session on one thread, and the network of the module.

Sessions here have one thread, so that no pool of one proof spins while another one works; speed is
not what they show.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import logging
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import torch
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_static,
)

from hotloop.core import paths

Array = np.ndarray[Any, np.dtype[Any]]
MODULE = paths.exercises() / "resnet_tensorrt"
OFF = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
BASIC = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
EXTENDED = ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Without the exporter's progress, advice and warnings; errors get through."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def export(network: torch.nn.Module, example: torch.Tensor, **options: Any) -> onnx.ModelProto:
    """By the legacy exporter, which is quick, unless dynamo=True is among the options.

    The input is called "input" and the output "logits".
    """
    options = {"dynamo": False, "input_names": ["input"], "output_names": ["logits"]} | options
    if options["dynamo"]:
        options["external_data"] = False
    with tempfile.TemporaryDirectory() as folder, quiet():
        path = Path(folder) / "model.onnx"
        torch.onnx.export(network, (example,), path, verbose=False, **options)
        return onnx.load(path)


def free_batch(dynamo: bool = False) -> dict[str, Any]:
    """The option that leaves the first dimension open, which each exporter spells its own way."""
    if dynamo:
        return {"dynamo": True, "dynamic_shapes": ({0: torch.export.Dim("batch")},)}
    return {"dynamic_axes": {"input": {0: "batch"}, "logits": {0: "batch"}}}


def session(model: onnx.ModelProto, level: Any = None, save: Path | None = None) -> Any:
    """On a CPU with one thread. level: of graph optimization, all of it if none is given."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    if level is not None:
        options.graph_optimization_level = level
    if save is not None:
        options.optimized_model_filepath = str(save)
    serialized = model.SerializeToString()
    return ort.InferenceSession(serialized, options, providers=["CPUExecutionProvider"])


def run(model: onnx.ModelProto, feeds: Mapping[str, Array] | Array, level: Any = None) -> Array:
    """The first output. An array is fed to the first input."""
    opened = session(model, level)
    if isinstance(feeds, np.ndarray):
        feeds = {opened.get_inputs()[0].name: feeds}
    return opened.run(None, dict(feeds))[0]


def optimized(model: onnx.ModelProto, level: Any) -> onnx.ModelProto:
    """The graph that ONNX Runtime makes of it at this level."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "optimized.onnx"
        session(model, level, path)
        return onnx.load(path)


def operators(model: onnx.ModelProto) -> Counter[str]:
    """How often each operator is in the graph."""
    return Counter(node.op_type for node in model.graph.node)


# --- the module's network ---------------------------------------------------------------------


@cache
def given(name: str) -> ModuleType:
    """resnet.py or signs.py, imported under a name of its own."""
    spec = importlib.util.spec_from_file_location(f"conversion_{name}", MODULE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def signs(seed: int, count: int) -> tuple[Array, Array]:
    """Pictures and their classes."""
    return given("signs").pictures(seed, count)


@cache
def trained() -> torch.nn.Module:
    """The network of width 16 that reads the signs, in evaluation mode."""
    return given("resnet").load()


@cache
def trained_onnx() -> onnx.ModelProto:
    """Its export with a free batch, by the legacy exporter."""
    return export(trained(), torch.zeros(2, 3, 64, 64), **free_batch())


def right(logits: Array, labels: Array) -> int:
    """How many of the pictures are classified rightly."""
    return int((logits.argmax(1) == labels).sum())


# --- quantization -----------------------------------------------------------------------------


class Calibration(CalibrationDataReader):
    """Batches of normalized pictures, one after the other."""

    def __init__(self, pictures: Array, name: str = "input", rows: int = 16) -> None:
        self.batches = iter(
            [{name: pictures[at : at + rows]} for at in range(0, len(pictures), rows)]
        )

    def get_next(self) -> dict[str, Array] | None:  # type: ignore[override]
        """None when there are no more, as the quantizer wants it."""
        return next(self.batches, None)


def quantized(model: onnx.ModelProto, pictures: Array, **options: Any) -> onnx.ModelProto:
    """Static int8, as a graph with QuantizeLinear and DequantizeLinear."""
    options = {
        "quant_format": QuantFormat.QDQ,
        "activation_type": QuantType.QUInt8,
        "weight_type": QuantType.QInt8,
        "per_channel": True,
    } | options
    with tempfile.TemporaryDirectory() as folder, quiet():
        target = Path(folder) / "int8.onnx"
        reader = Calibration(pictures, model.graph.input[0].name)
        mine = onnx.ModelProto()
        mine.CopyFrom(model)  # it moves the weights of the one that it is given to a file
        quantize_static(mine, str(target), reader, **options)
        return onnx.load(target)
