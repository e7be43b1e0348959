"""A backward operator without a gradient of its own: differentiated once more, it gives 0.

PyTorch says so in a warning. An operator made with torch.library.custom_op raises an error instead.
"""

from __future__ import annotations

import warnings
from typing import Any

import torch


def exponential(x: torch.Tensor) -> torch.Tensor:
    """Stands for a kernel, which autograd cannot look into."""
    return torch.from_numpy(x.detach().numpy()).exp()


def exponential_backward(y: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
    """The gradient as a kernel, from the result."""
    return torch.from_numpy(y.detach().numpy() * dy.detach().numpy())


library = torch.library.Library("hotloop_second_gradient", "DEF")
library.define("exponential(Tensor x) -> Tensor")
library.define("exponential_backward(Tensor y, Tensor dy) -> Tensor")
library.impl("exponential", exponential, "CPU")
library.impl("exponential_backward", exponential_backward, "CPU")
operators = torch.ops.hotloop_second_gradient


def keep(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    """The result is enough for the gradient."""
    del inputs
    ctx.save_for_backward(output)


def gradient(ctx: Any, dy: torch.Tensor) -> torch.Tensor:
    """By an operator for which nobody has registered a gradient."""
    return operators.exponential_backward(*ctx.saved_tensors, dy)


torch.library.register_autograd(
    "hotloop_second_gradient::exponential", gradient, setup_context=keep, lib=library
)

guarded = torch.library.custom_op(
    "hotloop_second_gradient::guarded",
    exponential_backward,
    mutates_args=(),
    schema="(Tensor y, Tensor dy) -> Tensor",
)


def gradients(function: Any) -> tuple[float, float]:
    """First and second derivative at 0.5; of the exponential both are its value."""
    x = torch.tensor([0.5], requires_grad=True)
    (first,) = torch.autograd.grad(function(x), x, torch.ones(1), create_graph=True)
    return first.item(), torch.autograd.grad(first, x, torch.ones(1))[0].item()


def main() -> None:
    """Print what each way gives."""
    right, second = gradients(torch.exp)
    assert right == second

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        first, second = gradients(operators.exponential)
    assert abs(first - right) < 1e-6
    assert second == 0.0
    assert any("silently incorrect" in str(warning.message) for warning in caught)
    print(f"exp at 0.5: {right:.4f}, and so are both derivatives")
    print(f"torch.library.Library: {first:.4f} and {second:.4f}, with a warning")

    y = torch.tensor([0.5], requires_grad=True)
    told = "none"
    try:
        torch.autograd.grad(guarded(y, torch.ones(1)), y, torch.ones(1))
    except RuntimeError as error:
        told = str(error)
    assert "no autograd formula was registered" in told
    print(f"torch.library.custom_op: an error: {told[:75]} …")


if __name__ == "__main__":
    main()
