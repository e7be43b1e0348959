"""Makes exercises/xla_vs_eager/digits.npz from scikit-learn's copy of the digits.

    pip download --no-deps scikit-learn
    python curriculum/xla_vs_eager/recordings/make_digits.py scikit_learn-*.whl

The data: E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine
Learning Repository, 1998, https://doi.org/10.24432/C50P49, under CC BY 4.0. scikit-learn carries
its test part: 1797 pictures of 8×8 pixels in 0 … 16. They are stored here as bytes, unchanged.
"""

from __future__ import annotations

import gzip
import sys
import zipfile
from pathlib import Path

import numpy as np

from hotloop.core import paths

INSIDE = "sklearn/datasets/data/digits.csv.gz"


def main(wheel: str) -> None:
    """Read the table out of the wheel, and write it as two arrays."""
    with zipfile.ZipFile(wheel) as archive:
        lines = gzip.decompress(archive.read(INSIDE)).decode().splitlines()
    table = np.loadtxt(lines, delimiter=",").astype(np.uint8)
    target: Path = paths.exercises() / "xla_vs_eager" / "digits.npz"
    np.savez_compressed(target, images=table[:, :-1].reshape(-1, 8, 8), labels=table[:, -1])
    print(f"{target.name}: {len(table)} pictures, {target.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1])
