"""Leaves blue first, as the camera gives it: nothing fails, and red discs are called blue.

fails: letterbox.picture
"""

### BEGIN SOLUTION yolo_on_mobile.letterbox
import torch
from shapes import PADDING
from torch.nn import functional


def letterbox(frame, side):
    height, width, _ = frame.shape
    tall, wide, above, before = placed(height, width, side)
    colors = frame.permute(2, 0, 1).float()
    small = functional.interpolate(colors[None], (tall, wide), mode="bilinear", align_corners=False)
    picture = torch.full((3, side, side), float(PADDING))
    picture[:, above : above + tall, before : before + wide] = small[0]
    return picture / 255


def placed(height, width, side):
    scale = side / max(height, width)
    tall, wide = round(height * scale), round(width * scale)
    return tall, wide, (side - tall) // 2, (side - wide) // 2


### END SOLUTION
