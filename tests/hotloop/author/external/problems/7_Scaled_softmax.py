"""A problem written for the tests in KernelBench's format."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(features))

    def forward(self, x):
        return torch.softmax(x * self.weight, dim=-1)


batch_size = 4096
features = 65536


def get_inputs():
    return [torch.rand(batch_size, features)]


def get_init_inputs():
    return [features]
