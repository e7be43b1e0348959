"""From a camera's frame to the network's square picture, and from its boxes back to the frame."""

### TASK yolo_on_mobile.letterbox
def letterbox(frame, side):
    """The picture, float32 [3, side, side], of a frame, uint8 [height, width, 3], BGR."""
    raise NotImplementedError("yolo_on_mobile.letterbox")


### TASK yolo_on_mobile.letterbox boxes
def to_frame(left, top, right, bottom, height, width, side):
    """A box of the picture as [left, top, right, bottom] in the frame, clipped to it."""
    raise NotImplementedError("yolo_on_mobile.letterbox")
