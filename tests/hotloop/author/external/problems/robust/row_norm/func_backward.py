import torch
import torch.nn as nn


class AutogradFunction(torch.autograd.Function):
    backward_fn = None

    @staticmethod
    def forward(ctx, x, weight, eps):
        ctx.save_for_backward(x, weight)
        ctx.eps = eps
        return forward_fn(x, weight, eps)

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        # The results come in another order than the inputs.
        of_weight, of_x = AutogradFunction.backward_fn(grad_output, x, weight, ctx.eps)
        return of_x, of_weight, None


def forward_fn(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight


class Model(nn.Module):
    def __init__(self, features: int = 512, eps: float = 1e-5):
        super().__init__()
        self.weight = nn.Parameter(1 + 0.1 * torch.randn(features))
        self.eps = eps

    def forward(self, x: torch.Tensor, fn=forward_fn) -> torch.Tensor:
        return fn(x, self.weight, self.eps)


def get_inputs(rows: int = 4096, features: int = 512):
    return [torch.randn(rows, features, requires_grad=True)]


input_names = ["x"]
