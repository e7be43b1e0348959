"""The detector in PyTorch, eagerly, for pictures of any size: what is right, and the baseline.

Runs in workers of ours, beside the module's detector.py and its weights. Destination style: the
last argument is filled.
"""

import detector
import torch

NETWORK = detector.load()
HERE = [torch.device("cpu")]


def use(device):
    """Compute there from now on; pictures and table stay in the host's memory."""
    torch.backends.cudnn.benchmark = True
    HERE[:] = [torch.device(device)]
    NETWORK.to(device)


@torch.inference_mode()
def run(pictures, table):
    """pictures: float32 [n, 3, height, width]. table: float32 [n, boxes, 5 + classes]."""
    table.copy_(table_of(pictures.to(HERE[0])))


def table_of(pictures):
    """All boxes, stride by stride."""
    return decoded(NETWORK(pictures))


def decoded(maps):
    """The head's three maps as one table."""
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
    centre = (2 * cells[..., 0:2] - 0.5 + torch.stack((right, down), 2)) * stride
    size = (2 * cells[..., 2:4]) ** 2 * sizes.view(1, 3, 1, 1, 2)
    return torch.cat((centre, size, cells[..., 4:]), 4).flatten(1, 3)
