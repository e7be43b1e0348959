"""What checkpointing saves, what it computes again, and what a policy changes in that."""

from __future__ import annotations

import functools
import math
from typing import Any

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

MATMULS = [torch.ops.aten.mm.default, torch.ops.aten.addmm.default]


class Count(TorchDispatchMode):
    """Counts matrix products and dropouts."""

    def __init__(self) -> None:
        super().__init__()
        self.products = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Count one operation."""
        self.products += func in MATMULS
        return func(*args, **(kwargs or {}))


def run(how: str, keep_rng: bool = True) -> tuple[int, torch.Tensor]:
    """Matrix products of one forward and backward, and the gradient of the first weight."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(16, 64), nn.GELU(), nn.Dropout(0.5), nn.Linear(64, 16))
    x = torch.randn(8, 16, requires_grad=True)
    options: dict[str, Any] = {"use_reentrant": False, "preserve_rng_state": keep_rng}
    if how == "keep products":
        options["context_fn"] = functools.partial(create_selective_checkpoint_contexts, MATMULS)
    with Count() as count:
        y = net(x) if how == "keep all" else checkpoint(net, x, **options)
        assert isinstance(y, torch.Tensor)
        y.square().sum().backward()
    grad = net[0].weight.grad
    assert isinstance(grad, torch.Tensor)
    return count.products, grad


def main() -> None:
    """Products, gradients, and the best number of segments."""
    plain, truth = run("keep all")
    for how in ("keep all", "recompute all", "keep products"):
        products, grad = run(how)
        same = torch.equal(grad, truth)
        print(f"{how:14} {products} matrix products, gradient {'equal' if same else 'other'}")
        assert same, "dropout draws the same mask again"
    assert plain == 6, "two forward, four backward"
    assert run("recompute all")[0] in (7, 8)
    assert run("keep products")[0] == 6
    _, other = run("recompute all", keep_rng=False)
    print("without the random state: gradient", "equal" if torch.equal(other, truth) else "wrong")
    assert not torch.equal(other, truth)

    def held(layers: int, segments: int) -> int:
        return segments + math.ceil(layers / segments)

    best = min(range(1, 65), key=lambda k: held(64, k))
    print(f"64 layers: {held(64, 1)} units with 1 segment, {held(64, best)} with {best}")
    assert held(64, best) == 2 * math.isqrt(64)


if __name__ == "__main__":
    main()
