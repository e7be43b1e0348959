import torch
import torch.nn as nn


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
    return [torch.randn(rows, features)]


input_names = ["x"]
