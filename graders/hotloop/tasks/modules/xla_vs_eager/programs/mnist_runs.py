"""Recordings of small training runs on PyTorch/XLA's device: seconds of steps, and its metrics.

Runs in a process that sees nothing of the learner's. Metrics belong to the process and grow, so
what they were before a recording is no part of it.
"""

from __future__ import annotations

import os
import time
from typing import Any

os.environ["PJRT_DEVICE"] = "CPU"

import torch
import torch_xla
import torch_xla.debug.metrics as met
from torch_xla.core import xla_model

torch.set_num_threads(1)
DEVICE = torch_xla.device()
METRICS = ("CompileTime", "ExecuteTime")


def recorded(sizes: list[int]) -> dict[str, Any]:
    """Return the recording of a step for each size; each call has a network of its own width."""
    width = 5 + len(WIDTHS)
    WIDTHS.append(width)
    weights = torch.randn(64, width).to(DEVICE)
    _finish()
    before, seconds = _metrics(), list[float]()
    for size in sizes:
        images = torch.randn(size, 64)
        began = time.perf_counter()
        leaf = weights.detach().requires_grad_()
        (gradient,) = torch.autograd.grad((torch.tanh(images.to(DEVICE) @ leaf) ** 2).mean(), leaf)
        weights = (leaf - 0.1 * gradient).detach()
        _finish()
        seconds.append(time.perf_counter() - began)
    return {"xla": seconds, "before": before, "after": _metrics()}


WIDTHS: list[int] = []


def _finish() -> None:
    torch_xla.sync()
    # Executions are counted when they end, which is later.
    xla_model.wait_device_ops()


def _metrics() -> dict[str, list[float]]:
    found = {name: met.metric_data(name) for name in METRICS}
    return {name: list(data[:2]) if data else [0, 0] for name, data in found.items()}
