"""MNIST from a folder that you have: its four files in IDX format, gzipped or not.

They are not part of Hotloop, and nothing is downloaded. Set HOTLOOP_MNIST to the folder;
torchvision leaves it as MNIST/raw, and the folder above may be named, too. Without it `draw` writes
the 8×8 digits as files of that format, with MNIST's 28×28 pixels.
"""

import gzip
import os
import zlib
from pathlib import Path

import numpy as np


class DataError(Exception):
    """What is wrong with a file."""


def folder():
    """The one that HOTLOOP_MNIST names, or None."""
    given = os.environ.get("HOTLOOP_MNIST")
    return Path(given) if given else None


def load(where, part="train"):
    """Images float32 [n, 28, 28, 1] in 0 … 1, labels int32 [n]; part: train or t10k.

    DataError says which file is missing or damaged.
    """
    images = _idx(where, f"{part}-images-idx3-ubyte").astype(np.float32)[..., None] / 255
    labels = _idx(where, f"{part}-labels-idx1-ubyte").astype(np.int32)
    if len(images) != len(labels):
        raise DataError(f"{where}: {part} has {len(images)} images and {len(labels)} labels.")
    return images, labels


def read(path):
    """The array of bytes of one IDX file, images or labels, gzipped or not."""
    data = path.read_bytes()
    return _parsed(_unzipped(data, path.name) if data[:2] == b"\x1f\x8b" else data, path.name)


def draw(where, count):
    """Write so many digits of digits.npz, three pixels for one, as MNIST's two training files."""
    with np.load(Path(__file__).with_name("digits.npz")) as digits:
        chosen = np.arange(count) % len(digits["labels"])
        small, labels = digits["images"][chosen], digits["labels"][chosen]
    large = np.pad(np.kron(small * 15, np.ones((1, 3, 3))), ((0, 0), (2, 2), (2, 2)))
    where.mkdir(parents=True, exist_ok=True)
    for name, values in (("train-images-idx3", large), ("train-labels-idx1", labels)):
        sizes = b"".join(size.to_bytes(4, "big") for size in values.shape)
        head = bytes([0, 0, 8, values.ndim]) + sizes
        data = gzip.compress(head + values.astype(np.uint8).tobytes())
        (where / f"{name}-ubyte.gz").write_bytes(data)


def _idx(where, name):
    return _parsed(_content(where, name), name)


def _parsed(data, name):
    """An array of bytes: two zeros, the type, the number of sizes, and the sizes come first."""
    if data[:3] != b"\0\0\x08":
        raise DataError(f"{name} is no IDX file of bytes: it begins with {data[:4]!r}.")
    sizes = [int.from_bytes(data[4 + 4 * k : 8 + 4 * k], "big") for k in range(data[3])]
    values = np.frombuffer(data, np.uint8)[4 + 4 * len(sizes) :]
    if len(values) < np.prod(sizes):
        raise DataError(f"{name} ends early, at {len(values):,} bytes of {np.prod(sizes):,}.")
    return values[: np.prod(sizes)].reshape(sizes)


def _content(where, name):
    """Of the file, gzipped or not; some unpack it with a dot in its name."""
    for folder in (where, where / "MNIST" / "raw"):
        for path in (folder / f"{name}.gz", folder / name, folder / name.replace("-idx", ".idx")):
            if path.is_file():
                data = path.read_bytes()
                return _unzipped(data, name) if path.suffix == ".gz" else data
    raise DataError(f"{name} is not in {where}, gzipped or not.")


def _unzipped(data, name):
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{name}.gz ends early or is damaged: {error}.") from None
