import torch
import torch.nn as nn


class Model(nn.Module):
    """The product with weights of eight bits, whose columns have scales."""

    def __init__(self, _m: int, n: int, k: int):
        super().__init__()
        weight = 0.02 * torch.randn(n, k)
        scale = weight.abs().amax(1) / 448
        self.register_buffer("weight", (weight / scale[:, None]).to(torch.float8_e4m3fn))
        self.register_buffer("scale", scale)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = (x @ self.weight.to(torch.bfloat16).T).float() * self.scale
        return y.to(torch.bfloat16)


M = 64
N = 2048
K = 2048


def get_inputs():
    torch.manual_seed(0)
    return [torch.randn(M, K, dtype=torch.bfloat16)]


def get_init_inputs():
    return [M, N, K]
