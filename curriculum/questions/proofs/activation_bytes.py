"""What one transformer layer keeps for the backward pass, with and without a matrix of scores."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

BATCH, HEADS, WIDTH = 2, 4, 64


class Layer(nn.Module):
    """Attention and a network of four times the width; no dropout."""

    def __init__(self, fused: bool) -> None:
        super().__init__()
        self.fused = fused
        self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Two residual branches."""
        b, s, _ = x.shape
        q, k, v = (
            t.view(b, s, HEADS, -1).transpose(1, 2) for t in self.qkv(self.first(x)).chunk(3, -1)
        )
        if self.fused:
            y = functional.scaled_dot_product_attention(q, k, v)
        else:
            y = torch.softmax(q @ k.transpose(-1, -2) / (WIDTH // HEADS) ** 0.5, -1) @ v
        x = x + self.out(y.transpose(1, 2).reshape(b, s, WIDTH))
        return x + self.down(functional.gelu(self.up(self.second(x))))


def kept(fused: bool, tokens: int) -> int:
    """Bytes kept for backward, each storage once, without the weights."""
    torch.manual_seed(0)
    layer, x = Layer(fused), torch.randn(BATCH, tokens, WIDTH)
    weights = {p.untyped_storage().data_ptr() for p in layer.parameters()}
    held: dict[int, int] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in weights:
            held[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        layer(x)
    return sum(held.values())


def main() -> None:
    """Bytes a token, at three lengths."""
    each = {f: [kept(f, s) / (BATCH * s) for s in (64, 128, 256)] for f in (False, True)}
    for fused, name in ((False, "scores in memory"), (True, "fused attention")):
        print(f"{name}: bytes a token at 64, 128, 256 tokens: {[round(v) for v in each[fused]]}")
    steps = [each[False][1] - each[False][0], each[False][2] - each[False][1]]
    print(f"scores: each further token costs every token {steps[1] / 128:.0f} bytes more")
    assert steps[1] == 2 * steps[0] > 0, "linear a token is quadratic in all"
    assert steps[1] / 128 == HEADS * 4, "one float32 matrix a head, the softmax's result"
    assert max(each[True]) - min(each[True]) < 0.02 * each[True][0], "fused: nothing quadratic"

    def formula(s: int, h: int, a: int) -> float:
        return 34 * h + 5 * a * s

    for s in (2048, 8192):
        scores = 5 * 32 * s / formula(s, 4096, 32)
        print(f"s·b·h·(34 + 5·a·s/h), h 4096, a 32, {s} tokens: scores are {scores:.0%} of it")
    assert 5 * 32 * 8192 / formula(8192, 4096, 32) > 0.9


if __name__ == "__main__":
    main()
