"""Vectorizes nothing: the loop over pixels has only moved to another file.

fails: augment.fast_cpu
"""


### BEGIN SOLUTION profile_training_loop.augment
def augment(images, entries, out):
    """images: uint8 [n, 32, 32, 3]. entries: int64 [m, 4]. out: float32 [m, 3, 32, 32]."""
    for result, (sample, down, right, mirrored) in zip(out, entries.tolist(), strict=True):
        image = images[sample].tolist()
        for channel in range(3):
            rows = []
            for y in range(down - PADDING, down - PADDING + 32):
                row = []
                for x in range(right - PADDING, right - PADDING + 32):
                    inside = 0 <= y < 32 and 0 <= x < 32
                    value = image[y][x][channel] if inside else 0
                    row.append((value - MEAN[channel]) / DEVIATION[channel])
                rows.append(row[::-1] if mirrored else row)
            result[channel] = torch.tensor(rows)


### END SOLUTION
