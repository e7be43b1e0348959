"""Batch norm folded into the convolution before it: the algebra, a wrong epsilon, and where not."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn

Array = np.ndarray[Any, np.dtype[Any]]


# --8<-- [start:fold]
def fold(weight: Array, gamma: Array, beta: Array, mean: Array, variance: Array, eps: float):
    """Weight and bias of one convolution that does both. weight: [out, in, height, width]."""
    scale = gamma / np.sqrt(variance + eps)
    return weight * scale[:, None, None, None], beta - mean * scale


# --8<-- [end:fold]


def layers() -> tuple[nn.Conv2d, nn.BatchNorm2d]:
    """As after training: one channel hardly ever varies, as those of a dead feature do."""
    torch.manual_seed(0)
    conv, norm = nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8)
    assert norm.running_mean is not None
    assert norm.running_var is not None
    norm.running_mean.normal_()
    norm.running_var.uniform_(0.5, 2)
    norm.running_var[3] = 2e-5
    with torch.no_grad():
        norm.weight.uniform_(0.5, 1.5)
        norm.bias.normal_()
    return conv.eval(), norm.eval()


def difference(conv: nn.Conv2d, norm: nn.BatchNorm2d, eps: float, x: torch.Tensor) -> Array:
    """The greatest error of each channel."""
    arrays = (norm.weight, norm.bias, norm.running_mean, norm.running_var)
    numbers = [one.detach().numpy() for one in arrays if one is not None]
    weight, bias = fold(conv.weight.detach().numpy(), *numbers, eps)
    one = nn.functional.conv2d(x, torch.from_numpy(weight), torch.from_numpy(bias), padding=1)
    with torch.no_grad():
        two = norm(conv(x))
    return (one - two).abs().amax((0, 2, 3)).detach().numpy()


def main() -> None:
    """Fold well, with a wrong epsilon, and in the wrong order."""
    conv, norm = layers()
    x = torch.randn(4, 3, 16, 16)
    good = difference(conv, norm, norm.eps, x)
    # How large the rounding errors are depends on the CPU's instructions; their order does not.
    assert good.max() < 1e-3
    print("eps 1e-5, the layer's: no error of 0.001 or more")
    bad = difference(conv, norm, 1e-3, x)
    print("eps 1e-3: errors by channel", " ".join(f"{value:.2f}" for value in bad))
    assert bad.argmax() == 3
    assert bad.max() > 50 * np.delete(bad, 3).max(), "it shows where the variance is small"

    # Before the convolution: padding adds zeros after the norm, not what the norm makes of zero.
    before = nn.BatchNorm2d(3).eval()
    assert before.running_mean is not None
    before.running_mean.fill_(2.0)
    scale = (before.weight / torch.sqrt(before.running_var + before.eps)).detach()
    shift = (before.bias - before.running_mean * scale).detach()
    weight = conv.weight.detach()
    bias = (weight * shift[:, None, None]).sum((1, 2, 3))
    folded = nn.functional.conv2d(x, weight * scale[:, None, None], bias, padding=1)
    with torch.no_grad():
        wrong = (folded - conv(before(x))).abs().amax((0, 1))
    assert wrong[1:-1, 1:-1].max() < 1e-5
    print(f"norm first, padded: no error of 0.00001 inside, at the rim {wrong.max():.2f}")
    assert wrong.max() > 0.1


if __name__ == "__main__":
    main()
