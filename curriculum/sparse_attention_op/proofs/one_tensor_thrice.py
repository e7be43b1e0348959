"""An export whose example gives one tensor for q, k and v: one input, and nobody says so."""

from __future__ import annotations

import sys
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).parent))
from sparse_lab.kit import inputs


class Layer(torch.nn.Module):
    """Attention over everything that the paper keeps."""

    def forward(
        self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, threshold: torch.Tensor
    ) -> torch.Tensor:
        """As the reference."""
        return q @ k.transpose(-1, -2) @ v + threshold[:, None, None]


def used(program: torch.export.ExportedProgram) -> list[str]:
    """The inputs that anything in the graph reads."""
    return [n.name for n in program.graph.nodes if n.op == "placeholder" and n.users]


def main() -> None:
    """Which inputs the two programs read, and what they say to three different tensors."""
    q, k, v, threshold = inputs(24)
    for label, example in (("one tensor, three times", (q, q, q)), ("three tensors", (q, k, v))):
        program = torch.export.export(Layer(), (*example, threshold))
        module = program.module()
        on_example = torch.equal(module(*example, threshold), Layer()(*example, threshold))
        on_others = torch.allclose(module(q, k, v, threshold), Layer()(q, k, v, threshold))
        print(
            f"{label}: reads {used(program)}; right on the example: {on_example}; "
            f"on others: {on_others}"
        )
        assert on_example
        assert on_others == (label == "three tensors")


if __name__ == "__main__":
    main()
