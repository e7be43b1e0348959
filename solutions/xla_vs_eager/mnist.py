"""MNIST from a folder that you have: its four files in IDX format, gzipped or not.

They are not part of Hotloop, and nothing is downloaded. Set HOTLOOP_MNIST to the folder;
torchvision leaves it as MNIST/raw.
"""

import gzip
import os
from pathlib import Path

import numpy as np


def folder():
    """The one that HOTLOOP_MNIST names, or None."""
    given = os.environ.get("HOTLOOP_MNIST")
    return Path(given) if given else None


def load(where, part="train"):
    """Images float32 [n, 28, 28, 1] in 0 … 1, labels int32 [n]; part: train or t10k."""
    images = _idx(where / f"{part}-images-idx3-ubyte").astype(np.float32)[..., None] / 255
    return images, _idx(where / f"{part}-labels-idx1-ubyte").astype(np.int32)


def _idx(path):
    """An array of bytes: two zeros, the type, the number of sizes, and the sizes come first."""
    zipped = path.with_name(f"{path.name}.gz")
    data = gzip.decompress(zipped.read_bytes()) if zipped.exists() else path.read_bytes()
    if data[:3] != b"\0\0\x08":
        raise ValueError(f"{path} is no IDX file of bytes: it begins with {data[:4]!r}")
    sizes = np.frombuffer(data, ">u4", data[3], 4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * len(sizes)).reshape(sizes)
