"""The augmentation of a whole batch in float32, one operation after the other: the GPU's baseline.

The slow loop's own augmentation is a loop over pixels on the host, which would make any kernel look
fast. Counted in results (float32 numbers of one batch), the lines below read and write 19 times as
much as the result has bytes.
"""

import torch

MEAN = (125.3, 123.0, 113.9)
DEVIATION = (63.0, 62.1, 66.7)
PADDING = 4


def augment(images, entries, out):
    """images: uint8 [n, 32, 32, 3]. entries: int64 [m, 4]. out: float32 [m, 3, 32, 32]."""
    samples, down, right, mirrored = entries.unbind(1)
    side = torch.arange(images.shape[1], device=images.device)
    around = (0, 0, PADDING, PADDING, PADDING, PADDING)
    picked = images[samples].float()
    padded = torch.nn.functional.pad(picked, around)
    batch = torch.arange(len(entries), device=images.device)[:, None, None]
    rows, columns = side + down[:, None], side + right[:, None]
    cut = padded[batch, rows[:, :, None], columns[:, None, :]]
    turned = torch.where(mirrored.view(-1, 1, 1, 1) == 1, cut.flip(2), cut)
    planes = turned.movedim(3, 1).contiguous()
    mean, deviation = (torch.tensor(v, device=out.device).view(3, 1, 1) for v in (MEAN, DEVIATION))
    out.copy_((planes - mean) / deviation)
