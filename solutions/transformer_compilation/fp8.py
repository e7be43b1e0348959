"""Keys in eight bits: codes of e4m3, and a scale for each row.

`to_fp8(path)` reads rows of numbers from a JSON file; the notebook says what comes back.
"""

### BEGIN SOLUTION transformer_compilation.eight_bits
### STUB def to_fp8(path):
### STUB     """Codes and scales; see the notebook."""
### STUB     raise NotImplementedError("transformer_compilation.eight_bits")
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
    codes = scaled.to(torch.float8_e4m3fn).view(torch.uint8)
    return {"codes": codes.tolist(), "scales": scales[:, 0].tolist()}


### END SOLUTION
