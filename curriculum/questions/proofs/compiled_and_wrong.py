"""A ladder of back ends: the first that is wrong names the guilty layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from functorch.compile import aot_module_simplified, make_boxed_func

Backend = Callable[[torch.fx.GraphModule, list[torch.Tensor]], Callable[..., Any]]


def model(x: torch.Tensor) -> torch.Tensor:
    """Something with a silu in it."""
    return torch.nn.functional.silu(x * 3) + x


def wrong_silu(x: torch.Tensor) -> torch.Tensor:
    """The fault that we plant: x instead of x times its sigmoid for large x."""
    return torch.where(x > 2, x, x * torch.sigmoid(x))


def lowered(decompositions: dict[Any, Any]) -> Backend:
    """AOTAutograd with these decompositions, then the graph as it is."""

    def backend(graph: torch.fx.GraphModule, args: list[torch.Tensor]) -> Callable[..., Any]:
        return aot_module_simplified(
            graph, args, fw_compiler=lambda g, _: make_boxed_func(g), decompositions=decompositions
        )

    return backend


def checks(fault: str) -> list[tuple[str, Backend | str]]:
    """Capture only; autograd and functionalization; decompositions too."""
    table = {torch.ops.aten.silu.default: wrong_silu} if fault == "decomposition" else {}
    return [("eager", "eager"), ("aot_eager", "aot_eager"), ("decomposed", lowered(table))]


def first_wrong(fault: str) -> str | None:
    """The first check whose answer differs from the uncompiled one."""
    x = torch.linspace(-4, 4, 33)
    truth = model(x)
    for name, backend in checks(fault):
        torch._dynamo.reset()
        answer = torch.compile(model, backend=backend)(x)
        off = (answer - truth).abs().max().item()
        print(f"  {name:10} off by {off:.1e}")
        if off > 1e-5:
            return name
    return None


def main() -> None:
    """Without a fault, and with one."""
    print("no fault:")
    assert first_wrong("none") is None
    print("a wrong decomposition:")
    assert first_wrong("decomposition") == "decomposed"
    x = torch.tensor([1e-3, 1e3], dtype=torch.float16)
    eager = (x * x) / x
    wide = ((x.float() * x.float()) / x.float()).half()
    print("float16, rounded after each operation or at the end:", eager.tolist(), wide.tolist())
    assert not torch.equal(eager, wide), "a compiler that fuses may differ and be nearer the truth"


if __name__ == "__main__":
    main()
