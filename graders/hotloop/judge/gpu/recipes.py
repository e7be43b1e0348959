"""Recipes for the inputs of a timed call on a GPU. Plain data: the judge generates on the device.

Each draw has its own seed, so that the judge can generate one call's inputs again after the window
and compare with those, even if the worker changed the originals.
"""

from dataclasses import dataclass
from typing import Literal

Twist = Literal["plain", "large", "minus_infinity", "equal_rows", "spikes", "ramp"]
"""Structure that a normal draw is given.

plain: none.
large: 64 times the scale.
minus_infinity: a tenth of the elements is −∞, never a whole row.
equal_rows: each row repeats one value.
spikes: zeros and one large value per row.
ramp: rising rows."""

HOSTILE: tuple[Twist, ...] = ("large", "minus_infinity", "equal_rows", "spikes", "ramp")


@dataclass(frozen=True)
class Normal:
    """Normally distributed numbers with standard deviation `scale`.

    rows: number of randomly chosen rows with the twist, which a sample of the other rows does not
        reveal. 0: all rows.
    """

    scale: float = 1.0
    twist: Twist = "plain"
    rows: int = 0


@dataclass(frozen=True)
class Keep:
    """A mask. Each element is true with probability `share`.

    A share `empty_rows` of the rows is all false.
    """

    share: float = 0.8
    empty_rows: float = 0.0


@dataclass(frozen=True)
class Whole:
    """Multiples of step: 0, step, 2 · step … (below - 1) · step, uniformly distributed.

    One (below, step) for all elements, or one per column. first: added to each of them.
    """

    columns: tuple[tuple[int, float], ...]
    first: float = 0


@dataclass(frozen=True)
class Cuts:
    """Where parts of `rows` rows begin, and their end: 0, rising numbers, rows. Some are equal."""

    rows: int


Draw = Normal | Keep | Whole | Cuts
