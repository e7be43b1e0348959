"""From a camera's frame to the network's square picture, and from its boxes back to the frame."""

### BEGIN SOLUTION yolo_on_mobile.letterbox
### STUB def letterbox(frame, side):
### STUB     """The picture, float32 [3, side, side], of a frame, uint8 [height, width, 3], BGR."""
### STUB     raise NotImplementedError("yolo_on_mobile.letterbox")
import torch
from shapes import PADDING
from torch.nn import functional


def letterbox(frame, side):
    """The picture, float32 [3, side, side], of a frame, uint8 [height, width, 3], BGR."""
    height, width, _ = frame.shape
    tall, wide, above, before = placed(height, width, side)
    rgb = frame.flip(2).permute(2, 0, 1).float()
    # Half-pixel centers, as OpenCV resizes too; no antialiasing.
    small = functional.interpolate(rgb[None], (tall, wide), mode="bilinear", align_corners=False)
    picture = torch.full((3, side, side), float(PADDING))
    picture[:, above : above + tall, before : before + wide] = small[0]
    return picture / 255


def placed(height, width, side):
    """Rows and columns of the resized frame, and of the padding above and to the left of it."""
    scale = side / max(height, width)
    tall, wide = round(height * scale), round(width * scale)
    return tall, wide, (side - tall) // 2, (side - wide) // 2


### END SOLUTION


### BEGIN SOLUTION yolo_on_mobile.letterbox boxes
### STUB def to_frame(left, top, right, bottom, height, width, side):
### STUB     """A box of the picture as [left, top, right, bottom] in the frame, clipped to it."""
### STUB     raise NotImplementedError("yolo_on_mobile.letterbox")
def to_frame(left, top, right, bottom, height, width, side):
    """A box of the picture as [left, top, right, bottom] in the frame, clipped to it."""
    tall, wide, above, before = placed(height, width, side)
    across = [(x - before) * width / wide for x in (left, right)]
    down = [(y - above) * height / tall for y in (top, bottom)]
    (left, right), (top, bottom) = clipped(across, width), clipped(down, height)
    return [left, top, right, bottom]


def clipped(values, limit):
    return [min(max(value, 0.0), float(limit)) for value in values]


### END SOLUTION
