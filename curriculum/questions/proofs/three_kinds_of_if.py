"""Three kinds of branch: on a mask that may be missing, on a length, on a value."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.export import Dim, export


class Structure(nn.Module):
    """The branch asks what kind of argument came."""

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """Without a mask nothing is hidden."""
        return x.softmax(-1) if mask is None else (x + mask).softmax(-1)


class Shape(nn.Module):
    """The branch asks how long the input is."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Long inputs are cut into two."""
        if x.shape[0] > 512:
            return x[:512] * 2
        return x * 3


class Value(nn.Module):
    """The branch asks what is in the input."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Padded inputs are cleaned."""
        if (x == 0).any():
            return x + 1
        return x - 1


class ValueAsOperator(nn.Module):
    """The same, with both ways in the graph."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Cond computes one of the two."""
        return torch.cond((x == 0).any(), lambda t: t + 1, lambda t: t - 1, (x,))


class ValueAsSelection(nn.Module):
    """The same by arithmetic."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Where computes both."""
        return torch.where((x == 0).any(), x + 1, x - 1)


def refusal(call: Any) -> str:
    """The class of what is raised, or nothing."""
    try:
        call()
    except Exception as error:  # noqa: BLE001 - classes differ with the cause
        return type(error).__name__
    return ""


def main() -> None:
    """Export each, and try the other way."""
    x = torch.ones(8, 4)
    program = export(Structure(), (x,))
    said = refusal(lambda: program.module()(x, torch.zeros(8, 4)))
    print("structure: exported without a mask; called with one:", said)
    assert said == "ValueError"

    rows = Dim("rows", min=2, max=1024)
    said = refusal(lambda: export(Shape(), (x,), dynamic_shapes={"x": {0: rows}}))
    print("shape: rows 2 to 1024 across the branch:", said)
    assert said == "UserError"
    short = Dim("short", min=2, max=512)
    program = export(Shape(), (x,), dynamic_shapes={"x": {0: short}})
    assert torch.equal(program.module()(torch.ones(100, 4)), torch.ones(100, 4) * 3)
    said = refusal(lambda: program.module()(torch.ones(600, 4)))
    print("shape: rows 2 to 512 on one side of it; called with 600:", said)
    assert said

    said = refusal(lambda: export(Value(), (x,)))
    print("value, as a Python if:", said)
    assert said
    for net in (ValueAsOperator(), ValueAsSelection()):
        program = export(net, (x,))
        for example in (x, torch.zeros(8, 4)):
            assert torch.equal(program.module()(example), Value()(example))
        print(f"{type(net).__name__}: both ways right")


if __name__ == "__main__":
    main()
