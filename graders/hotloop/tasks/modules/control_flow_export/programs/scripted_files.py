"""Small random TorchScript files, and the effect of freezing and optimizing them."""

from __future__ import annotations

import importlib.util
import random
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import torch

torch.set_num_threads(1)
warnings.filterwarnings("ignore")

BATCH_NORM, DROPOUT, MKLDNN = "aten::batch_norm", "aten::dropout", "mkldnn"
HEAD = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, {width}, 3, padding=1)
        self.convs = nn.ModuleList([{convs}])
        self.norms = nn.ModuleList([{norms}])
        self.drop = nn.Dropout(0.5)
        self.head = nn.Linear({width}, 4)
        self.doubled = {flag}

    def forward(self, x):
        x = self.first(x)
        for conv, norm in zip(self.convs, self.norms):
            x = norm(conv(x)).relu()
        if self.doubled:
            x = x * 2
"""
BRANCH = """\
        if bool(x.sum() > 0):
            x = -x
        else:
            if bool(x.mean() > -1):
                x = x + 2.0
"""
LOOP = """\
        for _ in range(x.size(0)):
            x = x + 1.0
            if bool(x.mean() > 1):
                x = x * 0.5
"""
TAIL = """\
        x = self.drop(x)
        return self.head(x.mean((2, 3)))
"""
METHOD = """
    @torch.jit.export
    def {name}(self, x):
        {body}
        return x * 2.0
"""
NAMES = ("scale", "warm_up", "embed", "score")


def make(seed: int, number: int) -> dict[str, Any]:
    """Return a file's path, and the right answers to all questions about it.

    Each of these exposes a mistake: the first file is saved in training mode; the second has one
    more method with an `if`; the third has a branch and a loop, the fourth neither. Each branch and
    each loop contains another branch.
    """
    draw = random.Random(seed)
    width, layers = 4 * draw.randint(1, 3), draw.randint(1, 3)
    text = HEAD.format(
        width=width,
        convs=", ".join(f"nn.Conv2d({width}, {width}, 3, padding=1)" for _ in range(layers)),
        norms=", ".join(f"nn.BatchNorm2d({width})" for _ in range(layers)),
        flag=draw.random() < 0.5,
    )
    share = {3: 1.0, 4: 0.0}.get(number, 0.6)
    text += "".join(part for part in (BRANCH, LOOP) if draw.random() < share) + TAIL
    for place, name in enumerate(draw.sample(NAMES, draw.randint(number == 2, 2))):
        decides = draw.random() < 0.5 or (number == 2 and place == 0)
        body = "if bool(x.sum() > 0): x = -x" if decides else "x = x.relu()"
        text += METHOD.format(name=name, body=body)
    net = torch.jit.script(_class(text)())
    net.train(draw.random() < 0.4 or number == 1)
    path = Path(tempfile.mkdtemp()) / "old.pt"
    net.save(str(path))
    return {"path": str(path), "figures": figures(str(path)), "inventory": inventory(str(path))}


def figures(path: str) -> dict[str, dict[str, int]]:
    """Return the node counts of `forward` as scripted, frozen, and optimized for inference."""
    net = torch.jit.load(path).eval()
    frozen = torch.jit.freeze(net)
    optimized = torch.jit.optimize_for_inference(torch.jit.load(path).eval())
    graphs = {"scripted": net.inlined_graph, "frozen": frozen.graph, "optimized": optimized.graph}
    return {name: _counts(graph) for name, graph in graphs.items()}


def inventory(path: str) -> dict[str, Any]:
    """Return what must be rewritten, over all methods of a file."""
    net = torch.jit.load(path)
    names = [name for name in net._c._method_names() if not name.startswith("_")]
    kinds: Counter[str] = Counter()
    for name in names:
        kinds += _kinds(getattr(net, name).inlined_graph)
    return {
        "methods": sorted(names),
        "ifs": kinds["prim::If"],
        "loops": kinds["prim::Loop"],
        "training": net.training,
        "parameters": sum(values.numel() for values in net.parameters()),
    }


def _counts(graph: Any) -> dict[str, int]:
    kinds = _kinds(graph)
    return {
        "nodes": sum(kinds.values()),
        "attributes": kinds["prim::GetAttr"],
        "ifs": kinds["prim::If"],
        "batch_norms": kinds[BATCH_NORM],
        "dropouts": kinds[DROPOUT],
        "mkldnn": sum(count for kind, count in kinds.items() if MKLDNN in kind.lower()),
    }


def _kinds(block: Any) -> Counter[str]:
    """Return the count of each kind of node, including nodes in inner blocks."""
    counts: Counter[str] = Counter()
    for node in block.nodes():
        counts[node.kind()] += 1
        for inner in node.blocks():
            counts += _kinds(inner)
    return counts


def _class(text: str) -> Any:
    """Return the class. TorchScript reads a class's source, so it must be in a file."""
    path = Path(tempfile.mkdtemp()) / "net.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(f"net_{path.parent.name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Net
