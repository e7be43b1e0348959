"""Small random models with and without TorchDynamo graph breaks, and the truth about them."""

from __future__ import annotations

import importlib.util
import logging
import random
import tempfile
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
import torch._dynamo

torch.set_num_threads(1)
warnings.filterwarnings("ignore")
logging.getLogger("torch._dynamo").setLevel(logging.CRITICAL)

BY_VALUE = ["if x.sum() > 0:", "    x = x * 2"]
BREAKING = (
    ["print('seen', x.shape)"],
    ["limit = x.max().item()", "x = x / (1 + abs(limit))"],
    ["log.warning('a call')"],
    ["x = torch.tensor(x.tolist())"],
    ["torch._dynamo.graph_break()"],
    ["x = x + len(x.nonzero())"],
)
BY_SIZE = ["if x.shape[0] > 2:", "    x = x * 3"]
HARMLESS = (
    ["for row in range(x.shape[0]):", "    x = x + row"],
    ["named = {'a': x.sin(), 'b': x.cos()}", "x = named['a'] + named['b']"],
    ["x = torch.where(x.sum() > 0, x, -x)"],
    ["text = f'{x.shape}'"],
    ["self.calls += 1", "x = x + self.calls"],
    ["parts = [x, x.relu()]", "x = torch.stack(parts).sum(0)"],
)
HEAD = """import logging

import torch
from torch import nn

log = logging.getLogger("program")
log.setLevel(logging.CRITICAL)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear({width}, {width})
        self.calls = 0

    def forward(self, x):
        x = self.first(x)
"""
TAIL = """        return x.cos()


def model():
    torch.manual_seed(0)
    return Model().eval()


def example():
    return (torch.linspace(0.1, 1.0, {rows} * {width}).reshape({rows}, {width}),)
"""


def make(seed: int) -> dict[str, Any]:
    """Return a program's path, the number of graphs, and the lines of its graph breaks."""
    draw = random.Random(seed)
    # Each has one `if` that breaks and one that does not, so matching keywords always fails.
    pieces = [BY_VALUE, BY_SIZE]
    pieces += draw.sample(BREAKING, draw.randint(1, 3)) + draw.sample(HARMLESS, draw.randint(1, 3))
    draw.shuffle(pieces)
    lines = []
    for number, piece in enumerate(pieces):
        lines += [f"        x = x + 0.{number + 1}", *(f"        {line}" for line in piece)]
    sizes = {"width": draw.randint(3, 9), "rows": draw.randint(2, 5)}
    text = HEAD.format(**sizes) + "\n".join(lines) + "\n" + TAIL.format(**sizes)
    path = Path(tempfile.mkdtemp()) / "program.py"
    path.write_text(text)
    return {"path": str(path), **_explained(path)}


def _explained(path: Path) -> dict[str, Any]:
    program = _loaded(path)
    torch._dynamo.reset()
    with torch.inference_mode():
        explained = torch._dynamo.explain(program.model())(*program.example())
    stacks = [reason.user_stack for reason in explained.break_reasons]
    at = {entry.lineno for stack in stacks for entry in stack if Path(entry.filename) == path}
    return {"graphs": explained.graph_count, "lines": sorted(at)}


def _loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("program", path)
    assert spec is not None
    assert spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return program
