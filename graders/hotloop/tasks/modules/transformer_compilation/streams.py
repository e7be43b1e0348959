"""Costs of compiled programs, streams of calls, and the best fixed set of programs in hindsight.

A call has a length. There are three ways to run it: eagerly; with a program for one size, to which
shorter inputs are padded; or with a program for every length. A program is compiled when it is
first needed. A restart removes programs from the process but not from disk, so they are loaded
instead of compiled.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Rng = np.random.Generator
Lengths = list[int]
ProgramSize = int
"""The size that the program is for; EVERY for the program that takes any length."""

EVERY: ProgramSize = 0
LONGEST = 512
MANY = 25
"""Calls in a stream of `mixed_calls`, as a multiple of a one-size program's break-even."""
SIZES = (128, 256, 384)
"""Lower bounds of three ranges of sizes, each 64 wide."""


@dataclass(frozen=True)
class Line:
    """Seconds of a call: a fixed part plus a part per position."""

    fixed_s: float
    each_s: float

    def seconds(self, length: int) -> float:
        """Return the seconds of a call of this length."""
        return self.fixed_s + self.each_s * length


@dataclass(frozen=True)
class Prices:
    """The costs of each way. most_static: how many one-size programs may be loaded at once."""

    eager: Line
    static: Line
    dynamic: Line
    compile_static_s: float
    compile_dynamic_s: float
    load_s: float
    most_static: int

    def compile_s(self, program: ProgramSize) -> float:
        """Return the seconds of the program's first compilation."""
        return self.compile_dynamic_s if program == EVERY else self.compile_static_s

    def run_s(self, program: ProgramSize, length: int) -> float:
        """Return the seconds of a call with a loaded program."""
        return self.dynamic.seconds(length) if program == EVERY else self.static.seconds(program)

    def plain(self) -> dict[str, object]:
        """Return the prices as plain data, as the candidate gets them."""
        return {
            "eager": [self.eager.fixed_s, self.eager.each_s],
            "static": [self.static.fixed_s, self.static.each_s],
            "dynamic": [self.dynamic.fixed_s, self.dynamic.each_s],
            "compile_static_s": self.compile_static_s,
            "compile_dynamic_s": self.compile_dynamic_s,
            "load_s": self.load_s,
            "most_static": self.most_static,
            "longest": LONGEST,
        }


@dataclass(frozen=True)
class Stream:
    """A stream of calls. lives: for each process in turn, the lengths of its calls."""

    label: str
    prices: Prices
    lives: tuple[Lengths, ...]


class SimulatedProcess:
    """A simulated process: its loaded programs, the compiled programs on disk, and its seconds."""

    def __init__(self, prices: Prices) -> None:
        self.prices = prices
        self.alive: list[ProgramSize] = []
        self.compiled: set[ProgramSize] = set()
        self.seconds = 0.0
        self.refused = 0

    def restart(self) -> None:
        """Drop the loaded programs; compiled programs stay on disk."""
        self.alive = []

    def eager(self, length: int) -> None:
        """Run a call eagerly."""
        self.seconds += self.prices.eager.seconds(length)

    def run(self, program: ProgramSize, length: int) -> None:
        """Run a call with a program, compiled or loaded if needed.

        Runs eagerly instead if the program would be one one-size program too many.
        """
        if program not in self.alive:
            static = sum(loaded != EVERY for loaded in self.alive)
            if program != EVERY and static >= self.prices.most_static:
                self.refused += 1
                self.eager(length)
                return
            known = program in self.compiled
            self.seconds += self.prices.load_s if known else self.prices.compile_s(program)
            self.alive.append(program)
            self.compiled.add(program)
        self.seconds += self.prices.run_s(program, length)


def best_fixed(stream: Stream) -> float:
    """Return the seconds of the best set of programs, compiled once, later loaded."""
    lengths, counts = np.unique(np.concatenate(stream.lives), return_counts=True)
    lives, prices = len(stream.lives), stream.prices
    reload_s = (lives - 1) * prices.load_s
    eager = np.array([prices.eager.seconds(int(n)) for n in lengths])
    dynamic = np.array([prices.dynamic.seconds(int(n)) for n in lengths])
    each = prices.compile_static_s + reload_s
    without = _best_static(lengths, counts, eager, prices, each)
    fallback = np.minimum(eager, dynamic)
    beside = _best_static(lengths, counts, fallback, prices, each)
    return min(without, beside + prices.compile_dynamic_s + reload_s)


