"""Traces of small runs of PyTorch/XLA by XLA's profiler, in a process of ours."""

from __future__ import annotations

import os
import random
import tempfile
from pathlib import Path

os.environ["PJRT_DEVICE"] = "CPU"

import torch
import torch_xla
import torch_xla.debug.profiler as xp
from torch_xla.core import xla_model

torch.set_num_threads(1)


def trace(seed: int) -> str:
    """Return the path of a trace: some steps, of which those with a new shape compile."""
    draw = random.Random(seed)
    device, width = torch_xla.device(), draw.randint(5, 40)
    weights = torch.randn(width, width).to(device)
    torch_xla.sync()
    folder = tempfile.mkdtemp()
    sizes = draw.choices(draw.sample(range(3, 60), 2), k=draw.randint(4, 6))
    label, first = f"fit{draw.randint(10, 99)}", draw.randint(0, 50)
    xp.start_trace(folder)
    for number, size in enumerate(sizes, start=first):
        with xp.StepTrace(label, step_num=number):
            with xp.Trace("load"):
                batch = torch.randn(size, width).to(device)
            scores = torch.tanh(batch @ weights)
            weights = weights - 0.1 * scores.T @ batch
        xla_model.wait_device_ops()
    xp.stop_trace()
    (path,) = Path(folder).rglob("*.trace.json.gz")
    return str(path)
