"""One opaque kernel behind autograd.Function and behind torch.library: what the compiler sees."""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd import gradcheck


@torch._dynamo.disable
def kernel(x: torch.Tensor) -> torch.Tensor:
    """Stands for a function of a C++ extension, which the compiler cannot look into."""
    return x / x.sum(-1, keepdim=True)


@torch._dynamo.disable
def kernel_backward(x: torch.Tensor, y: torch.Tensor, grad: torch.Tensor) -> torch.Tensor:
    """Its gradient, as one kernel."""
    return (grad - (y * grad).sum(-1, keepdim=True)) / x.sum(-1, keepdim=True)


class Function(torch.autograd.Function):
    """The kernel as an autograd.Function: autograd knows it, and nobody else."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        """Keep what the gradient needs."""
        y = kernel(x)
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> torch.Tensor:
        """One more call of a kernel."""
        x, y = ctx.saved_tensors
        return kernel_backward(x, y, grads[0])


# --8<-- [start:registration]
@torch.library.custom_op("hotloop_proof::shares", mutates_args=())
def shares(x: torch.Tensor) -> torch.Tensor:
    """What runs when the operator is called: each row divided by its sum."""
    return kernel(x)


@shares.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)  # shape, dtype, device and strides of the result; no data


@torch.library.custom_op("hotloop_proof::shares_backward", mutates_args=())
def shares_backward(x: torch.Tensor, y: torch.Tensor, grad: torch.Tensor) -> torch.Tensor:
    """The gradient is an operator too, or the compiler couldn't see through the backward."""
    return kernel_backward(x, y, grad)


@shares_backward.register_fake
def _(x: torch.Tensor, y: torch.Tensor, grad: torch.Tensor) -> torch.Tensor:
    del y, grad
    return torch.empty_like(x)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    ctx.save_for_backward(inputs[0], output)


def _gradient(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
    return shares_backward(*ctx.saved_tensors, grad)


shares.register_autograd(_gradient, setup_context=_keep)
# --8<-- [end:registration]


def in_a_model_function(x: torch.Tensor) -> torch.Tensor:
    """The Function with something to fuse on both sides."""
    return (Function.apply(2 * x) + 1).sum()


def in_a_model_operator(x: torch.Tensor) -> torch.Tensor:
    """The operator with something to fuse on both sides."""
    return (shares(2 * x) + 1).sum()


def whole(function: Any) -> bool:
    """Whether the compiler gets it as one graph."""
    torch._dynamo.reset()
    try:
        torch.compile(function, backend="eager", fullgraph=True)(torch.rand(3, 8))
    except torch._dynamo.exc.TorchDynamoException:
        return False
    return True


def main() -> None:
    """Print gradients, graphs and export for both."""
    x = (1 + torch.rand(3, 8, dtype=torch.float64)).requires_grad_()
    for name, function in (("autograd.Function", Function.apply), ("torch.library", shares)):
        assert gradcheck(function, (x,))
        print(f"{name}: gradients right")
    for name, model, expected in (
        ("autograd.Function", in_a_model_function, False),
        ("torch.library", in_a_model_operator, True),
    ):
        one = whole(model)
        print(f"{name}: {'one graph' if one else 'refused by fullgraph=True'}")
        assert one == expected

    scores, grad = torch.randn(2, 3, 8, dtype=torch.float64)
    y = torch.softmax(scores.requires_grad_(), -1)
    (wanted,) = torch.autograd.grad(y, scores, grad)
    assert torch.allclose(y * (grad - (y * grad).sum(-1, keepdim=True)), wanted)
    print("softmax: the gradient needs the output only")

    passed = torch.library.opcheck(shares, (x,))
    print("opcheck:", ", ".join(f"{test} {result}" for test, result in passed.items()))
    assert set(passed.values()) == {"SUCCESS"}

    class Model(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return shares(2 * x)

    exported = torch.export.export(Model(), (torch.rand(3, 8),))
    names = [str(node.target) for node in exported.graph.nodes if node.op == "call_function"]
    print("exported:", names)
    assert "hotloop_proof.shares.default" in names


if __name__ == "__main__":
    main()
