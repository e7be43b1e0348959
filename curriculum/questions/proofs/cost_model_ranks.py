"""A learned cost model: which error matters, what it saves, and what it cannot know."""

from __future__ import annotations

import numpy as np

Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
CACHE = 48 * 1024


def space(n: int) -> Array:
    """All schedules: tile of i, tile of j, width of vectors, unrolling."""
    powers = 2.0 ** np.arange(1, 9)
    grid = np.meshgrid(powers[powers <= n], powers[powers <= n], [1.0, 4, 8, 16], [1.0, 2, 4, 8])
    return np.stack([axis.ravel() for axis in grid], 1)


def true_time(schedules: Array, n: int, cache: int = CACHE, memory: float = 4) -> Array:
    """Supposed machine: arithmetic, traffic, a cliff where tiles leave the cache, few registers."""
    i, j, width, unroll = schedules.T
    lanes = np.minimum(width, j)
    compute = n**3 / lanes * (1 + 2 / unroll) * np.where(lanes * unroll > 64, 2.5, 1)
    kept = 4 * (i * j + n * (i + j) / 8)
    traffic = memory * n**3 * (1 / i + 1 / j) * np.where(kept > cache, 3, 1)
    return np.maximum(compute, traffic) + 0.2 * np.minimum(compute, traffic)


# --8<-- [start:model]
class Stumps:
    """Boosted trees of one split, on the logarithm of the time."""

    def __init__(self, x: Array, y: Array, rounds: int = 120) -> None:
        self.base = float(y.mean())
        self.splits: list[tuple[int, float, float, float]] = []
        left = y - self.base
        for _ in range(rounds):
            column, at, low, high = min(
                (
                    self._split(x[:, c], left, c, at)
                    for c in range(x.shape[1])
                    for at in np.unique(x[:, c])[:-1]
                ),
                key=lambda found: found[1],
            )[0]
            self.splits.append((column, at, low, high))
            left = left - 0.3 * np.where(x[:, column] <= at, low, high)

    @staticmethod
    def _split(
        column: Array, left: Array, index: int, at: float
    ) -> tuple[tuple[int, float, float, float], float]:
        below = column <= at
        low, high = float(left[below].mean()), float(left[~below].mean())
        rest = float(((left - np.where(below, low, high)) ** 2).sum())
        return (index, at, low, high), rest

    def __call__(self, x: Array) -> Array:
        """The predicted logarithm."""
        found = np.full(len(x), self.base)
        for column, at, low, high in self.splits:
            found += 0.3 * np.where(x[:, column] <= at, low, high)
        return found


# --8<-- [end:model]


def features(schedules: Array, n: int) -> Array:
    """What a compiler can count without running: logarithms of sizes, of bytes, of lanes."""
    i, j, width, unroll = schedules.T
    kept = 4 * (i * j + n * (i + j) / 8)
    return np.log2(
        np.stack([i, j, width, unroll, kept, 1 / i + 1 / j, np.minimum(width, j) * unroll], 1)
    )


def rank_agreement(a: Array, b: Array) -> float:
    """Spearman's: the correlation of ranks."""
    ranks = [np.argsort(np.argsort(values)).astype(float) for values in (a, b)]
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def search(n: int, budget: int, seed: int, learn: bool) -> float:
    """Best true time found with `budget` noisy measurements, over the best there is."""
    rng = np.random.default_rng(seed)
    schedules, truth = space(n), true_time(space(n), n)
    order = rng.permutation(len(schedules))
    tried = list(order[: budget // 2] if learn else order[:budget])
    measured = truth * rng.lognormal(0, 0.05, len(truth))
    if learn:
        model = Stumps(features(schedules[tried], n), np.log(measured[tried]), 60)
        ranked = np.argsort(model(features(schedules, n)))
        tried += [index for index in ranked if index not in set(tried)][: budget - len(tried)]
    chosen = min(tried, key=lambda index: measured[index])
    return float(truth[chosen] / truth.min())


def main() -> None:
    """Print what the model is worth."""
    n = 256
    schedules = space(n)
    truth = true_time(schedules, n)
    rng = np.random.default_rng(0)
    seen = rng.choice(len(schedules), 64, replace=False)
    measured = truth * rng.lognormal(0, 0.05, len(truth))
    model = Stumps(features(schedules[seen], n), np.log(measured[seen]))
    predicted = model(features(schedules, n))
    print(
        f"{len(schedules):,} schedules, 64 measured: rank agreement "
        f"{rank_agreement(predicted, truth):.2f}"
    )
    scaled = 10 * np.exp(predicted)
    off = np.median(np.abs(scaled / truth - 1))
    print(
        f"all predictions times ten: off by {off:.0%}, rank agreement "
        f"{rank_agreement(scaled, truth):.2f}"
    )
    assert rank_agreement(scaled, truth) == rank_agreement(predicted, truth) > 0.8
    top = np.argsort(predicted)[:8]
    first, of_eight = truth[top[0]] / truth.min(), truth[top].min() / truth.min()
    print(
        f"its first choice takes {first:.2f} times the best, the best of its first eight "
        f"{of_eight:.2f}"
    )
    assert of_eight <= first

    runs = range(20)
    blind, guided = (np.mean([search(n, 32, s, learn) for s in runs]) for learn in (False, True))
    print(
        f"32 measurements, mean of {len(runs)} searches: at random {blind:.1f}, guided {guided:.1f}"
    )
    assert guided < blind

    elsewhere = true_time(schedules, n, cache=8 * 1024, memory=16)
    moved = rank_agreement(predicted, elsewhere)
    choice = elsewhere[top[0]] / elsewhere.min()
    print(
        f"on a machine with less cache and bandwidth: rank agreement {moved:.2f}, first choice "
        f"{choice:.2f}"
    )
    assert moved < rank_agreement(predicted, truth)
    assert choice > first
    claim = float(np.mean(rng.lognormal(0, 0.05, (2000, 40)).min(1)))
    print(
        f"40 equally good schedules, 5 % of noise: the best one seems {1 - claim:.0%} faster "
        f"than it is"
    )
    assert claim < 0.92


if __name__ == "__main__":
    main()
