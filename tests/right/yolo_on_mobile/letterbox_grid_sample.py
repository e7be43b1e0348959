"""Bilinear sampling by grid_sample at computed positions; padding by functional.pad."""


### BEGIN SOLUTION yolo_on_mobile.letterbox
import torch
import torch.nn.functional as F
from shapes import PADDING


class Fit:
    def __init__(self, height, width, side):
        ratio = side / max(height, width)
        self.rows, self.columns = round(height * ratio), round(width * ratio)
        self.top = (side - self.rows) // 2
        self.left = (side - self.columns) // 2
        self.bottom = side - self.rows - self.top
        self.right = side - self.columns - self.left


def letterbox(frame, side):
    height, width = frame.shape[:2]
    fit = Fit(height, width, side)
    picture = frame.permute(2, 0, 1).index_select(0, torch.tensor([2, 1, 0])).double()
    y, x = ((2 * torch.arange(n).double() + 1) / n - 1 for n in (fit.rows, fit.columns))
    grid = torch.stack(torch.meshgrid(x, y, indexing="xy"), -1)
    small = F.grid_sample(
        picture[None], grid[None], mode="bilinear", padding_mode="border", align_corners=False
    )
    margins = (fit.left, fit.right, fit.top, fit.bottom)
    return F.pad(small[0], margins, value=float(PADDING)).div(255).float()


### END SOLUTION


### BEGIN SOLUTION yolo_on_mobile.letterbox boxes
def to_frame(left, top, right, bottom, height, width, side):
    fit = Fit(height, width, side)

    def across(x):
        return sorted((0, (x - fit.left) / fit.columns * width, width))[1]

    def down(y):
        return sorted((0, (y - fit.top) / fit.rows * height, height))[1]

    return across(left), down(top), across(right), down(bottom)


### END SOLUTION
