"""The detector as one file: pictures in, a fixed number of boxes out."""

### TASK yolo_on_mobile.in_graph
def export(most, target):
    """Write the detector to `target`, as ONNX, with decoding and suppression in it."""
    raise NotImplementedError("yolo_on_mobile.in_graph")


### TASK yolo_on_mobile.in_graph suppression
# A table to `most` boxes: NonMaxSuppression, the order, and zeros for what is missing.
