"""One function, five lines that look as if they broke a graph, and the two that do."""

from __future__ import annotations

import sys
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).parent))
from encoders.kit import refused


def several(x: torch.Tensor) -> torch.Tensor:
    """Python in between tensors."""
    x = x.sin()
    if x.shape[0] > 2:
        x = x * 2
    for row in range(x.shape[0]):
        x = x + row
    named = {"a": x.cos()}
    x = named["a"]
    if x.sum() > 0:
        x = x * 3
    x = x.tan()
    print("seen", x.shape)
    return x.exp()


def main() -> None:
    """Counted by TorchDynamo itself."""
    given = (torch.ones(3, 4),)
    told = torch._dynamo.explain(several)(*given)
    text = [reason.user_stack[-1].line for reason in told.break_reasons]
    print(f"{told.graph_count} graphs, {told.graph_break_count} breaks, at:")
    for line in text:
        print("  ", line)
    assert told.graph_count == told.graph_break_count + 1 == 3
    assert [line.split("(")[0] for line in text] == ["if x.sum", "print"]
    torch._dynamo.reset()
    whole = torch.compile(several, fullgraph=True, backend="eager")
    print("with fullgraph=True:", refused(lambda: whole(*given)))


if __name__ == "__main__":
    main()
