"""Pruning and quantizing the layers of a small image classifier: bytes and operations, counted."""

from __future__ import annotations

import torch
from torch import nn

torch.manual_seed(0)


def classifier(width: int = 32) -> nn.Sequential:
    """Two convolutions and a linear layer."""
    return nn.Sequential(
        nn.Conv2d(3, width, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(width, 2 * width, 3, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(2 * width, 10),
    )


def size(model: nn.Module) -> int:
    """Bytes of the parameters."""
    return sum(p.numel() * p.element_size() for p in model.parameters())


def products(model: nn.Module, side: int = 32) -> int:
    """Multiplications that a dense kernel does for one picture."""
    count = 0
    for layer in model:
        if isinstance(layer, nn.Conv2d):
            count += layer.weight.numel() * side * side
        elif isinstance(layer, nn.Linear):
            count += layer.weight.numel()
    return count


def fewer_channels(model: nn.Sequential, kept: torch.Tensor) -> nn.Sequential:
    """Without some of the first layer's channels: the next layer loses those inputs, too."""
    first, second = model[0], model[2]
    small = classifier()
    small[0] = nn.Conv2d(3, len(kept), 3, padding=1)
    small[2] = nn.Conv2d(len(kept), second.out_channels, 3, padding=1)
    small.load_state_dict(
        {**model.state_dict(), "0.weight": first.weight[kept], "0.bias": first.bias[kept]}
        | {"2.weight": second.weight[:, kept]}
    )
    return small


def main() -> None:
    """Print the bill."""
    model = classifier()
    print(f"dense: {size(model):,} bytes, {products(model):,} products a picture")
    zeroed = classifier()
    zeroed.load_state_dict(model.state_dict())
    with torch.no_grad():
        for layer in (zeroed[0], zeroed[2]):
            cut = layer.weight.abs().flatten().median()
            layer.weight[layer.weight.abs() <= cut] = 0
    zeros = sum((layer.weight == 0).sum().item() for layer in (zeroed[0], zeroed[2]))
    print(f"{zeros:,} weights set to 0: {size(zeroed):,} bytes, {products(zeroed):,} products")
    assert (size(zeroed), products(zeroed)) == (size(model), products(model))
    with torch.no_grad():  # sixteen channels that are always 0 behind the ReLU
        model[0].weight[16:], model[0].bias[16:] = 0, -1
    small = fewer_channels(model, torch.arange(16))
    pictures = torch.randn(8, 3, 32, 32)
    with torch.inference_mode():
        difference = (small(pictures) - model(pictures)).abs().max().item()
    print(f"16 of 32 channels removed: {size(small):,} bytes, {products(small):,} products")
    assert products(small) * 2 < products(model) + products(small) * 0.1 + 1e6
    print(f"  the same answers, as those channels were 0: {difference < 1e-5}")
    weight = model[2].weight.detach()
    per_tensor = weight.abs().max() / 127
    per_channel = weight.abs().amax((1, 2, 3), keepdim=True) / 127
    for name, scale in (("one scale", per_tensor), ("a scale a channel", per_channel)):
        error = ((weight / scale).round().clamp(-127, 127) * scale - weight).abs()
        assert (error <= scale / 2 * 1.001).all()
        print(
            f"int8, {name}: {weight.numel():,} bytes for {weight.numel() * 4:,}; "
            f"mean error {error.mean():.1e}, never more than half a step"
        )
    share, gain = 0.4, 4.0
    whole = 1 / (1 - share + share / gain)
    print(f"a part of {share:.0%} made {gain:.0f} times as fast: the whole {whole:.2f} times")


if __name__ == "__main__":
    main()
