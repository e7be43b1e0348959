"""Takes rows for columns where the stem's corners go.

fails: executorch.runs
"""


### BEGIN SOLUTION yolo_on_mobile.executorch network
def network():
    """The detector with its stem as one convolution of 6×6: XNNPACK takes no strided slices."""
    found = detector.load()
    stem = found.model[0].conv
    small = stem.conv.weight.data
    outputs, inputs, kernel, _ = small.shape
    inputs //= 4
    large = torch.zeros(outputs, inputs, 2 * kernel, 2 * kernel)
    for place, (right, down) in enumerate((r, d) for r in (0, 1) for d in (0, 1)):
        large[:, :, right::2, down::2] = small[:, place * inputs : (place + 1) * inputs]
    stem.conv = torch.nn.Conv2d(inputs, outputs, 2 * kernel, 2, 2 * (kernel // 2), bias=False)
    stem.conv.weight.data.copy_(large)
    found.model[0] = stem
    return found.eval()


### END SOLUTION
