"""A row that attends to nothing: what softmax, a finite mask value and SDPA make of it."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).parent))
from sparse_lab.kit import reference


def main() -> None:
    """Four tokens, of which the second attends to nothing."""
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 1, 1, 4, 16)
    allowed = torch.ones(1, 1, 4, 4, dtype=torch.bool)
    allowed[0, 0, 1] = False
    scores = q @ k.transpose(-1, -2) / math.sqrt(16)

    bare = torch.softmax(scores.masked_fill(~allowed, -math.inf), -1) @ v
    print("filled with −inf, then softmax: NaN in rows", _rows(bare.isnan()))
    finite = torch.softmax(scores.masked_fill(~allowed, -1e9), -1) @ v
    average = torch.allclose(finite[0, 0, 1], v[0, 0].mean(0), atol=1e-6)
    print("filled with −1e9: row 1 is the average of all values:", average)
    library = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=allowed)
    print("scaled_dot_product_attention: row 1 is", _said(library[0, 0, 1]))
    ours = reference.dense(q, k, v, allowed)
    print("the reference: row 1 is", _said(ours[0, 0, 1]))

    wanted = reference.dense(q, k, v, torch.ones_like(allowed))
    others = [0, 2, 3]
    assert torch.allclose(ours[0, 0, others], wanted[0, 0, others], atol=1e-6)
    assert _rows(bare.isnan()) == [1]
    assert average
    assert not ours[0, 0, 1].any()

    # One such row is enough to lose all keys: the gradient of every key goes through it.
    blocked = torch.zeros(()).masked_fill(~allowed, -math.inf)
    for way, masked in (
        ("additive mask", lambda scores: scores + blocked),
        ("masked_fill", lambda scores: scores.masked_fill(~allowed, -math.inf)),
    ):
        keys = k.clone().requires_grad_()
        out = torch.softmax(masked(q @ keys.transpose(-1, -2) / math.sqrt(16)), -1) @ v
        (grad,) = torch.autograd.grad(out.nan_to_num(0.0).sum(), keys)
        print(
            f"{way}, NaN replaced after the softmax: keys with a NaN gradient", _rows(grad.isnan())
        )
        assert _rows(grad.isnan()) == ([0, 1, 2, 3] if "additive" in way else [])


def _rows(where: torch.Tensor) -> list[int]:
    return where[0, 0].any(-1).nonzero().flatten().tolist()


def _said(row: torch.Tensor) -> str:
    return "NaN" if row.isnan().any() else "zero" if not row.any() else "something else"


if __name__ == "__main__":
    main()
