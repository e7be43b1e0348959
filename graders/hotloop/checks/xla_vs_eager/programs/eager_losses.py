"""Cross-entropy an operation a line, as PyTorch runs what is not compiled: the GPU's baseline.

The scores' bytes as the unit, the lines below read and write 8: 1, 2, 2, 1 and 2.
"""

import torch


def losses(scores, labels, out):
    """scores: float32 [n, classes]. labels: int32 [n]. out: float32 [n], which is filled."""
    top = scores.amax(1, keepdim=True)
    shifted = scores - top
    weights = torch.exp(shifted)
    total = weights.sum(1, keepdim=True)
    logarithms = shifted - total.log()
    out.copy_(-logarithms.gather(1, labels.long()[:, None])[:, 0])
