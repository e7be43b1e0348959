"""multiply then add rounds twice, a fused multiply-add once: equal bits are the wrong thing to ask.

A float32 product is exact in float64, so float64 arithmetic rounded once stands for the fused one.
"""

from __future__ import annotations

import numpy as np

FLOAT = np.float32


# --8<-- [start:both]
def apart(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Two roundings."""
    return a * b + c


def fused(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """One rounding, but for the rare case in which float64 has rounded the sum already."""
    return (a.astype(np.float64) * b + c).astype(FLOAT)
    # --8<-- [end:both]


def main() -> None:
    """Print how often, how much, and where it hurts."""
    rng = np.random.default_rng(1)
    a, b, c = (rng.standard_normal(1_000_000).astype(FLOAT) for _ in "abc")
    one, two = fused(a, b, c), apart(a, b, c)
    exact = a.astype(np.float64) * b + c
    differ = one != two
    print(f"{differ.mean():.0%} of a million results differ")
    assert 0.1 < differ.mean() < 0.6
    errors = [np.abs(x - exact).mean() for x in (two, one)]
    print(f"mean error: two roundings {errors[0]:.1e}, one {errors[1]:.1e}")
    assert errors[1] < errors[0]
    # Where the sum cancels, what is left is the rounding of the product, and fused finds it.
    x = FLOAT(1 + 2**-12)
    square = x * x
    left = fused(np.array([x]), np.array([x]), np.array([-square]))[0]
    print(f"x * x - fl(x * x): apart {apart(x, x, -square):g}, fused {left:g}")
    assert apart(x, x, -square) == 0
    assert left == FLOAT(2**-24)
    # So a relative tolerance on the result alone fails a right pass; scale by the operands.
    scale = np.abs(a * b) + np.abs(c)
    unit = np.finfo(FLOAT).eps / 2
    worst_result = float((np.abs(one - two)[two != 0] / np.abs(two[two != 0])).max())
    worst_scaled = float((np.abs(one - two) / (scale * unit)).max())
    print(f"worst difference over the result: {worst_result:.0e}; over |ab| + |c|: "
          f"{worst_scaled:.1f} units of rounding")  # fmt: skip
    assert worst_result > 1e-3
    assert worst_scaled < 2.5


if __name__ == "__main__":
    main()
