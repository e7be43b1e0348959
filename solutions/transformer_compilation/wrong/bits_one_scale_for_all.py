"""Takes one scale for all rows, so that small rows vanish beside a large one.

fails: eight_bits.scaled
"""

### BEGIN SOLUTION transformer_compilation.eight_bits
import json
from pathlib import Path

import torch

LARGEST = 448.0


def to_fp8(path):
    """Codes and scales; see the notebook."""
    x = torch.tensor(json.loads(Path(path).read_text()), dtype=torch.float64)
    largest = x.abs().max().expand(len(x), 1)
    scales = torch.where(largest == 0, 1.0, largest / LARGEST)
    # The clamp: a quotient that rounds to a little more than 448 must not become NaN.
    scaled = (x / scales).clamp(-LARGEST, LARGEST).float()
    codes = scaled.to(torch.float8_e4m3fn).view(torch.uint8)
    return {"codes": codes.tolist(), "scales": scales[:, 0].tolist()}


### END SOLUTION
