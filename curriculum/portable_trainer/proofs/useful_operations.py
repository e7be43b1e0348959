"""Operations of a training step, counted by a framework, against 6 N; MFU against HFU."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import FlopCounterMode

LAYERS, HIDDEN, HEADS, TOKENS, SEQUENCES = 4, 128, 4, 64, 2


class Layer(nn.Module):
    """Attention and a feed-forward part, without biases."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(HIDDEN, 3 * HIDDEN, bias=False)
        self.out = nn.Linear(HIDDEN, HIDDEN, bias=False)
        self.up = nn.Linear(HIDDEN, 4 * HIDDEN, bias=False)
        self.down = nn.Linear(4 * HIDDEN, HIDDEN, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[sequences, tokens, hidden], and the same again."""
        size = (x.shape[0], TOKENS, 3, HEADS, HIDDEN // HEADS)
        q, k, v = self.qkv(x).view(size).permute(2, 0, 3, 1, 4)
        scores = (q @ k.transpose(-1, -2)).softmax(-1)
        x = x + self.out((scores @ v).transpose(1, 2).reshape(x.shape))
        return x + self.down(torch.relu(self.up(x)))


def operations(again: bool) -> int:
    """Of forward and backward. again: every layer is computed once more in backward."""
    torch.manual_seed(1)
    layers = [Layer() for _ in range(LAYERS)]
    x = torch.randn(SEQUENCES, TOKENS, HIDDEN, requires_grad=True)
    with FlopCounterMode(display=False) as counter:
        for layer in layers:
            x = checkpoint(layer, x, use_reentrant=False) if again else layer(x)
        x.sum().backward()
    return counter.get_total_flops()


def main() -> None:
    """Print what was counted and what the formulas say."""
    parameters = LAYERS * 12 * HIDDEN**2
    tokens = SEQUENCES * TOKENS
    formula = tokens * (6 * parameters + 12 * LAYERS * HIDDEN * TOKENS)
    plain, again = operations(again=False), operations(again=True)
    print(f"counted: {plain:,}; 6 N and attention, a token: {formula:,}")
    assert plain == formula
    forward = formula // 3
    print(f"with every layer computed again: {again:,}, {again / plain:.2f} times as many")
    # The layer's last product is not computed again: backward does not need its result.
    assert plain < again <= plain + forward
    print("two operations a parameter and token instead of six: MFU comes out a third")
    print("peak 100, sustained 60, all layers computed again: HFU 0.60, MFU 0.45")
    assert abs(0.60 * 3 / 4 - 0.45) < 1e-12


if __name__ == "__main__":
    main()
