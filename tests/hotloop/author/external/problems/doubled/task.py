"""A problem of our own in GPU MODE's form."""

import torch

input_t = tuple[torch.Tensor, torch.Tensor]
output_t = torch.Tensor
