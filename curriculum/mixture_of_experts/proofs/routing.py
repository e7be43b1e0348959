"""What the router's losses and the bias do, and which gradients the weights leave."""

from __future__ import annotations

import torch

TOKENS, EXPERTS, K = 512, 16, 2


def normalized_weights() -> None:
    """Print the gradient of the logits through the weights, with and without normalization."""
    torch.manual_seed(0)
    for k, normalized in ((1, True), (1, False), (2, True)):
        logits = torch.randn(TOKENS, EXPERTS, dtype=torch.float64, requires_grad=True)
        p = logits.softmax(1)
        w, _ = p.topk(k)
        if normalized:
            w = w / w.sum(1, keepdim=True)
        (w * torch.randn(TOKENS, k, dtype=torch.float64)).sum().backward()
        assert logits.grad is not None
        largest = float(logits.grad.abs().max())
        name = "normalized" if normalized else "as they are"
        print(f"k = {k}, weights {name:11s}: largest gradient {largest:.2f}")


def losses() -> None:
    """Print the balance loss of uniform and of collapsed routing."""
    uniform = torch.zeros(TOKENS, EXPERTS)
    print(f"uniform: balance loss {_balance(uniform, torch.arange(TOKENS) % EXPERTS):.2f}")
    collapsed = torch.zeros(TOKENS, EXPERTS)
    collapsed[:, 0] = 20.0
    print(f"one expert for all: {_balance(collapsed, torch.zeros(TOKENS, dtype=torch.int64)):.2f}")


def _balance(logits: torch.Tensor, chosen: torch.Tensor) -> float:
    share = torch.bincount(chosen, minlength=EXPERTS) / len(chosen)
    return float(EXPERTS * (share * logits.softmax(1).mean(0)).sum())


def bias() -> None:
    """Print the largest expert's load over steps while a bias follows the counts."""
    torch.manual_seed(1)
    popularity = torch.randn(EXPERTS)
    added = torch.zeros(EXPERTS)
    for step in range(401):
        p = (torch.randn(TOKENS, EXPERTS) + popularity).softmax(1)
        chosen = (p + added).topk(K).indices
        counts = torch.bincount(chosen.flatten(), minlength=EXPERTS).float()
        if step in (0, 50, 400):
            factor = float(counts.max() / counts.mean())
            print(f"step {step:3d}: the largest expert has {factor:.1f} times the mean")
        # The sign alone: an outlier in one step must not move the bias far.
        added += 0.002 * torch.sign(counts.mean() - counts)


if __name__ == "__main__":
    normalized_weights()
    losses()
    bias()
