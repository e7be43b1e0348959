"""Where a wrong graph first departs from the right one: by bisection, and when that is allowed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import torch
from torch import nn

sys.path.append(str(Path(__file__).parent))
from conversion.kit import OFF, Array, export, session


# --8<-- [start:outputs]
def with_outputs(model: onnx.ModelProto, names: list[str]) -> onnx.ModelProto:
    """A copy that also answers with these inner tensors."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    known = {value.name for value in copy.graph.output}
    copy.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names if name not in known)
    return copy


# --8<-- [end:outputs]


# --8<-- [start:bisect]
def first_departure(count: int, agrees: Callable[[int], bool]) -> int:
    """The first of `count` nodes whose output differs, if all after it differ, too."""
    low, high = 0, count - 1
    while low < high:
        middle = (low + high) // 2
        if agrees(middle):
            low = middle + 1
        else:
            high = middle
    return low


# --8<-- [end:bisect]


class Watched:
    """Two graphs with the same names of tensors; counts how often somebody looks inside."""

    def __init__(self, right: onnx.ModelProto, wrong: onnx.ModelProto, x: Array) -> None:
        self.names = [node.output[0] for node in right.graph.node]
        self.graphs, self.x, self.looks = (right, wrong), x, 0

    def error(self, index: int) -> float:
        """Largest difference, relative to the largest value."""
        self.looks += 1
        name = self.names[index]
        right, wrong = (
            session(with_outputs(graph, [name]), OFF).run([name], {"input": self.x})[0]
            for graph in self.graphs
        )
        return float(abs(right - wrong).max() / abs(right).max())


def main() -> None:
    """A bias that was lost in the tenth convolution of sixteen."""
    torch.manual_seed(0)
    layers = [layer for _ in range(16) for layer in (nn.Conv2d(8, 8, 3, padding=1), nn.ReLU())]
    for layer in layers[::2]:
        nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
    right = export(nn.Sequential(*layers).eval(), torch.zeros(1, 8, 12, 12))
    wrong = onnx.ModelProto()
    wrong.CopyFrom(right)
    guilty = [index for index, node in enumerate(wrong.graph.node) if node.op_type == "Conv"][9]
    bias = next(t for t in wrong.graph.initializer if t.name == wrong.graph.node[guilty].input[2])
    bias.CopyFrom(onnx.numpy_helper.from_array(np.zeros(8, np.float32), bias.name))

    x = np.random.default_rng(0).standard_normal((1, 8, 12, 12)).astype(np.float32)
    watched = Watched(right, wrong, x)
    found = first_departure(len(watched.names), lambda index: watched.error(index) < 1e-4)
    print(f"{len(watched.names)} nodes, {watched.looks} looks: node {found}, it is {guilty}")
    assert found == guilty
    assert watched.looks == 5, "the logarithm of 32 to the base 2"

    # What bisection supposes: once wrong, wrong to the end. A ReLU may hide an error from the rest.
    flat = nn.Sequential(nn.Conv2d(8, 8, 1), nn.ReLU(), nn.Conv2d(8, 8, 1)).eval()
    good = export(_constant(flat, -1.0), torch.zeros(1, 8, 12, 12))
    bad = export(_constant(flat, -2.0), torch.zeros(1, 8, 12, 12))
    hidden = Watched(good, bad, x)
    assert hidden.error(2) == 0.0, "the end agrees"
    assert hidden.error(0) > 0.5, "the first node does not"
    print("a ReLU hid an error: equal outputs on some inputs do not prove equal graphs")


def _constant(network: nn.Sequential, value: float) -> nn.Sequential:
    """Its first convolution gives this value, whatever comes in."""
    first = network[0]
    with torch.no_grad():
        for name, parameter in first.named_parameters():
            parameter.fill_(value if name == "bias" else 0.0)
    return network


if __name__ == "__main__":
    main()
