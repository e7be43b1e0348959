"""The detector for Core ML: converted anywhere, predicted on Apple's machines only."""

### TASK yolo_on_mobile.coreml
def to_coreml(height, width, target):
    """Write the detector to `target`, a zip of an .mlpackage; see the notebook."""
    raise NotImplementedError("yolo_on_mobile.coreml")
