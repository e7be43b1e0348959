"""The detector within the card of a device: every limit kept, and as much seen as that allows."""

### TASK yolo_on_mobile.fit
def fit(card_path, calibration_path, target):
    """Write the detector to `target`, as ONNX, such that it keeps to the card."""
    raise NotImplementedError("yolo_on_mobile.fit")


### TASK yolo_on_mobile.fit network
# Which stem does the delegate take?


### TASK yolo_on_mobile.fit weights
# How do the weights get small, and their floats not stand about?
