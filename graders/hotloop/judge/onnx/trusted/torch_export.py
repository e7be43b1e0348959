"""Export a network of ours to ONNX through TorchScript."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import Any

import torch


def exported(
    network: torch.nn.Module,
    example: torch.Tensor,
    ends: tuple[str, str],
    *,
    any_batch: bool = True,
    **settings: Any,
) -> str:
    """Return the path of the ONNX file.

    ends: the names of its input and output. any_batch: leave their first dimension free. settings:
    more ones of torch.onnx.export.
    """
    path = str(Path(tempfile.mkdtemp(prefix="exported-")) / "network.onnx")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter through TorchScript is deprecated
        torch.onnx.export(
            network,
            (example,),
            path,
            dynamo=False,
            input_names=[ends[0]],
            output_names=[ends[1]],
            dynamic_axes={end: {0: "n"} for end in ends} if any_batch else None,
            **settings,
        )
    return path
