"""Converts without a scale, since the format has exponents of its own.

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
    scales = torch.ones_like(largest)
    # The clamp: a quotient that rounds to a little more than 448 must not become NaN.
    scaled = (x / scales).clamp(-LARGEST, LARGEST).float()
    codes = scaled.to(torch.float8_e4m3fn).view(torch.uint8)
    return {"codes": codes.tolist(), "scales": scales[:, 0].tolist()}


### END SOLUTION
