"""The detector for ExecuTorch, with XNNPACK as its delegate."""

### TASK yolo_on_mobile.executorch
def to_executorch(height, width, target):
    """Write the detector to `target`, a .pte file for pictures of this size."""
    raise NotImplementedError("yolo_on_mobile.executorch")


### TASK yolo_on_mobile.executorch network
# Which form of the stem does XNNPACK take?
