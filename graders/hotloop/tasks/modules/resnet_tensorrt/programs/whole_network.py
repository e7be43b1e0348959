"""ResNet-50 at full width on 224×224, with weights from a seed, for the engine tasks.

Runs in our own workers, beside the module's resnet.py and full_width.py: one writes it as ONNX on
the CPU, another is the eager baseline on the GPU, and a third computes reference logits.
"""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import torch
from full_width import DEVICE, SIDE, network
from torch import nn

LOADED: list[nn.Module] = []


class Camera(nn.Module):
    """From frames to logits, without a softmax, which would hide errors."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        """Take uint8 [batch, height, width, 3], BGR; return float32 [batch, 1000]."""
        rgb = frames.flip(-1).permute(0, 3, 1, 2).contiguous()
        return self.network(rgb.float() / 127.5 - 1)


def write(seed: int) -> str:
    """Return the path of the ONNX model."""
    path = str(Path(tempfile.mkdtemp()) / "network.onnx")
    torch.onnx.export(
        Camera(network(seed)).eval(),
        (torch.zeros(2, SIDE, SIDE, 3, dtype=torch.uint8),),
        path,
        dynamo=True,
        opset_version=18,
        input_names=["frames"],
        output_names=["logits"],
        dynamic_shapes=({0: torch.export.Dim("batch")},),
        external_data=False,
        verbose=False,
    )
    return path


def load(seed: int) -> None:
    """Load the same network on the GPU."""
    LOADED[:] = [_on_device(seed)]


@torch.inference_mode()
def run(frames: torch.Tensor, logits: torch.Tensor) -> None:
    """Compute logits.

    frames: uint8 [n, 224, 224, 3], BGR. logits: float32 [n, 1000]. In host memory.
    """
    logits.copy_(LOADED[0](frames.to(DEVICE)))


@torch.inference_mode()
def logits_of(seed: int, frames: torch.Tensor, logits: torch.Tensor) -> None:
    """Like `run`, with the network of a seed; also on a CPU."""
    logits.copy_(_on_device(seed)(frames.to(DEVICE)))


@cache
def _on_device(seed: int) -> nn.Module:
    torch.backends.cudnn.benchmark = True
    return Camera(network(seed)).eval().to(DEVICE)
