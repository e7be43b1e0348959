"""Photos in a format made like JPEG, and a data set that decodes them one by one.

A file is a deflate stream of Huffman codes of quantized coefficients: three planes (Y, Cb, Cr) of
8×8 blocks, each the discrete cosine transform of its pixels. As with JPEG, nearly all the time of
loading a photo is decoding it, and one file cannot be decoded together with another one.
"""

import zlib

import numpy as np
import torch
from torch.utils.data import Dataset

SIDE = 256
"""Pixels of a photo's side; the network gets 32 × 32."""

ROOM = 40_960
"""Bytes of a row that holds one file; the rest of the row is zeros, which `decode` ignores."""

MEAN = np.array([125.3, 123.0, 113.9], np.float32)
DEVIATION = np.array([63.0, 62.1, 66.7], np.float32)

_K = np.arange(8)
_SCALE = np.where(_K[:, None] == 0, np.sqrt(1 / 8), np.sqrt(2 / 8))
COSINES = (np.cos(np.pi * (2 * _K[None] + 1) * _K[:, None] / 16) * _SCALE).astype(np.float32)
STEPS = (8 + 6 * (_K[:, None] + _K)).astype(np.float32)
"""How coarsely each frequency is rounded."""

TO_YCBCR = np.array(
    [[0.299, 0.587, 0.114], [-0.168736, -0.331264, 0.5], [0.5, -0.418688, -0.081312]], np.float32
)
TO_RGB = np.linalg.inv(TO_YCBCR).astype(np.float32)


def encode(image):
    """Return the file of a photo, bytes. image: uint8 [256, 256, 3]."""
    planes = np.tensordot(TO_YCBCR, image.astype(np.float32) - 128, (1, 2))
    blocks = planes.reshape(3, SIDE // 8, 8, SIDE // 8, 8).swapaxes(2, 3)
    found = np.rint(COSINES @ blocks @ COSINES.T / STEPS)
    return code(found.clip(-127, 127).astype(np.int8))


def code(coefficients):
    """Return the file with these coefficients, int8 [3, 32, 32, 8, 8], as Huffman codes."""
    deflate = zlib.compressobj(1, zlib.DEFLATED, 15, 9, zlib.Z_HUFFMAN_ONLY)
    return deflate.compress(coefficients.tobytes()) + deflate.flush()


def decode(file):
    """Return the photo, uint8 [256, 256, 3], of a file, with or without zeros behind it."""
    codes = zlib.decompressobj().decompress(file)
    blocks = np.frombuffer(codes, np.int8).reshape(3, SIDE // 8, SIDE // 8, 8, 8) * STEPS
    planes = (COSINES.T @ blocks @ COSINES).swapaxes(2, 3).reshape(3, SIDE, SIDE)
    colors = np.tensordot(TO_RGB, planes, 1) + 128
    return np.moveaxis(np.rint(colors).clip(0, 255).astype(np.uint8), 0, 2)


class Photos(Dataset):
    """The photos of some files: each is decoded when it is asked for, every time.

    files: uint8 [n, ROOM]. labels: int64 [n].
    """

    def __init__(self, files, labels):
        self.files = files
        self.labels = labels

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        photo = decode(self.files[index].numpy()).astype(np.float32)
        small = photo.reshape(32, SIDE // 32, 32, SIDE // 32, 3).mean((1, 3))
        normal = (small - MEAN) / DEVIATION
        return torch.from_numpy(np.moveaxis(normal, 2, 0).copy()), self.labels[index]


def album(count, seed=0):
    """Return files and labels of noisy stripes in ten directions, as `Photos` takes them."""
    rng = np.random.default_rng(seed)
    files, labels = np.zeros((count, ROOM), np.uint8), rng.integers(0, 10, count)
    y, x = np.mgrid[:SIDE, :SIDE]
    for row, label in zip(files, labels, strict=True):
        angle = np.pi * label / 10
        stripes = 60 * np.sin((np.cos(angle) * y + np.sin(angle) * x) / 6 + rng.uniform(0, 6))
        noise = rng.normal(128, 20, (SIDE, SIDE, 3))
        file = encode((stripes[..., None] + noise).clip(0, 255).astype(np.uint8))
        row[: len(file)] = np.frombuffer(file, np.uint8)
    return torch.from_numpy(files), torch.from_numpy(labels)
