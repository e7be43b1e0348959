"""School algebra, tried on every one of the 65,536 numbers of sixteen bits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Half = np.ndarray[tuple[int], np.dtype[np.float16]]
ZERO, ONE, TWO, THREE = (np.float16(value) for value in (0, 1, 2, 3))

RULES: dict[str, tuple[Callable[[Half], Half], Callable[[Half], Half]]] = {
    "x * 1 -> x": (lambda x: x * ONE, lambda x: x),
    "x - 0 -> x": (lambda x: x - ZERO, lambda x: x),
    "x + 0 -> x": (lambda x: x + ZERO, lambda x: x),
    "x * 2 -> x + x": (lambda x: x * TWO, lambda x: x + x),
    "x / 2 -> x * 0.5": (lambda x: x / TWO, lambda x: x * np.float16(0.5)),
    "0 - x -> -x": (lambda x: ZERO - x, lambda x: -x),
    "x / 3 -> x * (1/3)": (lambda x: x / THREE, lambda x: x * (ONE / THREE)),
    "x * 0 -> 0": (lambda x: x * ZERO, np.zeros_like),
    "x - x -> 0": (lambda x: x - x, np.zeros_like),
    "x / x -> 1": (lambda x: x / x, np.ones_like),
    "x * 2 / 2 -> x": (lambda x: x * TWO / TWO, lambda x: x),
    "x + 1 - 1 -> x": (lambda x: x + ONE - ONE, lambda x: x),
    "sqrt(x) * sqrt(x) -> x": (lambda x: np.sqrt(x) * np.sqrt(x), lambda x: x),
    "max(x, 0) -> x > 0 ? x : 0": (
        lambda x: np.maximum(x, ZERO),
        lambda x: np.where(x > ZERO, x, ZERO),
    ),
}


# --8<-- [start:compare]
def differ(left: Half, right: Half) -> np.ndarray:
    """Where the bits differ; all NaN count as one, and -0 is not +0."""
    both_nan = np.isnan(left) & np.isnan(right)
    return (left.view(np.uint16) != right.view(np.uint16)) & ~both_nan
    # --8<-- [end:compare]


def kind(x: np.float16) -> str:
    """The class of a number that breaks a rule."""
    if np.isnan(x):
        return "NaN"
    if np.isinf(x):
        return "infinity"
    if x == 0:
        return "-0" if np.signbit(x) else "+0"
    return "finite"


def main() -> None:
    """Print how many numbers break each rule, and of which kind they are."""
    x = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    broken: dict[str, int] = {}
    with np.errstate(all="ignore"):
        for rule, (before, after) in RULES.items():
            where = differ(before(x), after(x).astype(np.float16))
            broken[rule] = int(where.sum())
            kinds = sorted({kind(value) for value in x[where]})
            print(f"{rule:27} wrong for {broken[rule]:6,} {', '.join(kinds)}")
    for rule in ("x * 1 -> x", "x - 0 -> x", "x * 2 -> x + x", "x / 2 -> x * 0.5"):
        assert broken[rule] == 0
    assert broken["x + 0 -> x"] == 1, "-0 alone: -0 + 0 is +0"
    assert broken["0 - x -> -x"] == 1, "+0 alone"
    assert broken["x * 0 -> 0"] > 30_000, "every negative number gives -0"
    assert broken["x / x -> 1"] == broken["x - x -> 0"] + 2, "NaN, infinities, and the zeros"
    assert broken["x / 3 -> x * (1/3)"] > 10_000
    whole = np.arange(-128, 128).astype(np.int8)
    halved = (whole * np.int8(2)) // np.int8(2)
    print(f"int8 that wraps, x * 2 / 2 -> x: wrong for {np.count_nonzero(halved != whole)} of 256")
    assert whole[halved == whole].tolist() == list(range(-64, 64))


if __name__ == "__main__":
    main()
