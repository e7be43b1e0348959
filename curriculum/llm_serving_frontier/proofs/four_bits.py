"""Four bits by channel and by token, for keys with a large channel and for values without one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
TOKENS, DIM, GROUP = 1024, 64, 32


def rounded(x: Floats, axis: int) -> Floats:
    """The numbers that four bits for each group along an axis stand for."""
    low, high = x.min(axis, keepdims=True), x.max(axis, keepdims=True)
    step = (high - low) / 15
    return low + step * np.rint((x - low) / step)


def error(x: Floats, *, by_channel: bool) -> float:
    """Mean error over the mean size, without the large channels."""
    shape = (TOKENS // GROUP, GROUP, DIM) if by_channel else (TOKENS, DIM // GROUP, GROUP)
    grouped = x.reshape(shape)
    found = rounded(grouped, 1 if by_channel else 2).reshape(x.shape)
    usual = np.abs(x).mean(0) < 5
    return float(np.abs(found - x)[:, usual].mean() / np.abs(x)[:, usual].mean())


def main() -> None:
    """Print the errors, and the bits of a number."""
    rng = np.random.default_rng(0)
    values = rng.standard_normal((TOKENS, DIM))
    keys = rng.standard_normal((TOKENS, DIM))
    keys[:, [5, 40]] += 15
    for name, x in (("keys", keys), ("values", values)):
        by_channel, by_token = error(x, by_channel=True), error(x, by_channel=False)
        print(f"{name:6} by channel: off by {by_channel:.1%}, by token: off by {by_token:.1%}")
    assert error(keys, by_channel=False) > 3 * error(keys, by_channel=True)
    print(f"groups of {GROUP}: {4 + 2 * 16 / GROUP:g} bits a number, of 128: {4 + 2 * 16 / 128:g}")


if __name__ == "__main__":
    main()
