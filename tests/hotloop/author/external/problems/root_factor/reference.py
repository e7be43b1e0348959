"""A factor of a positive matrix; any lower one with a small residual is right."""

import torch
from task import input_t, output_t


def generate_input(batch: int, n: int, seed: int) -> input_t:
    random = torch.Generator().manual_seed(seed)
    a = torch.randn(batch, n, n, generator=random)
    return a @ a.mT + n * torch.eye(n)


def ref_kernel(data: input_t) -> output_t:
    return torch.linalg.cholesky(data)


def check_implementation(data: input_t, output: output_t) -> tuple[bool, str]:
    if output.shape != data.shape or output.triu(1).any():
        return False, "not a lower factor"
    rest = (output.double() @ output.double().mT - data.double()).norm() / data.double().norm()
    room = 20 * data.shape[-1] * torch.finfo(torch.float32).eps
    return bool(rest <= room), f"the residual is {rest:.2g}, allowed is {room:.2g}"
