"""A step in place and as a function: how a compiler sees it, and what both weigh."""

from __future__ import annotations

import torch
from torch.func import functionalize
from torch.fx.experimental.proxy_tensor import make_fx


def step(weight: torch.Tensor, moment: torch.Tensor, grad: torch.Tensor) -> torch.Tensor:
    """Momentum, written in place."""
    moment.mul_(0.9).add_(grad)
    weight.sub_(moment * 0.1)
    return weight


class Memory:
    """Buffers by name; the most that lived at the same time."""

    def __init__(self) -> None:
        self.live: dict[str, int] = {}
        self.peak = 0

    def add(self, **sizes: int) -> None:
        """Allocate."""
        self.live.update(sizes)
        self.peak = max(self.peak, sum(self.live.values()))

    def drop(self, *names: str) -> None:
        """Free."""
        for name in names:
            del self.live[name]


def peak(state: int, grads: int, donated: bool) -> int:
    """A functional step: new state out, old state in; donation lets out take in's place."""
    memory = Memory()
    memory.add(state=state, grads=grads)
    if not donated:
        memory.add(new_state=state)
        memory.drop("state")
    return memory.peak


def main() -> None:
    """The graph of the step, then bytes."""
    args = (torch.ones(4), torch.zeros(4), torch.ones(4))
    graph = make_fx(functionalize(step))(*args)
    calls = [str(n.target).split(".")[1] for n in graph.graph.nodes if n.op == "call_function"]
    print("in place became:", calls)
    assert not any(name.endswith("_") and name != "copy_" for name in calls)
    assert calls[-2:] == ["copy_", "copy_"] or calls.count("copy_") == 2
    weight, moment = torch.ones(4), torch.zeros(4)
    graph(weight, moment, torch.ones(4))
    print("and changes its inputs at the end:", weight[0].item(), moment[0].item())
    assert moment[0] == 1
    assert abs(weight[0] - 0.9) < 1e-6

    apart, shared = peak(84, 14, donated=False), peak(84, 14, donated=True)
    print(f"7 billion, 12 bytes of state, 2 of gradient: {apart} GB, with donation {shared} GB")
    assert apart - shared == 84


if __name__ == "__main__":
    main()
