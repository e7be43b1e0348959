"""From the maps of the head to boxes: decoding, and suppressing what says the same twice."""

import numpy as np
import torch
from detector import STRIDES


### TASK yolo_on_mobile.decode
def decode(small, middle, large, anchors):
    """The maps of three strides as one table, float32 [n, boxes, 5 + classes].

    small, middle, large: float32 [n, 3·(5 + classes), rows, columns], of STRIDES.
    anchors: float32 [3 strides, 3, 2], width and height in pixels.
    """
    raise NotImplementedError("yolo_on_mobile.decode")


### TASK yolo_on_mobile.nms
def nms(path, floor, overlap, most):
    """What is left of one picture's boxes: [left, top, right, bottom, score, class].

    path: an .npy file, float32 [boxes, 5 + classes], as `decode` gives them.
    """
    raise NotImplementedError("yolo_on_mobile.nms")
