"""numpy, vectorized; the dict holds arrays' lists, with scales from an asymmetric search left out."""


### BEGIN SOLUTION gemm_tensor_cores.quantize_w4
import json
from pathlib import Path

import numpy as np


def quantize_w4(path, group):
    w = np.array(json.loads(Path(path).read_text()), dtype=np.float64)
    k, n = w.shape
    blocks = w.reshape(k // group, group, n)
    scales = np.abs(blocks).max(axis=1) / 7
    scales[scales == 0] = 1
    codes = (np.rint(blocks / scales[:, None]) + 8).astype(np.uint8).reshape(k, n)
    return {"packed": codes[0::2] | codes[1::2] << 4, "scales": scales}


### END SOLUTION
