"""“30 % faster”: what it can mean, what a part's gain does to the whole, and how noise fakes it."""

from __future__ import annotations

import numpy as np


# --8<-- [start:whole]
def whole(share: float, gain: float) -> float:
    """How many times faster everything gets if a part with this share of the time does."""
    return 1 / (1 - share + share / gain)
    # --8<-- [end:whole]


def main() -> None:
    """Print gains."""
    print(f"30 % less time is {1 / 0.7:.2f} times as fast; 30 % more throughput is 1.30 times, "
          f"{1 - 1 / 1.3:.0%} less time")  # fmt: skip
    for share, gain in ((0.15, 5.0), (0.4, 5.0), (0.4, 1e9)):
        said = "without end" if gain > 1e6 else f"{gain:.0f} times"
        print(
            f"{share:.0%} of the time gets {said} faster: the whole {whole(share, gain):.2f} times"
        )
    assert round(whole(0.15, 5.0), 2) == 1.14
    rng = np.random.default_rng(1)
    fooled = 0
    for _ in range(2000):
        # Both are the same program; a run is up to some tens of percent late, as on a busy machine.
        before, after = (1.0 + rng.gamma(0.6, 0.25, 2) for _ in range(2))
        fooled += before.mean() / after.mean() > 1.1
    print(
        f"the same program twice, mean of two runs each: in {fooled / 2000:.0%} of trials "
        "“10 % faster” or more"
    )
    assert fooled > 200
    wide = []
    for _ in range(500):
        a, b = (1.0 + rng.gamma(0.6, 0.25, 40) for _ in range(2))
        draws = rng.integers(0, 40, (2, 200, 40))
        ratios = np.median(a[draws[0]], 1) / np.median(b[draws[1]], 1)
        wide.append(np.quantile(ratios, 0.025) > 1.1)
    print(f"40 runs each in turn, medians, 95 % interval above 1.1: {np.mean(wide):.1%}")
    assert np.mean(wide) < 0.02


if __name__ == "__main__":
    main()
