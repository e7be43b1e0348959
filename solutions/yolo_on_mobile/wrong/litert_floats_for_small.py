"""Hands in the file with floats again, as if another name made it small.

fails: litert.small
"""

### BEGIN SOLUTION yolo_on_mobile.litert
import detector
import torch


def to_litert(height, width, target):
    """Write the detector to `target`, a .tflite file for pictures of this size."""
    import litert_torch

    # Runtimes of phones are made for channels last, and so are cameras.
    last = litert_torch.to_channel_last_io(detector.load(), args=[0])
    picture = torch.zeros(1, height, width, 3)
    litert_torch.convert(last.eval(), (picture,)).export(target)


def to_small_litert(height, width, target):
    """The same with weights of eight bits, and floats between the layers."""
    to_litert(height, width, target)


### END SOLUTION
