"""What the inputs of a timed call on a GPU are made of. Plain data: the judge draws on the device.

Each draw has a seed of its own, so that the judge can make one call's inputs again after the
window and compare with those, whatever happened to the ones that the worker saw.
"""

from dataclasses import dataclass
from typing import Literal

Twist = Literal["plain", "large", "minus_infinity", "equal_rows", "spikes", "ramp"]
"""Structure that a normal draw is given.

plain: none. large: 64 times the scale. minus_infinity: a tenth of the elements, never a whole row.
equal_rows: each row repeats one value. spikes: zeros and one large value a row. ramp: rising rows.
"""

HOSTILE: tuple[Twist, ...] = ("large", "minus_infinity", "equal_rows", "spikes", "ramp")


@dataclass(frozen=True)
class Normal:
    """Normally distributed numbers with standard deviation `scale`.

    rows: so many rows, drawn anew, have the twist; looking at a sample of the others does not show
        it. 0: all rows.
    """

    scale: float = 1.0
    twist: Twist = "plain"
    rows: int = 0


@dataclass(frozen=True)
class Keep:
    """A mask: each element true with probability `share`; `empty_rows` of the rows wholly false."""

    share: float = 0.8
    empty_rows: float = 0.0


@dataclass(frozen=True)
class Whole:
    """Whole numbers, each of 0, step, 2 · step … (below - 1) · step as likely as the others.

    One (below, step) for all elements, or one for each column.
    """

    columns: tuple[tuple[int, int], ...]


Draw = Normal | Keep | Whole
