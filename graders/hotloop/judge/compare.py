"""Comparison of a candidate's output with a float64 reference.

NaN passes only where the reference has NaN; infinities must have the same positions and signs.
Tolerances are derived from rounding error, so that computing in a lower precision than the task
asks for fails.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hotloop.judge.dtypes import FP32, DType

Floats = NDArray[np.float64]
"""An array of float64: what references take and return."""


@dataclass(frozen=True)
class Tolerance:
    """Allowed error of an element: |got - want| ≤ relative·|want| + absolute.

    relative, absolute: 0 for none. Where a function of a case is expected, it may be given as it
        is, for all cases.
    """

    relative: float
    absolute: float

    def __call__(self, _case: object) -> Tolerance:
        """Return itself: every case has this tolerance."""
        return self

    @classmethod
    def derived(
        cls,
        out: DType,
        compute: DType = FP32,
        *,
        terms: int = 1,
        amplification: float = 1.0,
        slack: float = 4.0,
    ) -> Tolerance:
        """Derive the tolerance from rounding when storing in `out` and computing in `compute`.

        terms: length of the longest sum (its error grows with √terms for random rounding).
        amplification: relative condition number of the operation, e.g. the largest |x - max| before
            an exponential, whose rounding error becomes a relative error of the result.
        slack: allowed error as a multiple of the expected error.

        The absolute part lets each term, and the exponential or quotient behind it, be flushed to
        zero where the arithmetic's normal numbers end: vectorized `exp` returns 0 below -87.
        Subnormal numbers of `out` itself must be there, as float16's are on every device.

        Source: Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., §3.1 and §4.2.
        """
        accumulated = compute.unit_roundoff * (np.sqrt(terms) + amplification + 4)
        return cls(
            relative=float(2 * out.unit_roundoff + slack * accumulated),
            absolute=float(2 * out.smallest + (terms + 4) * compute.smallest_normal),
        )

    @classmethod
    def of_largest(cls, share: float, want: Floats, least: float = 0.0) -> Tolerance:
        """Allow an error of a share of `want`'s largest absolute value, or of `least` if larger."""
        return cls(0.0, share * max(least, float(np.abs(want).max(initial=0.0))))


@dataclass(frozen=True)
class Disagreement:
    """The worst element: index, value and expected value; and how many elements are wrong.

    excess: its error divided by the allowed error.
    """

    index: tuple[int, ...]
    got: float
    want: float
    wrong: int
    total: int
    excess: float

    def sentence(self) -> str:
        """Describe the worst element in one clause for the learner."""
        where = ", ".join(map(str, self.index))
        share = f"{self.wrong} of {self.total} elements are wrong"
        return f"at [{where}]: got {self.got:.6g}, expected {self.want:.6g}; {share}"


def compare(got: Floats, want: Floats, tolerance: Tolerance) -> Disagreement | None:
    """Return None if every element of `got` is within tolerance of `want`.

    Raises ValueError if the shapes differ.
    """
    if got.shape != want.shape:
        raise ValueError(f"shapes differ: {got.shape} and {want.shape}")
    excess = excess_of(got, want, tolerance)
    wrong = int(np.count_nonzero(excess > 1))
    if not wrong:
        return None
    worst = np.unravel_index(int(np.argmax(excess)), excess.shape)
    index = tuple(int(i) for i in worst)
    return Disagreement(
        index, float(got[index]), float(want[index]), wrong, got.size, float(excess[index])
    )


def token_disagreement(_case: object, got: Floats, want: Floats) -> str | None:
    """Return where generated tokens differ, or None. got, want: [answers, tokens].

    One answer in eight may differ: two tokens can tie.
    """
    others = np.flatnonzero((got != want).any(axis=1))
    if len(others) <= len(want) // 8:
        return None
    row = int(others[0])
    step = int(np.flatnonzero(got[row] != want[row])[0])
    return (
        f"{len(others)} of {len(want)} answers are others: answer {row} parts at token {step}, "
        f"which is {int(got[row, step])} and should be {int(want[row, step])}"
    )


def excess_of(got: Floats, want: Floats, tolerance: Tolerance) -> Floats:
    """Return each element's error over the allowed error; inf where NaN or infinity differs."""
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.abs(got - want)
        allowed = tolerance.relative * np.abs(want) + tolerance.absolute
        excess = error / np.maximum(allowed, np.finfo(np.float64).tiny)
    excess = np.where(np.isnan(excess) | np.isinf(got) | np.isinf(want), np.inf, excess)
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    return np.where(same, 0.0, excess)
