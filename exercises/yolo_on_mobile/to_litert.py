"""The detector for LiteRT, formerly TensorFlow Lite: in floats, and with 8-bit weights."""

### TASK yolo_on_mobile.litert
def to_litert(height, width, target):
    """Write the detector to `target`, a .tflite file for pictures of this size."""
    raise NotImplementedError("yolo_on_mobile.litert")


def to_small_litert(height, width, target):
    """The same with weights of eight bits, and floats between the layers."""
    raise NotImplementedError("yolo_on_mobile.litert")