def _best_static(
    lengths: NDArray[np.int64],
    counts: NDArray[np.int64],
    otherwise: NDArray[np.float64],
    prices: Prices,
    each_s: float,
) -> float:
    """Return the seconds with the best sizes; other lengths cost `otherwise`.

    each_s: seconds to compile and reload one program.
    """
    number = len(lengths)
    served = np.array([prices.static.seconds(int(size)) for size in lengths])
    # spent[first, size]: cost of the lengths from index `first` to `size` with only the program for
    # the latter.
    spent = np.full((number + 1, number), np.inf)
    for size in range(number):
        costs = counts[: size + 1] * np.minimum(served[size], otherwise[: size + 1])
        spent[: size + 1, size] = np.cumsum(costs[::-1])[::-1] + each_s
    rest = np.concatenate([np.cumsum((counts * otherwise)[::-1])[::-1], [0.0]])
    best = float(rest[0])
    reached = np.full(number + 1, np.inf)
    reached[0] = 0.0
    for _ in range(prices.most_static):
        further = np.full(number + 1, np.inf)
        further[1:] = (reached[:number, None] + spent[:number]).min(axis=0)
        best = min(best, float((further + rest).min()))
        reached = further
    return best


def few_calls(rng: Rng) -> Iterator[Stream]:
    """Yield streams too short to compile for, and streams where one length pays."""
    prices = _prices(rng)
    even = prices.compile_static_s / (prices.eager.seconds(256) - prices.static.seconds(256))
    yield Stream("Few calls of many lengths", prices, (_spread(rng, int(even / 6) + 2),))
    length = int(rng.integers(100, 400))
    yield Stream("A few calls of one length", prices, ([length] * (int(even / 3) + 1),))
    # The one-size program is far faster than the dynamic one; without it, the stream takes too
    # long.
    fast = replace(prices, static=replace(prices.static, each_s=0.15 * prices.eager.each_s))
    yield Stream("One length forever", fast, ([length] * int(16 * even),))
    again = tuple([length] * int(2 * even) for _ in range(6))
    yield Stream("One length, and restarts", prices, again)


def mixed_calls(rng: Rng) -> Iterator[Stream]:
    """Yield streams like those of a service."""
    prices = _prices(rng)
    even = prices.compile_static_s / (prices.eager.seconds(256) - prices.static.seconds(256))
    many = int(MANY * even)
    yield Stream("Many calls of many lengths", prices, (_spread(rng, many),))
    heavy = int(rng.integers(100, 300))
    tail = _spread(rng, many)
    mostly = [heavy if rng.random() < 0.85 else n for n in tail]
    yield Stream("One length mostly, and a few of all", prices, (mostly,))
    # A small, a medium and a large size: sharing a program needs much padding.
    tops = [int(rng.integers(low, low + 64)) for low in SIZES]
    near = [int(t - rng.integers(0, 9)) for t in rng.choice(tops, many)]
    yield Stream("Lengths just below three sizes", prices, (near,))
    turned = [tops[0]] * (many // 3) + [tops[1]] * (many // 3) + _spread(rng, many // 3)
    yield Stream("Lengths that change with the day", prices, (turned,))
    lives = tuple(_spread(rng, many // 3) for _ in range(4))
    yield Stream("Many lengths, and restarts", prices, lives)


def _spread(rng: Rng, count: int) -> Lengths:
    return [int(n) for n in np.clip(rng.exponential(120, count) + 16, 16, LONGEST)]


def _prices(rng: Rng) -> Prices:
    """Sample prices for which every way is the best one for some stream."""
    fixed, each = float(rng.uniform(10e-3, 14e-3)), float(rng.uniform(3e-5, 5e-5))
    static = float(rng.uniform(0.35, 0.6))
    return Prices(
        eager=Line(fixed, each),
        static=Line(1e-3, 0.55 * each),
        dynamic=Line(2.5e-3, 0.8 * each),
        compile_static_s=static,
        compile_dynamic_s=1.8 * static,
        load_s=0.12 * static,
        most_static=int(rng.integers(4, 9)),
    )
