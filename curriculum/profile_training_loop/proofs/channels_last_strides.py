"""How channels_last travels through a network, and what makes it stop."""

from __future__ import annotations

import torch
from torch import nn


def is_last(tensor: torch.Tensor) -> bool:
    """Laid out with the channels next to each other."""
    return tensor.is_contiguous(memory_format=torch.channels_last)


def main() -> None:
    """Strides only: speed needs a device, and is not measured here."""
    x = torch.randn(2, 3, 8, 8)
    last = x.to(memory_format=torch.channels_last)
    print("shape", tuple(last.shape), "strides", x.stride(), "then", last.stride())
    assert torch.equal(last, x), "the same tensor in another order"
    assert last.stride() == (192, 1, 24, 3)

    conv = nn.Conv2d(3, 8, 3, padding=1)
    assert is_last(conv(last)), "the input decides"
    assert not is_last(conv(x))
    conv = conv.to(memory_format=torch.channels_last)
    hidden = conv(x)
    assert is_last(hidden), "or the weight does"
    through = {
        "batch norm": nn.BatchNorm2d(8)(hidden),
        "relu": torch.relu(hidden),
        "max pooling": nn.MaxPool2d(2)(hidden),
        "residual": hidden + hidden,
    }
    print("keep it:", ", ".join(name for name, out in through.items() if is_last(out)))
    assert all(is_last(out) for out in through.values())

    plain = hidden.contiguous()
    stop = {
        "plain + last": plain + hidden,
        "cat with a plain one": torch.cat([hidden, plain], dim=1),
        ".contiguous()": plain,
    }
    print("lose it:", ", ".join(name for name, out in stop.items() if not is_last(out)))
    assert not any(is_last(out) for out in stop.values())
    flat = hidden.flatten(1)
    assert flat.data_ptr() != hidden.data_ptr(), "flatten before the last layer copies"
    try:
        hidden.view(2, -1)
    except RuntimeError as refusal:
        print("view:", str(refusal).split(" (")[0])
    else:
        raise AssertionError("a view cannot reorder")

    gray = torch.randn(2, 1, 8, 8)
    assert is_last(gray)
    assert gray.is_contiguous()
    print("with one channel every tensor is both, so a check on it shows nothing")


if __name__ == "__main__":
    main()
