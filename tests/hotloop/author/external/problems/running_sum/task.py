"""A problem written for the tests in GPU MODE's format."""

import torch

input_t = tuple[torch.Tensor, torch.Tensor]
output_t = torch.Tensor
