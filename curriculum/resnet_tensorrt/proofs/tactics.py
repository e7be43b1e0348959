"""How a builder that measures chooses: workspace, noise, and what a timing cache remembers.

A model of TensorRT's builder with supposed costs, since TensorRT was not measured here: for each
layer it times the implementations that it has, its tactics, and takes the fastest it may use.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

LAYERS, MEGABYTE = 20, 2**20


@dataclass(frozen=True)
class Tactic:
    """One implementation of a layer, with its true time and the scratch memory that it needs."""

    name: str
    microseconds: float
    workspace: int


TACTICS = (
    Tactic("direct", 120.0, 0),
    Tactic("implicit gemm", 81.0, 8 * MEGABYTE),
    Tactic("implicit gemm, other tiles", 80.0, 8 * MEGABYTE),
    Tactic("winograd", 55.0, 96 * MEGABYTE),
)


@dataclass
class Builder:
    """Measures with noise; `cache` maps a layer's description to the times that were seen."""

    workspace: int
    noise: float
    generator: np.random.Generator
    cache: dict[str, dict[str, float]] = field(default_factory=dict)
    measured: int = 0

    # --8<-- [start:choose]
    def choose(self, layer: str) -> Tactic:
        """The fastest by its own measurement, of those whose workspace is allowed."""
        allowed = [tactic for tactic in TACTICS if tactic.workspace <= self.workspace]
        times = self.cache.setdefault(layer, {})
        for tactic in allowed:
            if tactic.name not in times:
                times[tactic.name] = self.timed(tactic)
        return min(allowed, key=lambda tactic: times[tactic.name])

    # --8<-- [end:choose]

    def timed(self, tactic: Tactic) -> float:
        """One measurement."""
        self.measured += 1
        return tactic.microseconds * float(self.generator.normal(1, self.noise))


def engine(builder: Builder, kinds: int = LAYERS) -> tuple[float, tuple[str, ...]]:
    """Microseconds of all layers together, and the tactics that were chosen."""
    chosen = [builder.choose(f"layer of kind {index % kinds}") for index in range(LAYERS)]
    return sum(tactic.microseconds for tactic in chosen), tuple(tactic.name for tactic in chosen)


def main() -> None:
    """Build with little and with much workspace, twice, with and without a cache."""
    for megabytes in (0, 16, 256):
        builder = Builder(megabytes * MEGABYTE, 0.0, np.random.default_rng(0))
        time, _ = engine(builder)
        print(f"workspace {megabytes:3} MiB: {time:6.0f} µs, {builder.measured} tactics timed")
    assert engine(Builder(0, 0.0, np.random.default_rng(0)))[0] == 20 * 120
    assert engine(Builder(256 * MEGABYTE, 0.0, np.random.default_rng(0)))[0] == 20 * 55

    small = 16 * MEGABYTE
    builds = [engine(Builder(small, 0.02, np.random.default_rng(seed))) for seed in range(2)]
    differing = sum(one != other for one, other in zip(builds[0][1], builds[1][1], strict=True))
    print(f"two builds with 2 % noise: {differing} of {LAYERS} layers differ, ", end="")
    print(f"{builds[0][0]:.0f} and {builds[1][0]:.0f} µs")
    assert differing > 3
    assert abs(builds[0][0] / builds[1][0] - 1) < 0.02, "as fast, and not the same sums"

    first = Builder(small, 0.02, np.random.default_rng(0))
    _, chosen = engine(first)
    second = Builder(small, 0.02, np.random.default_rng(1), cache=first.cache)
    assert engine(second)[1] == chosen
    print(f"with the first build's timing cache: the same tactics, {second.measured} timed")
    assert second.measured == 0

    alike = Builder(small, 0.0, np.random.default_rng(0))
    engine(alike, kinds=4)
    print(f"{LAYERS} layers of 4 kinds: {alike.measured} tactics timed, shared by equal layers")
    assert alike.measured == 4 * 3

    # A cache that was filled while something else ran on the device. It is believed all the same.
    loaded = {f"layer of kind {index}": {"winograd": 200.0} for index in range(LAYERS)}
    poisoned = Builder(256 * MEGABYTE, 0.0, np.random.default_rng(0), cache=loaded)
    time, _ = engine(poisoned)
    print(f"a cache with one bad measurement per layer: {time:.0f} µs instead of {20 * 55}")
    assert time == 20 * 80


if __name__ == "__main__":
    main()
