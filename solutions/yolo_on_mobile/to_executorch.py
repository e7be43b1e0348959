"""The detector for ExecuTorch, with XNNPACK as its delegate."""

### BEGIN SOLUTION yolo_on_mobile.executorch
### STUB def to_executorch(height, width, target):
### STUB     """Write the detector to `target`, a .pte file for pictures of this size."""
### STUB     raise NotImplementedError("yolo_on_mobile.executorch")
from pathlib import Path

import detector
import torch


def to_executorch(height, width, target):
    """Write the detector to `target`, a .pte file for pictures of this size."""
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower

    exported = torch.export.export(network(), (torch.zeros(1, 3, height, width),))
    lowered = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()])
    Path(target).write_bytes(lowered.to_executorch().buffer)


### END SOLUTION


### BEGIN SOLUTION yolo_on_mobile.executorch network
### STUB # Which form of the stem does XNNPACK take?
def network():
    """The detector with its stem as one convolution of 6×6: XNNPACK takes no strided slices."""
    found = detector.load()
    stem = found.model[0].conv
    small = stem.conv.weight.data
    outputs, inputs, kernel, _ = small.shape
    inputs //= 4
    large = torch.zeros(outputs, inputs, 2 * kernel, 2 * kernel)
    for place, (right, down) in enumerate((r, d) for r in (0, 1) for d in (0, 1)):
        large[:, :, down::2, right::2] = small[:, place * inputs : (place + 1) * inputs]
    stem.conv = torch.nn.Conv2d(inputs, outputs, 2 * kernel, 2, 2 * (kernel // 2), bias=False)
    stem.conv.weight.data.copy_(large)
    found.model[0] = stem
    return found.eval()


### END SOLUTION
