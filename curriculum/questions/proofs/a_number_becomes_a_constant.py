"""Which numbers of Python are written into a graph, and what happens when they change."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import torch
from torch.fx.experimental.proxy_tensor import make_fx

Function = Callable[..., torch.Tensor]


def compiled(function: Function) -> tuple[Function, list[int]]:
    """The compiled function, and a list that grows with each graph."""
    graphs: list[int] = []

    def count(graph: torch.fx.GraphModule, _: list[torch.Tensor]) -> Callable[..., Any]:
        graphs.append(len(graph.graph.nodes))
        return graph.forward

    torch._dynamo.reset()
    return torch.compile(function, backend=count), graphs


class Scaled(torch.nn.Module):
    """A factor that somebody changes after export."""

    def __init__(self) -> None:
        super().__init__()
        self.factor = 2.0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Read the factor."""
        return x * self.factor


def main() -> None:
    """A trace, an exported file, and torch.compile with numbers of each kind."""
    x = torch.ones(3)
    rate = 0.5
    graph = make_fx(lambda t: t * rate)(x)
    rate = 0.25
    print("a traced graph multiplies by", graph(x)[0].item(), "although the number is now", rate)
    assert graph(x)[0] == 0.5

    net = Scaled()
    file = io.BytesIO()
    torch.export.save(torch.export.export(net, (x,)), file)
    net.factor = 3.0
    file.seek(0)
    kept = torch.export.load(file).module()(x)[0].item()
    print("an exported file keeps", kept, "although the module now has", net.factor)
    assert kept == 2.0

    for name, values in (
        ("ints as arguments", [2, 3, 4, 5, 6]),
        ("strings as arguments", ["a", "b", "c", "d", "e"]),
        ("tensors as arguments", [torch.tensor(float(v)) for v in range(2, 7)]),
    ):
        fn, graphs = compiled(lambda t, v: t * (ord(v) if isinstance(v, str) else v))
        for value in values:
            fn(x, value)
        print(f"{name:21} five values, {len(graphs)} graphs")
        expected = {"ints as arguments": 2, "strings as arguments": 5, "tensors as arguments": 1}
        assert len(graphs) == expected[name]

    held = Scaled()
    fn, graphs = compiled(held.forward)
    for value in (2.0, 3.0, 4.0, 5.0, 6.0):
        held.factor = value
        assert fn(x)[0] == value, "guards keep it right"
    print(f"{'an attribute, floats':21} five values, {len(graphs)} graphs")
    assert len(graphs) == 2


if __name__ == "__main__":
    main()
