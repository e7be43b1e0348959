"""What a cost model has to be good at: the order at the top, not the mean error."""

from __future__ import annotations

import numpy as np


# --8<-- [start:regret]
def regret(times: np.ndarray, guessed: np.ndarray) -> float:
    """How much longer what the model chooses takes than the best."""
    return float(times[np.argmin(guessed)] / times.min())
    # --8<-- [end:regret]


def product(tile: np.ndarray, length: float) -> np.ndarray:
    """Seconds of a made-up loop: small tiles read too much, large ones leave the cache."""
    return length * (1 / tile + 0.02 + np.where(tile > 64, 0.3, 0.0))


def main() -> None:
    """Print errors and regrets."""
    rng = np.random.default_rng(1)
    times = np.exp(rng.normal(0.0, 1.2, 2000)) + 0.2
    doubled, noisy_top = 2 * times, times.copy()
    top = np.argsort(times)[:200]
    noisy_top[top] = rng.permutation(times[top])
    for name, guessed in (
        ("every time doubled", doubled),
        ("exact, except for the order of the best tenth", noisy_top),
    ):
        error = float(np.abs(guessed / times - 1).mean())
        print(f"{name}: mean error {error:.0%}, regret {regret(times, guessed):.2f}")
    assert regret(times, doubled) == 1.0
    assert regret(times, noisy_top) > 1.02
    tile = np.array([4, 8, 16, 32, 64, 128, 256.0])
    exact = product(tile, 1.0)
    straight = np.polyval(np.polyfit(tile, exact, 1), tile)
    both = np.stack([np.ones(7), 1 / tile, tile > 64], axis=1).astype(float)
    felt = both @ np.linalg.lstsq(both, exact, rcond=None)[0]
    print(
        f"features: the raw tile, regret {regret(exact, straight):.2f}; "
        f"bytes in cache, {regret(exact, felt):.2f}"
    )
    assert regret(exact, straight) > 1.5
    assert regret(exact, felt) < 1.001
    picked = [min(rng.choice(times, 64, replace=False)) / times.min() for _ in range(300)]
    print(
        f"64 of 2000 measured at random: their best takes {np.mean(picked):.2f} times the optimum"
    )
    assert np.mean(picked) > 1.1


if __name__ == "__main__":
    main()
