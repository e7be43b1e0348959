"""What runs in eager mode at each call, what a compiler is given, and what it assumes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Calls(TorchDispatchMode):
    """Names every operation that PyTorch is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Note one operation."""
        self.names.append(str(func))
        return func(*args, **(kwargs or {}))


def step(x: torch.Tensor, double: bool) -> torch.Tensor:
    """One operation is for nothing, and Python decides what comes last."""
    torch.exp(x)  # nobody uses this
    y = torch.relu(x + 1)
    return y * 2 if double else y - 1


class ByValue(torch.nn.Module):
    """Python must know a value of the tensor before it can go on."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Two ways."""
        return x * 2 if x.sum() > 0 else x - 1


def main() -> None:
    """Count operations and graphs."""
    x = torch.ones(4)
    for _ in range(2):
        with Calls() as eager:
            step(x, True)
        print("eager:", len(eager.names), "operations at every call, the useless one too")
        assert len(eager.names) == 4

    graphs: list[int] = []

    def compiler(graph: torch.fx.GraphModule, _: list[torch.Tensor]) -> Callable[..., Any]:
        graph.graph.eliminate_dead_code()
        graphs.append(sum(node.op == "call_function" for node in graph.graph.nodes))
        return graph.forward

    torch._dynamo.reset()
    compiled = torch.compile(step, backend=compiler)
    for x_, double in ((x, True), (x + 1, True), (x, False), (x, True)):
        assert torch.equal(compiled(x_, double), step(x_, double))
    print("graphs handed to the compiler, with their operations:", graphs)
    assert graphs == [3, 3], "one for each way that Python took, and none for what is known"
    compiled(torch.ones(4, dtype=torch.float64), True)
    assert len(graphs) == 3, "a guard failed: another dtype"

    torch._dynamo.reset()
    exported = torch.export.export(torch.nn.ReLU(), (x,))
    print("exported:", [str(n.target) for n in exported.graph.nodes if n.op == "call_function"])
    try:
        torch.export.export(ByValue(), (x,))
    except Exception as refusal:  # noqa: BLE001 - its class is private to torch.fx
        print("a branch on a value cannot be exported:", type(refusal).__name__)
    else:
        raise AssertionError("one graph cannot hold a branch that depends on data")


if __name__ == "__main__":
    main()
