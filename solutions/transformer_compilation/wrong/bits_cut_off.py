"""Cuts bits off instead of rounding to the nearest.

fails: eight_bits.rounded
"""

### BEGIN SOLUTION transformer_compilation.eight_bits
import json
from pathlib import Path

import torch

LARGEST = 448.0


def to_fp8(path):
    """Codes and scales; see the notebook."""
    x = torch.tensor(json.loads(Path(path).read_text()), dtype=torch.float64)
    largest = x.abs().amax(dim=1, keepdim=True)
    scales = torch.where(largest == 0, 1.0, largest / LARGEST)
    # The clamp: a quotient that rounds to a little more than 448 must not become NaN.
    scaled = (x / scales).clamp(-LARGEST, LARGEST).float()
    # Three bits of fraction are kept, the others dropped.
    cut = (scaled.view(torch.int32) & ~0xFFFFF).view(torch.float32)
    codes = cut.to(torch.float8_e4m3fn).view(torch.uint8)
    return {"codes": codes.tolist(), "scales": scales[:, 0].tolist()}


### END SOLUTION
