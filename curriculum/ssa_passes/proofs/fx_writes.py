"""What torch.fx's own dead code elimination, and merging by name, make of a write in place."""

from __future__ import annotations

import torch
import torch.fx


# --8<-- [start:program]
class Writes(torch.nn.Module):
    """Adds the same two tensors before and after one of them is written to."""

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Two sums."""
        before = torch.add(x, y)
        x.mul_(y)
        after = torch.add(x, y)
        return before, after


# --8<-- [end:program]


def answer(graph: torch.fx.Graph) -> list[float]:
    """For x = 3, y = 5."""
    module = torch.fx.GraphModule(torch.nn.Module(), graph)
    return [tensor.item() for tensor in module(torch.tensor(3.0), torch.tensor(5.0))]


def main() -> None:
    """Print three answers."""
    right = answer(torch.fx.symbolic_trace(Writes()).graph)
    graph = torch.fx.symbolic_trace(Writes()).graph
    graph.eliminate_dead_code()
    without = answer(graph)
    graph = torch.fx.symbolic_trace(Writes()).graph
    first, second = (node for node in graph.nodes if node.target is torch.add)
    second.replace_all_uses_with(first)
    graph.erase_node(second)
    merged = answer(graph)
    print(f"as written: {right}")
    print(f"after graph.eliminate_dead_code(): {without}")
    print(f"equal operations on equal nodes merged: {merged}")
    assert right == [8.0, 20.0]
    assert without == [8.0, 8.0]
    assert merged == [8.0, 8.0]


if __name__ == "__main__":
    main()
