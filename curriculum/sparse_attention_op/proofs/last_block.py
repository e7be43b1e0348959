"""The mean of a last block that is shorter, and what it decides."""

from __future__ import annotations

import sys
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).parent))
from sparse_lab.kit import inputs, reference

BLOCK = 16


def padded_mean_gate(q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    """As if the padding were tokens."""
    short = -q.shape[2] % BLOCK
    means = [
        torch.nn.functional.pad(x, (0, 0, 0, short)).unflatten(2, (-1, BLOCK)).mean(3)
        for x in (q, k)
    ]
    return means[0] @ means[1].transpose(-1, -2) / q.shape[-1] ** 0.5


def main() -> None:
    """Lengths around a multiple of the block: pairs of blocks that are decided otherwise."""
    for length in (160, 161, 168, 175, 176):
        q, k, v, threshold = inputs(length)
        right = reference.kept(q, k, threshold, BLOCK, False)
        wrong = padded_mean_gate(q, k) >= threshold[:, None, None]
        out = reference.attention(q, k, v, threshold, BLOCK, False)
        other = reference.dense(q, k, v, reference.tokens(wrong, length, BLOCK, False))
        differing, apart = int((right != wrong).sum()), float((out - other).abs().max())
        print(
            f"{length} tokens, {length % BLOCK or BLOCK:2} in the last block: {differing} pairs of "
            f"blocks decided differently, outputs differ: {apart > 1e-3}"
        )
        assert (differing == 0) == (apart < 1e-3)
        assert length % BLOCK or differing == 0


if __name__ == "__main__":
    main()
