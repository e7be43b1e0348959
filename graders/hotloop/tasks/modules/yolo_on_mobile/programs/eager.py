"""The detector in eager PyTorch for images of any size: the reference and the baseline.

Runs in the judge's workers, beside the module's detector.py and its weights. Destination style:
functions fill their last argument.
"""

import detector
import torch

NETWORK = detector.load()
HERE = [torch.device("cpu")]


def use(device):
    """Compute on `device` from now on; images and tables stay in host memory."""
    torch.backends.cudnn.benchmark = True
    HERE[:] = [torch.device(device)]
    NETWORK.to(device)


@torch.inference_mode()
def run(pictures, table):
    """Fill the table.

    pictures: float32 [n, 3, height, width]. table: float32 [n, boxes, 5 + classes].
    """
    table.copy_(table_of(pictures.to(HERE[0])))


def table_of(pictures):
    """Return all boxes, stride by stride."""
    return decoded(NETWORK(pictures))


class Decoded(torch.nn.Module):
    """The network with its decoding, from images to the table."""

    def __init__(self):
        super().__init__()
        self.network = NETWORK

    def forward(self, pictures):
        """Return all boxes, stride by stride."""
        return table_of(pictures)


def decoded(maps):
    """Decode the head's three maps into one table."""
    parts = [
        _boxes(raw, stride, sizes * stride)
        for raw, stride, sizes in zip(maps, NETWORK.strides, NETWORK.model[24].anchors, strict=True)
    ]
    return torch.cat(parts, 1)


def _boxes(raw, stride, sizes):
    count, channels, rows, columns = raw.shape
    cells = raw.view(count, 3, channels // 3, rows, columns).permute(0, 1, 3, 4, 2).sigmoid()
    down, right = torch.meshgrid(
        torch.arange(rows, device=raw.device),
        torch.arange(columns, device=raw.device),
        indexing="ij",
    )
    center = (2 * cells[..., 0:2] - 0.5 + torch.stack((right, down), 2)) * stride
    size = (2 * cells[..., 2:4]) ** 2 * sizes.view(1, 3, 1, 1, 2)
    return torch.cat((center, size, cells[..., 4:]), 4).flatten(1, 3)
