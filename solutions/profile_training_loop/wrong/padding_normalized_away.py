"""Pads after normalizing: the border is grey and not black.

fails: augment.correct
"""


### BEGIN SOLUTION profile_training_loop.augment
def augment(images, entries, out):
    """images: uint8 [n, 32, 32, 3]. entries: int64 [m, 4]. out: float32 [m, 3, 32, 32]."""
    samples, down, right, mirrored = entries.unbind(1)
    mean = torch.tensor(MEAN).view(3, 1, 1)
    deviation = torch.tensor(DEVIATION).view(3, 1, 1)
    ready = (images[samples].movedim(3, 1) - mean) / deviation
    padded = torch.nn.functional.pad(ready, (PADDING,) * 4)
    for i in range(len(entries)):
        cut = padded[i, :, down[i] : down[i] + 32, right[i] : right[i] + 32]
        out[i] = cut.flip(2) if mirrored[i] else cut


### END SOLUTION
