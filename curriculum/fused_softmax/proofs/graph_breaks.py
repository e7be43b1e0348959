"""How many graphs torch.compile makes of a chain with a look at a value in its middle."""

from __future__ import annotations

import torch


def whole(x: torch.Tensor) -> torch.Tensor:
    """Nothing stands between the operations."""
    e = torch.exp(x - x.amax(dim=-1, keepdim=True))
    return e / e.sum(dim=-1, keepdim=True)


def looked_at(x: torch.Tensor) -> torch.Tensor:
    """Python must know a value before it can go on."""
    e = torch.exp(x - x.amax(dim=-1, keepdim=True))
    if torch.isnan(e).any().item():
        raise ValueError("NaN")
    return e / e.sum(dim=-1, keepdim=True)


def main() -> None:
    """Print the number of graphs of each."""
    x = torch.randn(8, 64)
    for function, wanted in ((whole, 1), (looked_at, 2)):
        torch._dynamo.reset()
        found = torch._dynamo.explain(function)(x)
        print(f"{function.__name__}: {found.graph_count} graphs, {found.graph_break_count} breaks")
        assert found.graph_count == wanted

    torch._dynamo.reset()
    try:
        torch.compile(looked_at, backend="eager", fullgraph=True)(x)
    except torch._dynamo.exc.TorchDynamoException as refusal:
        print("fullgraph=True refuses it:", type(refusal).__name__)
    else:
        raise AssertionError("fullgraph=True must refuse a graph break")


if __name__ == "__main__":
    main()
