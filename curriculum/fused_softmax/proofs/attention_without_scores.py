"""Attention for one head with and without the matrix of scores in memory."""

from __future__ import annotations

import torch


def with_scores(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Scores, softmax, weighted sum; the scores are a matrix of length × length."""
    return torch.softmax(q @ k.T, -1) @ v


def without_scores(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, block: int
) -> tuple[torch.Tensor, int]:
    """Block by block of keys with the online recurrence; also the most scores ever held."""
    maximum = torch.full((len(q), 1), -torch.inf, dtype=q.dtype)
    total = torch.zeros_like(maximum)
    result = torch.zeros(len(q), v.shape[1], dtype=q.dtype)
    held = 0
    for keys, values in zip(k.split(block), v.split(block), strict=True):
        scores = q @ keys.T
        held = max(held, scores.numel())
        new = torch.maximum(maximum, scores.amax(-1, keepdim=True))
        weights = torch.exp(scores - new)
        correction = torch.exp(maximum - new)
        # The output so far was made with the old maximum, as was the sum: rescale both.
        total = total * correction + weights.sum(-1, keepdim=True)
        result = result * correction + weights @ values
        maximum = new
    return result / total, held


def main() -> None:
    """Compare both, and what they hold."""
    torch.manual_seed(0)
    length, width = 1000, 64
    q, k, v = (torch.randn(length, width, dtype=torch.float64) for _ in range(3))
    wanted = with_scores(q, k, v)
    for block in (64, 300, length):
        got, held = without_scores(q, k, v, block)
        error = (got - wanted).abs().max().item()
        print(f"blocks of {block}: largest error {error:.1e}, {held} of {length**2} scores held")
        assert error < 1e-12
        assert held == length * min(block, length)

    for tokens in (1024, 8192):
        scores = 2 * tokens * tokens
        inputs = 4 * 2 * tokens * width
        print(f"{tokens} tokens, fp16: q, k, v, out {inputs} bytes, scores {scores} bytes a copy")
    assert scores == 32 * inputs


if __name__ == "__main__":
    main()
