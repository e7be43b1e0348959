"""What crosses from the forward to the backward graph, cut in two ways."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from functorch.compile import make_boxed_func
from torch._decomp import core_aten_decompositions
from torch._functorch.aot_autograd import aot_function
from torch._functorch.partitioners import default_partition, min_cut_rematerialization_partition


def chain(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """A chain of cheap operations in front of a product."""
    return torch.tanh(torch.exp(-torch.sigmoid(x))) @ w


def cut(partition: Callable[..., Any]) -> tuple[int, int, int]:
    """Tensors that cross besides the inputs, and operations in the two graphs."""
    graphs: dict[str, torch.fx.GraphModule] = {}

    def keep(name: str) -> Callable[[torch.fx.GraphModule, Any], Any]:
        def compiler(graph: torch.fx.GraphModule, _: Any) -> Any:
            graphs[name] = graph
            return make_boxed_func(graph)

        return compiler

    torch.manual_seed(0)
    x = torch.randn(16, 16, requires_grad=True)
    w = torch.randn(16, 16, requires_grad=True)
    fn = aot_function(
        chain,
        fw_compiler=keep("forward"),
        bw_compiler=keep("backward"),
        partition_fn=partition,
        decompositions=core_aten_decompositions(),
    )
    fn(x, w).sum().backward()
    ours = x.grad
    again = x.detach().clone().requires_grad_()
    chain(again, w.detach()).sum().backward()
    assert ours is not None
    assert again.grad is not None
    torch.testing.assert_close(ours, again.grad)

    (output,) = (n for n in graphs["forward"].graph.nodes if n.op == "output")
    crossing = [n for n in output.args[0][1:] if n is not None and n.op != "placeholder"]
    sizes = [len([n for n in g.graph.nodes if n.op == "call_function"]) for g in graphs.values()]
    return len(crossing), sizes[0], sizes[1]


def main() -> None:
    """The default keeps what autograd would; the minimal cut computes cheap things again."""
    plain, smart = cut(default_partition), cut(min_cut_rematerialization_partition)
    for name, (kept, forward, backward) in (("as autograd", plain), ("minimal cut", smart)):
        print(f"{name}: {kept} tensors kept, {forward} operations forward, {backward} backward")
    assert smart[0] < plain[0]
    assert smart[2] > plain[2], "computed again"


if __name__ == "__main__":
    main()
