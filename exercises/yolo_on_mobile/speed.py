"""The detector tuned for speed: a file for ONNX Runtime with its options, and an engine."""

### TASK yolo_on_mobile.speed
def prepare(height, width, target):
    """Write the detector for pictures of this size to `target`, as ONNX."""
    raise NotImplementedError("yolo_on_mobile.speed")


def session_options(threads):
    """A dict of options for a session that is given so many threads."""
    raise NotImplementedError("yolo_on_mobile.speed")


### TASK yolo_on_mobile.speed engine
def build_engine(source, least, usual, most, target):
    """Build a TensorRT engine from the ONNX file `source` for batches of these lengths."""
    raise NotImplementedError("yolo_on_mobile.speed")
