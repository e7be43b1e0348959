"""Prints how often answers of constant and of mixed speed earn a level, with simulated windows.

An answer that is fast in most windows and slow in the others has a median above a level and a total
below it. Two levels, 1.2 for half of the points and 1.3 for all; the total has to reach
TOTAL_TIME_MARGIN of a level. `--rule median` shows the rule in which the total had no interval,
`--rule late` the one without early looks.

The total's interval holds at its rate where slow windows are a third of all. Windows that are slow
more rarely (RARELY_SLOW) may all lie behind the first look, and no interval of what was not seen is
right. They gain nothing: whoever is fast in nearly all windows has the fast code. An early look
sees fewer of them, so it earns nobody points. JUST_SHORT are the mixtures that are overrated most
easily, with a total just below what a level asks for.

    python tests/benchmarks/level_strategies.py [--runs N] [--rule total|median|late]
"""

import argparse
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hotloop.core.intervals import Interval
from hotloop.judge.levels import TOTAL_TIME_MARGIN, Level, decided, earned
from hotloop.judge.statistics import EARLY_LOOKS, LOOKS, Estimate, estimate, spent

LEVELS = (Level(1.2, 0.5), Level(1.3, 1.0))

Rng = np.random.Generator
Noise = Callable[[Rng], list[float]]


def gaussian(share: float, burst_share: float = 0.0) -> Noise:
    """Return relative times of a block's two windows; a burst adds 15 % to a window's time."""

    def draw(rng: Rng) -> list[float]:
        bursts = 1 + 0.15 * (rng.random(2) < burst_share)
        return [float(each) for each in np.exp(rng.normal(0, share, 2)) * bursts]

    return draw


NOISES = {"1 %": gaussian(0.01), "3 %": gaussian(0.03), "3 % and bursts": gaussian(0.03, 0.05)}


@dataclass(frozen=True)
class Strategy:
    """A share of the windows, or of the blocks of two, is `fast` times as fast as the baseline.

    The others are `slow` times as fast.
    """

    name: str
    fast: float
    slow: float = 0.0
    share: float = 1.0
    by_block: bool = False

    @property
    def total(self) -> float:
        """The ratio of total times that many windows have."""
        return 1 / (self.share / self.fast + (1 - self.share) / (self.slow or self.fast))

    @property
    def due(self) -> float:
        """The share of the points that the ratio of total times allows."""
        return max(
            (at.earned for at in LEVELS if self.total >= TOTAL_TIME_MARGIN * at.ratio), default=0.0
        )

    def speeds(self, rng: Rng) -> list[float]:
        """Return the speeds of a block's two windows."""
        draws = [rng.random()] * 2 if self.by_block else [rng.random(), rng.random()]
        return [self.fast if each < self.share else self.slow for each in draws]


MIXED = (
    Strategy("65 % at 1.40, 35 % at 0.90", 1.40, 0.90, 0.65),
    Strategy("the same by blocks", 1.40, 0.90, 0.65, by_block=True),
    Strategy("70 % at 1.45, 30 % at 0.85", 1.45, 0.85, 0.70),
    Strategy("64 % at 1.45, 36 % at 0.85", 1.45, 0.85, 0.64),
    Strategy("the same by blocks", 1.45, 0.85, 0.64, by_block=True),
    Strategy("56 % at 1.45, 44 % at 0.85", 1.45, 0.85, 0.56),
)


def just_short(fast: float, slow: float = 0.9) -> Strategy:
    """Return blocks of two speeds, the total of which is 1 % below what all points ask for."""
    total = 0.99 * TOTAL_TIME_MARGIN * LEVELS[-1].ratio
    share = (1 / slow - 1 / total) / (1 / slow - 1 / fast)
    name = f"{share:.0%} at {fast:g}, {1 - share:.0%} at {slow:g}, by blocks"
    return Strategy(name, fast, slow, share, by_block=True)


JUST_SHORT = tuple(just_short(fast) for fast in (1.5, 1.7, 1.9, 2.5, 4.0, 20.0))
RARELY_SLOW = (Strategy("95 % at 1.25, 5 % at 0.40", 1.25, 0.40, 0.95),)
CONSTANT = tuple(
    Strategy(f"always {speed:g}", speed)
    for speed in (0.8, 1.1, 1.15, 1.18, 1.22, 1.25, 1.33, 1.36, 1.45, 1.7)
)


@dataclass(frozen=True)
class Tally:
    """Shares of the runs: earned more than is due, what is due, and left open; blocks of a run."""

    more: float
    due: float
    left_open: float
    blocks: float


def measure(strategy: Strategy, noise: Noise, runs: int, seed: int, rule: str = "total") -> Tally:
    """Judge a strategy `runs` times on a machine with this noise."""
    rng = np.random.default_rng(seed)
    results = [_judged(strategy, noise, rng, rule) for _ in range(runs)]
    return Tally(
        more=_share(got > strategy.due for got, _, _ in results),
        due=_share(got == strategy.due for got, _, _ in results),
        left_open=_share(not is_decided for _, is_decided, _ in results),
        blocks=statistics.fmean(blocks for _, _, blocks in results),
    )


def _share(cases: Iterable[bool]) -> float:
    return statistics.fmean(cases)


def _judged(strategy: Strategy, noise: Noise, rng: Rng, rule: str) -> tuple[float, bool, int]:
    a: list[list[float]] = []
    b: list[list[float]] = []
    figure: Estimate | None = None
    early = () if rule == "late" else EARLY_LOOKS
    looks = (*early, *LOOKS)
    for look, error in zip(looks, spent(looks), strict=True):
        while len(a) < look:
            a.append(noise(rng))
            pairs = zip(noise(rng), strategy.speeds(rng), strict=True)
            b.append([seconds / speed for seconds, speed in pairs])
        figure = estimate(a, b, rng, error=error)
        figure = replace(figure, early=look if look in early else 0)
        if rule == "median":
            point = figure.total_ratio * 0.97 / 0.95
            figure = replace(figure, total_interval=Interval(point, np.inf))
        if decided(LEVELS, figure):
            return earned(LEVELS, figure), True, len(a)
    assert figure is not None
    return earned(LEVELS, figure), False, len(a)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table of all strategies and noises."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--rule", choices=("total", "median", "late"), default="total")
    asked = parser.parse_args(arguments)
    print("strategy | total | noise | more than due | what is due | left open | blocks")
    for strategy in (*MIXED, *JUST_SHORT, *RARELY_SLOW, *CONSTANT):
        for name, noise in NOISES.items():
            found = measure(strategy, noise, asked.runs, 1, asked.rule)
            print(
                f"{strategy.name} | {strategy.total:.3f} | {name} | {found.more:.1%} | "
                f"{found.due:.1%} | {found.left_open:.1%} | {found.blocks:.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
