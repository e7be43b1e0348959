"""numpy: rounded by frexp to four bits, codes put together from their fields, returned as arrays."""


### BEGIN SOLUTION transformer_compilation.eight_bits
import json

import numpy as np


def to_fp8(path):
    """Codes and scales; see the notebook."""
    x = np.asarray(json.loads(open(path).read()), dtype=np.float64)
    largest = np.abs(x).max(axis=1)
    scales = np.where(largest > 0, largest / 448, 1.0)
    y = np.minimum(np.abs(x) / scales[:, None], 448.0)
    exponent = np.where(y > 0, np.maximum(np.frexp(y)[1] - 1, -6), -6)
    steps = np.rint(np.ldexp(y, 3 - exponent)).astype(np.int64)
    # Eight steps are the hidden bit; sixteen are the next exponent's first number.
    codes = ((exponent + 6) << 3) + steps
    codes = np.where(np.signbit(x), codes | 128, codes).astype(np.uint8)
    return {"codes": codes, "scales": scales.astype(np.float32).astype(np.float64)}


### END SOLUTION
