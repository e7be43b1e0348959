"""What PyTorch says of the network that is imported: its parameters, and its answers in use."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import network
import numpy as np
import torch

torch.set_num_threads(1)


def parameters(seed: int, width: int, blocks: int) -> dict[str, Any]:
    """Names and shapes in PyTorch's order, how many running statistics there are, and a .npz."""
    model = network.load(seed, width, blocks)
    named = [(name, values.detach().numpy()) for name, values in model.named_parameters()]
    running = sum(values.numel() for name, values in model.named_buffers() if "running" in name)
    path = Path(tempfile.mkdtemp()) / "parameters.npz"
    np.savez(path, **{f"{index:03d}": values for index, (_, values) in enumerate(named)})
    return {
        "named": [[name, list(values.shape)] for name, values in named],
        "running": running,
        "path": str(path),
    }


def answer(pictures: torch.Tensor, seed: int, width: int, blocks: int, out: torch.Tensor) -> None:
    """float32 [batch, 3, 16, 16] to float64 logits [batch, 5], as the network is used."""
    model = network.load(seed, width, blocks).double().eval()
    with torch.no_grad():
        out.copy_(model(pictures.double()))
