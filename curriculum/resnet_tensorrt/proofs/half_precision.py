"""What fp16 keeps of a network's numbers: eleven bits between 6e-8 and 65504."""

from __future__ import annotations

import numpy as np


def main() -> None:
    """Range, rounding, a small epsilon, and where sums must be wider."""
    half = np.finfo(np.float16)
    print(f"largest {half.max}, smallest normal {half.tiny:.1e}, step at 1 {half.eps:.1e}")
    assert float(half.max) == 65504
    with np.errstate(over="ignore"):
        assert np.isinf(np.float16(70000))
        squared = np.float16(300) * np.float16(300)
    print(f"300² in fp16: {squared}")
    assert np.isinf(squared), "a variance of large activations"

    assert np.float16(1e-8) == 0
    assert np.float16(1e-5) > 0
    print("an epsilon of 1e-8 is 0, so a division by a variance of 0 gives inf; 1e-5 survives")

    integers = np.arange(4096, dtype=np.float32)
    kept = integers.astype(np.float16).astype(np.float32)
    assert (kept[:2049] == integers[:2049]).all()
    assert kept[2049] != 2049
    print("integers are exact up to 2048: an index or a token id is not a number for fp16")

    ones = np.ones(10_000, np.float16)
    total = np.float16(0)
    for one in ones:
        total = np.float16(total + one)
    wide = ones.sum(dtype=np.float32)
    print(f"10,000 ones: summed in fp16 {total:g}, in fp32 {wide:g}")
    assert total == 2048
    assert wide == 10_000
    with np.errstate(over="ignore"):
        picture = np.float16(224 * 224 * 2.0)
    assert np.isinf(picture)
    print("a mean over 224 × 224 values of 2 overflows if the sum is kept in fp16")


if __name__ == "__main__":
    main()
