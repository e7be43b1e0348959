"""Camera frames and the network's right probabilities, in float64.

Runs in our own worker, beside the module's resnet.py, signs.py and the weights. Functions are in
destination style: the last argument is filled.
"""

from __future__ import annotations

import torch
from resnet import load
from signs import DEVIATION, MEAN, pictures

NETWORK = load().double()


def frames(seed: int, out: torch.Tensor) -> None:
    """Generate signs. out: uint8 [n, 64, 64, 3], BGR as OpenCV gives them."""
    out.copy_(torch.from_numpy(pictures(seed, len(out))[0][..., ::-1].copy()))


@torch.inference_mode()
def probabilities(seen: torch.Tensor, out: torch.Tensor) -> None:
    """Compute probabilities.

    seen: uint8 or float32 [n, 64, 64, 3], BGR, 0 to 255. out: float32 [n, 10].
    """
    rgb = seen.double().flip(-1) / 255
    standard = (rgb - torch.tensor(MEAN).double()) / torch.tensor(DEVIATION).double()
    out.copy_(NETWORK(standard.permute(0, 3, 1, 2)).softmax(1))
