"""The detector for OpenVINO, with what the camera's bytes need in front."""

### TASK yolo_on_mobile.openvino
def to_openvino(height, width, target):
    """Write the detector to `target`, an .xml file with its .bin beside it."""
    raise NotImplementedError("yolo_on_mobile.openvino")


### TASK yolo_on_mobile.openvino camera
# What do bytes, blue first and channels last, need before the network?
