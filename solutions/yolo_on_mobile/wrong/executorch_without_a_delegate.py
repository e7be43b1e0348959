"""Lowers without a partitioner: all of it runs in portable kernels.

fails: executorch.file
"""

### BEGIN SOLUTION yolo_on_mobile.executorch
from pathlib import Path

import detector
import torch


def to_executorch(height, width, target):
    """Write the detector to `target`, a .pte file for pictures of this size."""
    from executorch.exir import to_edge_transform_and_lower

    exported = torch.export.export(network(), (torch.zeros(1, 3, height, width),))
    lowered = to_edge_transform_and_lower(exported)
    Path(target).write_bytes(lowered.to_executorch().buffer)


### END SOLUTION
