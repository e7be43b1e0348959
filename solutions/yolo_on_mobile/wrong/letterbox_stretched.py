"""Stretches the frame to the square: every shape has other proportions than in training.

fails: letterbox.picture
"""

### BEGIN SOLUTION yolo_on_mobile.letterbox
import torch
from torch.nn import functional


def letterbox(frame, side):
    rgb = frame.flip(2).permute(2, 0, 1).float()
    square = functional.interpolate(rgb[None], (side, side), mode="bilinear", align_corners=False)
    return square[0] / 255


def placed(height, width, side):
    scale = side / max(height, width)
    tall, wide = round(height * scale), round(width * scale)
    return tall, wide, (side - tall) // 2, (side - wide) // 2


### END SOLUTION
