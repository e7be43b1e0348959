"""Run one model that a learner made, in a worker without its source.

Call `load_exported` or `load_scripted` first, then `run` and `arithmetic`, in destination style.
"""

from __future__ import annotations

import warnings
from typing import Any

import torch

torch.set_num_threads(1)
warnings.filterwarnings("ignore")

LOADED: list[Any] = []


def load_exported(path: str) -> bool:
    """Load a clean archive of torch.export.save."""
    LOADED[:] = [torch.export.load(path).module()]
    return True


def load_scripted(path: str) -> bool:
    """Load a file of torch.jit.save. TorchScript's loader runs nothing but TorchScript."""
    LOADED[:] = [torch.jit.load(path, map_location="cpu")]
    return True


@torch.inference_mode()
def run(tokens: torch.Tensor, kind: int, out: torch.Tensor) -> None:
    """Fill in the scores. tokens: int64 [n, length]. out: float32 [n, 8].

    Raises ValueError if the model returns another shape or dtype.
    """
    scores = LOADED[0](tokens, torch.tensor(kind))
    if scores.shape != out.shape or scores.dtype != out.dtype:
        raise ValueError(f"the model gives {scores.dtype} {list(scores.shape)}")
    out.copy_(scores)


@torch.inference_mode()
def arithmetic(tokens: torch.Tensor, kind: int, out: torch.Tensor) -> None:
    """Fill in the FLOPs of matrix products, according to PyTorch's profiler. out: float32 [1]."""
    with torch.profiler.profile(with_flops=True, record_shapes=True) as profile:
        LOADED[0](tokens, torch.tensor(kind))
    out.fill_(float(sum(event.flops or 0 for event in profile.events() if "mm" in event.name)))
