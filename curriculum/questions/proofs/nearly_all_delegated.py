"""Fifteen operators of twenty on the accelerator, and slower: parts, borders, what to leave."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby, product


@dataclass(frozen=True)
class Op:
    """Supposed microseconds on each side; None: the accelerator does not know it."""

    cpu: float
    accelerator: float | None
    kilobytes: float = 800


BORDER_US, COPY_GB_S = 120.0, 8.0
"""Supposed: starting a partition, and the copy of a tensor into it or out of it."""
CROSSING = BORDER_US / 2


# --8<-- [start:cost]
def time_us(net: list[Op], places: tuple[bool, ...]) -> float:
    """One operator after the other; each change of side copies a tensor and costs a call."""
    total = 0.0
    here = False
    for op, there in zip(net, places, strict=True):
        if there != here:
            total += CROSSING + op.kilobytes / COPY_GB_S
        total += op.accelerator if there and op.accelerator is not None else op.cpu
        here = there
    if here:
        total += CROSSING + net[-1].kilobytes / COPY_GB_S
    return total


def best(net: list[Op]) -> tuple[float, tuple[bool, ...]]:
    """Dynamic programming over the side that the last operator was on."""
    ways: dict[bool, tuple[float, tuple[bool, ...]]] = {False: (0.0, ())}
    for op in net:
        fresh: dict[bool, tuple[float, tuple[bool, ...]]] = {}
        for here, (spent, places) in ways.items():
            for there in (False, True):
                if there and op.accelerator is None:
                    continue
                cross = CROSSING + op.kilobytes / COPY_GB_S if there != here else 0.0
                cost = (
                    spent
                    + cross
                    + (op.accelerator if there and op.accelerator is not None else op.cpu)
                )
                if there not in fresh or cost < fresh[there][0]:
                    fresh[there] = (cost, (*places, there))
        ways = fresh
    ended = [
        (spent + (CROSSING + net[-1].kilobytes / COPY_GB_S if here else 0.0), places)
        for here, (spent, places) in ways.items()
    ]
    return min(ended)


# --8<-- [end:cost]


def partitions(places: tuple[bool, ...]) -> int:
    """Runs on the accelerator."""
    return sum(there for there, _ in groupby(places))


def main() -> None:
    """Two nets with the same share of operators."""
    known, unknown = Op(100, 25), Op(60, None)
    scattered = [known, known, unknown, known] * 5
    together = [known] * 15 + [unknown] * 5
    for name, net in (("scattered", scattered), ("at the end", together)):
        greedy = tuple(op.accelerator is not None for op in net)
        host = time_us(net, (False,) * len(net))
        print(
            f"unknown operators {name:10}: {sum(greedy)} of {len(net)} delegated in "
            f"{partitions(greedy)} parts, {time_us(net, greedy):,.0f} µs; all on the CPU "
            f"{host:,.0f}"
        )
    greedy = tuple(op.accelerator is not None for op in scattered)
    assert time_us(scattered, greedy) > time_us(scattered, (False,) * 20)
    assert partitions(greedy) == 6
    greedy = tuple(op.accelerator is not None for op in together)
    assert time_us(together, greedy) < 0.65 * time_us(together, (False,) * 20)

    mixed = [known] * 6 + [unknown, known, unknown] + [known] * 6
    greedy = tuple(op.accelerator is not None for op in mixed)
    spent, places = best(mixed)
    print(
        f"one known operator between two unknown ones: greedy {time_us(mixed, greedy):,.0f} µs, "
        f"left on the CPU {spent:,.0f}"
    )
    assert not places[7]
    assert spent < time_us(mixed, greedy)
    assert spent == min(
        time_us(mixed, way)
        for way in product((False, True), repeat=len(mixed))
        if not any(there and op.accelerator is None for there, op in zip(way, mixed, strict=True))
    )
    crossing = 2 * (CROSSING + 800 / COPY_GB_S)
    print(
        f"a part pays for its two borders of {crossing:.0f} µs with {crossing / 75:.1f} such "
        f"operators"
    )
    assert round(crossing) == 320


if __name__ == "__main__":
    main()
