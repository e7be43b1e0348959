"""Fixed shapes for free lengths: which layers notice the padding, and what the mask repairs."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional


def attention(x: Tensor, valid: Tensor | None) -> Tensor:
    """Each position looks at all others; `valid` says which ones exist."""
    mask = None if valid is None else valid[:, None, :]
    return functional.scaled_dot_product_attention(x, x, x, attn_mask=mask)


def mean(x: Tensor, valid: Tensor | None) -> Tensor:
    """Over positions."""
    if valid is None:
        return x.mean(1)
    weight = valid[..., None].to(x)
    return (x * weight).sum(1) / weight.sum(1)


def off(short: Tensor, padded: Tensor) -> float:
    """On the positions that exist."""
    if short.dim() == 3:
        padded = padded[:, : short.shape[1]]
    return float((short - padded).abs().max())


def main() -> None:
    """Five positions in a bucket of eight."""
    torch.manual_seed(0)
    x = torch.randn(1, 5, 16)
    padded = functional.pad(x, (0, 0, 0, 3))
    valid = (torch.arange(8) < 5)[None]
    linear, norm = nn.Linear(16, 16), nn.LayerNorm(16)
    conv = nn.Conv1d(16, 16, 3, padding=1)
    with torch.no_grad():
        for name, layer in (("linear", linear), ("layer norm", norm)):
            found = off(layer(x), layer(padded))
            print(f"{name:10} without a mask: the same")
            assert found < 1e-5
        found = off(attention(x, None), attention(padded, None))
        repaired = off(attention(x, None), attention(padded, valid))
        print(f"attention  without a mask: off by {found:.2f}, with it the same")
        assert found > 0.05
        assert repaired < 1e-5
        found = off(mean(x, None), mean(padded, None))
        repaired = off(mean(x, None), mean(padded, valid))
        print(f"mean       without a mask: off by {found:.2f}, with it the same")
        assert found > 0.05
        assert repaired < 1e-5

        def twice(value: Tensor, keep: Tensor | None) -> Tensor:
            inner = conv(value.transpose(1, 2))
            inner = inner if keep is None else inner * keep[:, None, :]
            return conv(inner).transpose(1, 2)

        found, repaired = (
            off(twice(x, None), twice(padded, None)),
            off(twice(x, None), twice(padded, valid)),
        )
        print(f"two convs  without a mask: off by {found:.2f}, with it the same")
        assert found > 0.01, "the bias makes the padding non-zero for the second one"
        assert repaired < 1e-5

        nothing = attention(padded, torch.zeros_like(valid))
        by_hand = torch.softmax(torch.full((1, 8), float("-inf")), -1)
        print(
            f"a row without any valid position: softmax of -inf gives NaN "
            f"{bool(by_hand.isnan().all())}, "
            f"the fused operator {'NaN' if nothing.isnan().any() else 'zeros'}"
        )
        assert by_hand.isnan().all()


if __name__ == "__main__":
    main()
