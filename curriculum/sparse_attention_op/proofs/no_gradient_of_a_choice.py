"""Which blocks are kept is a decision: its gradient is zero, and the output jumps."""

from __future__ import annotations

import sys
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).parent))
from sparse_lab.kit import inputs, reference
from torch.autograd import gradcheck


def main() -> None:
    """Gradients of q, k, v, and the output as a threshold crosses a gate."""
    q, k, v, threshold = (x.double() for x in inputs(40, depth=16))
    kept = reference.kept(q, k, threshold, 16, False)
    allowed = reference.tokens(kept, 40, 16, False)

    def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        scores = (q @ k.transpose(-1, -2) / 4).masked_fill(~allowed, -torch.inf)
        anybody = allowed.any(-1, keepdim=True)
        return torch.softmax(scores.masked_fill(~anybody, 0.0), -1) * anybody @ v

    given = tuple(x.requires_grad_() for x in (q, k, v))
    print(
        "with the choice as it is, gradients are those of attention:", gradcheck(attention, given)
    )

    threshold = threshold.requires_grad_()
    again = reference.attention(q, k, v, threshold, 16, False)
    (grad,) = torch.autograd.grad(again.sum(), threshold, allow_unused=True)
    print("gradient of the threshold:", grad)

    center = [x.unflatten(2, (-1, 8)).mean(3) for x in (q, k)]
    gate = (center[0] @ center[1].transpose(-1, -2) / 4)[0, 0].flatten().sort().values
    middle = float(gate[len(gate) // 2].detach())
    outs = [
        reference.attention(
            q, k, v, torch.full((2,), middle + step, dtype=torch.float64), 8, False
        ).detach()
        for step in (-1e-4, -5e-5, 1e-4)
    ]
    print("threshold moved below a gate: the output changes:", not torch.equal(outs[0], outs[1]))
    print("threshold moved past a gate: the output changes:", not torch.equal(outs[1], outs[2]))
    assert grad is None
    assert torch.equal(outs[0], outs[1])
    assert not torch.equal(outs[1], outs[2])


if __name__ == "__main__":
    main()
