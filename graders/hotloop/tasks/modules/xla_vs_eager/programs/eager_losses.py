"""Eager cross-entropy, one operation per line: the GPU baseline.

In units of the scores' bytes, the lines below read and write 8: 1, 2, 2, 1 and 2.
"""

import torch


def losses(scores, labels, out):
    """Fill `out`, float32 [n]. scores: float32 [n, classes]. labels: int32 [n]."""
    top = scores.amax(1, keepdim=True)
    shifted = scores - top
    weights = torch.exp(shifted)
    total = weights.sum(1, keepdim=True)
    logarithms = shifted - total.log()
    out.copy_(-logarithms.gather(1, labels.long()[:, None])[:, 0])
