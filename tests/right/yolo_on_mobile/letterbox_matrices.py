"""Resizing as two products with matrices of weights in numpy, float64."""


### BEGIN SOLUTION yolo_on_mobile.letterbox
import numpy as np
from shapes import PADDING


def weights(before, after):
    """[after, before]: each row mixes the two nearest pixels."""
    at = np.clip((np.arange(after) + 0.5) * before / after - 0.5, 0, before - 1)
    low = np.floor(at).astype(int)
    high = np.minimum(low + 1, before - 1)
    matrix = np.zeros((after, before))
    np.add.at(matrix, (np.arange(after), low), 1 - (at - low))
    np.add.at(matrix, (np.arange(after), high), at - low)
    return matrix


def fitted(height, width, side):
    longer = max(height, width)
    rows, columns = round(height * (side / longer)), round(width * (side / longer))
    return rows, columns, (side - rows) // 2, (side - columns) // 2


def letterbox(frame, side):
    bgr = np.asarray(frame, np.float64)
    rows, columns, top, left = fitted(*bgr.shape[:2], side)
    tall = np.tensordot(weights(bgr.shape[0], rows), bgr, 1)
    small = (weights(bgr.shape[1], columns) @ tall).transpose(2, 0, 1)
    picture = np.full((3, side, side), PADDING, np.float64)
    picture[:, top : top + rows, left : left + columns] = small[::-1]
    return (picture / 255).astype(np.float32)


### END SOLUTION


### BEGIN SOLUTION yolo_on_mobile.letterbox boxes
def to_frame(left, top, right, bottom, height, width, side):
    rows, columns, above, before = fitted(height, width, side)
    offset = np.array([before, above, before, above])
    scale = np.array([width / columns, height / rows] * 2)
    return np.clip((np.array([left, top, right, bottom]) - offset) * scale, 0, [width, height] * 2)


### END SOLUTION
