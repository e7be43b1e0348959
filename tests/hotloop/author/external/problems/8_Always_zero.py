"""A problem that no answer can fail: its output is the same for all inputs."""

import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x):
        return x - x


def get_inputs():
    return [torch.rand(64, 64)]


def get_init_inputs():
    return []
