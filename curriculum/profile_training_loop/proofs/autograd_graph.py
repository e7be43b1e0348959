"""The graph that a forward pass leaves behind: who holds it, when it goes, and how it grows."""

from __future__ import annotations

import itertools

import torch
from torch import nn


def nodes(tensor: torch.Tensor) -> list[str]:
    """Names of the nodes that can be reached from a tensor's grad_fn, each once."""
    found: dict[object, str] = {}
    waiting = [tensor.grad_fn] if tensor.grad_fn else []
    while waiting:
        node = waiting.pop()
        if node in found:
            continue
        found[node] = node.name()
        waiting += [parent for parent, _ in node.next_functions if parent is not None]
    return list(found.values())


def main() -> None:
    """Walk one graph, then let a logging line make it grow."""
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    x = torch.randn(16, 4)
    loss = net(x).square().mean()
    names = nodes(loss)
    print("one step:", ", ".join(names))
    assert names.count("torch::autograd::AccumulateGrad") == 4, "one a parameter"
    assert nodes(net(x).square().mean()) == names, "each forward makes a new graph of the same kind"

    loss.backward()
    try:
        loss.backward()
    except RuntimeError as refusal:
        print("a second backward:", str(refusal).split(".")[0])
    else:
        raise AssertionError("what was saved is freed by the first backward")

    grown: list[int] = []
    total = torch.zeros(())
    for _ in range(5):
        total = total + net(x).square().mean()  # meant as a line for the log
        grown.append(len(nodes(total)))
    print("nodes behind `total = total + loss`, step by step:", grown)
    assert all(b > a for a, b in itertools.pairwise(grown)), "every step is kept alive"

    total = torch.zeros(())
    for _ in range(5):
        total = total + net(x).square().mean().detach()
    assert nodes(total) == []
    print("with .detach():", len(nodes(total)), "and no value was read, so nothing had to wait")


if __name__ == "__main__":
    main()
