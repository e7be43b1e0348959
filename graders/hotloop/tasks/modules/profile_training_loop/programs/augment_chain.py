"""The augmentation of a whole batch in float32, one operation after the other: the GPU baseline.

The slow loop's own augmentation loops over pixels on the host, against which any kernel would look
fast. The lines below read and write 19 times the bytes of the float32 result.
"""

import torch

MEAN = (125.3, 123.0, 113.9)
DEVIATION = (63.0, 62.1, 66.7)
PADDING = 4


def augment(images, entries, out):
    """Fill `out`, float32 [m, 3, 32, 32]. images: uint8 [n, 32, 32, 3]. entries: int64 [m, 4]."""
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
