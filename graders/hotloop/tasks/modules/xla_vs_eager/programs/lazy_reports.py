"""Small random runs of PyTorch/XLA: each one's metrics report, a dumped module, and the truth.

The truth comes from torch_xla's `metric_data` and `counter_value`, not from the report's text. Runs
in a process that sees nothing of the learner's; metrics belong to the process and are cleared for
each report.
"""

from __future__ import annotations

import os
import random
import re
import tempfile
from pathlib import Path
from typing import Any

DUMP = Path(tempfile.mkdtemp())
# torch_xla reads both variables when it is imported.
os.environ["PJRT_DEVICE"] = "CPU"
os.environ["XLA_FLAGS"] = f"--xla_dump_to={DUMP} --xla_dump_hlo_as_text"

import torch  # noqa: E402
import torch_xla  # noqa: E402
import torch_xla.debug.metrics as met  # noqa: E402
from torch_xla.core import xla_model  # noqa: E402

torch.set_num_threads(1)

KINDS = ("healthy", "shapes", "reads", "fallback")
FOREIGN = (torch.lgamma, torch.digamma, torch.special.i0, torch.special.erfcx)
"""Operators that torch_xla 2.9 does not lower."""


def make(kind: int, seed: int) -> dict[str, Any]:
    """Write the report and a module to files; return their paths and the right answers."""
    draw = random.Random(seed)
    torch_xla.sync()
    xla_model.wait_device_ops()
    met.clear_all()
    before = set(DUMP.glob("*after_optimizations.txt"))
    _train(KINDS[kind], draw)
    torch_xla.sync()
    # Executions are counted when they end, which is later.
    xla_model.wait_device_ops()
    folder = Path(tempfile.mkdtemp())
    (folder / "report.txt").write_text(met.metrics_report())
    dumped = sorted(set(DUMP.glob("*after_optimizations.txt")) - before)
    module = max(dumped, key=lambda path: (path.stat().st_size, path.name)).read_text()
    (folder / "module.txt").write_text(module)
    fallbacks = {
        name: int(met.counter_value(name))
        for name in met.counter_names()
        if name.startswith("aten::") and met.counter_value(name)
    }
    return {
        "report": str(folder / "report.txt"),
        "module": str(folder / "module.txt"),
        "compilations": _samples("CompileTime"),
        "executions": _samples("ExecuteTime"),
        "fallbacks": dict(sorted(fallbacks.items())),
        "fusions": len(re.findall(r"^\s*(?:ROOT )?%?[\w.-]+ = .*? fusion\(", module, re.MULTILINE)),
        "cause": KINDS[kind],
    }


def _samples(metric: str) -> int:
    data = met.metric_data(metric)
    return 0 if data is None else int(data[0])


def _train(kind: str, draw: random.Random) -> None:
    """Train a small network for some steps, with at most one costly thing in them."""
    device = torch_xla.device()
    width, steps = draw.randint(5, 40), draw.randint(9, 16)
    weights = torch.randn(width, draw.randint(2, 7)).to(device).requires_grad_()
    foreign = draw.choice(FOREIGN)
    sizes = draw.sample(range(3, 60), steps) if kind == "shapes" else [draw.randint(3, 60)] * steps
    for size in sizes:
        x = torch.randn(size, width).to(device)
        scores = torch.tanh(x @ weights)
        if kind == "fallback":
            scores = scores + foreign(weights.detach().abs() + 1.0).sum()
        loss = (scores**2).mean()
        (gradient,) = torch.autograd.grad(loss, weights)
        weights = (weights - 0.1 * gradient).detach().requires_grad_()
        if kind == "reads":
            loss.item()
        torch_xla.sync()
