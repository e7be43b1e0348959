"""An assumption about a size: torch.compile guards it and compiles again, export writes it down."""

from __future__ import annotations

import sys
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).parent))
from encoders.kit import refused
from torch import nn
from torch._dynamo.testing import CompileCounter


class Branches(nn.Module):
    """Another way for long messages."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x: float32 [n, length]."""
        return x * 2 if x.shape[1] > 32 else x + 1


def main() -> None:
    """Both sides asked for, of both."""
    net, short, long = Branches(), torch.ones(2, 20), torch.ones(2, 60)
    counter = CompileCounter()
    compiled = torch.compile(net, backend=counter, dynamic=True)
    for given in (short, long, torch.ones(2, 21), torch.ones(2, 61)):
        assert torch.equal(compiled(given), net(given))
    print(f"torch.compile: correct for four lengths, {counter.frame_count} graphs")
    assert counter.frame_count == 2
    free = ({1: torch.export.Dim("length", max=128)},)
    error = refused(lambda: torch.export.export(net, (short,), dynamic_shapes=free))
    print("export with a dynamic length:", error)
    auto = ({1: torch.export.Dim.AUTO},)
    program = torch.export.export(net, (short,), dynamic_shapes=auto)
    print("export with Dim.AUTO assumes:", *program.range_constraints.values())
    exported = program.module()
    assert torch.equal(exported(torch.ones(2, 25)), net(torch.ones(2, 25)))
    print("  and for a long message:", refused(lambda: exported(long)))


if __name__ == "__main__":
    main()
