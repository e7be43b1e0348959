"""The same network, exported well and in three ways that cost time in every run afterwards."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import onnx
import torch

from hotloop.core import paths

sys.path += paths.beside_notebook("resnet_tensorrt")
from resnet import load

NAMES: dict[str, Any] = {
    "input_names": ["pictures"],
    "output_names": ["logits"],
    "dynamic_axes": {"pictures": {0: "n"}, "logits": {0: "n"}},
}
PRESERVE, TRAINING = torch.onnx.TrainingMode.PRESERVE, torch.onnx.TrainingMode.TRAINING


def write(cause: str | None, target: Path) -> None:
    """The network with a sickness of the file, or without one."""
    network = load()
    if cause == "training":
        # BatchNormalization then takes mean and variance of each batch, and cannot be folded.
        _export(network.train(), target, training=TRAINING)
    elif cause == "inputs":
        # As exporters did before ONNX's IR version 4: whoever runs it may replace any weight.
        _export(network, target, training=PRESERVE, keep_initializers_as_inputs=True)
    else:
        _export(network, target, training=PRESERVE)
    if cause == "outputs":
        _show_everything(target)


def _export(network: torch.nn.Module, target: Path, **how: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter through TorchScript is deprecated
        torch.onnx.export(
            network,
            (torch.zeros(8, 3, 64, 64),),
            str(target),
            dynamo=False,
            do_constant_folding=False,
            **NAMES,
            **how,
        )


def _show_everything(path: Path) -> None:
    """Left over from a search for the first layer that differs: all of them are outputs."""
    model = onnx.load(path)
    for node in model.graph.node:
        if node.op_type in {"Conv", "BatchNormalization"}:
            model.graph.output.append(onnx.helper.make_empty_tensor_value_info(node.output[0]))
    onnx.save(model, path)
