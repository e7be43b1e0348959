"""What torch.no_grad and requires_grad=False do to the graph, to memory and to gradients."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

WIDTH, BATCH = 512, 256


def network() -> nn.Sequential:
    """Two linear layers with a ReLU between them."""
    return nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH))


def saved_bytes(forward: Callable[[], torch.Tensor]) -> tuple[int, torch.Tensor]:
    """Bytes of the tensors that autograd keeps for the backward pass, each storage once."""
    kept: dict[int, int] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        out = forward()
    return sum(kept.values()), out


def main() -> None:
    """Print bytes kept, whether there is a graph, and who gets a gradient."""
    x = torch.randn(BATCH, WIDTH)
    wants = x.clone().requires_grad_()
    activation, weight = x.nbytes, WIDTH * WIDTH * 4

    def case(name: str, frozen: list[int], given: torch.Tensor) -> tuple[int, torch.Tensor]:
        net = network()
        for index in frozen:
            net[index].requires_grad_(False)
        kept, out = saved_bytes(lambda: net(given))
        if out.requires_grad:
            out.sum().backward()
        got = [n for n, p in net.named_parameters() if p.grad is not None]
        print(f"{name:34} kept {kept:9,} bytes, graph {out.grad_fn is not None!s:5} grads {got}")
        return kept, out

    everything, _ = case("all trainable", [], x)
    # The input (for the first weight), the ReLU's output, and the last layer's weight.
    assert everything == 2 * activation + weight
    first, _ = case("first layer frozen", [0], x)
    last, _ = case("last layer frozen", [2], x)
    assert first == activation, "only the last layer's input is kept"
    assert last == everything, "the way back to the first layer leads through the last one"
    none, out = case("all frozen", [0, 2], x)
    assert none == 0
    assert out.grad_fn is None
    through, out = case("all frozen, input wants a gradient", [0, 2], wants)
    assert out.grad_fn is not None, "frozen layers are not detached"
    assert through == activation + 2 * weight, "the way back needs both weights"
    assert wants.grad is not None

    net = network()
    with torch.no_grad():
        kept, out = saved_bytes(lambda: net(wants))
    print(f"{'no_grad':34} kept {kept:9,} bytes, graph {out.grad_fn is not None}")
    assert kept == 0
    assert not out.requires_grad
    assert all(p.requires_grad for p in net.parameters()), "no_grad changes no parameter"

    layer = nn.Linear(2, 2).requires_grad_(False)
    assert layer(x[:1, :2]).grad_fn is None
    layer.requires_grad_(True)
    assert layer(x[:1, :2]).grad_fn is not None, "freezing is not permanent"

    with torch.no_grad():
        made = nn.Parameter(torch.ones(2))
        with torch.enable_grad():
            inside = (made * 2).sum()
    assert made.requires_grad, "factories that are asked for requires_grad are not affected"
    assert inside.requires_grad, "nor is code that turns recording on again"

    bn = nn.BatchNorm1d(4).requires_grad_(False)
    assert bn.running_mean is not None
    before = bn.running_mean.clone()
    with torch.no_grad():
        bn(torch.randn(8, 4) + 5)
    assert not torch.equal(before, bn.running_mean), "neither switch stops batch norm's averages"
    print(
        "a frozen BatchNorm under no_grad still moved its running mean: that is eval()'s business"
    )


if __name__ == "__main__":
    main()
