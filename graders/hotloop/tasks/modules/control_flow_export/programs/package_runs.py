"""Run an AOTInductor package: machine code that a learner's function compiled.

Runs in a judge's worker with nothing else in it. The judge compares the results.
"""

from __future__ import annotations

import warnings
from typing import Any

import torch

torch.set_num_threads(1)
warnings.filterwarnings("ignore")

LOADED: list[Any] = []


def load(path: str) -> bool:
    """Load the package at this path."""
    LOADED[:] = [torch._inductor.aoti_load_package(path, run_single_threaded=True)]
    return True


@torch.inference_mode()
def run(weights: int, tokens: torch.Tensor, kind: int, out: torch.Tensor) -> None:  # noqa: ARG001
    """Fill in the scores.

    tokens: int64 [n, length]. out: float32 [n, 8]. weights: unused; the package has its own. Raises
    ValueError if the package returns another shape or dtype.
    """
    scores = LOADED[0](tokens, torch.tensor(kind))
    if scores.shape != out.shape or scores.dtype != out.dtype:
        raise ValueError(f"the package gives {scores.dtype} {list(scores.shape)}")
    out.copy_(scores)
