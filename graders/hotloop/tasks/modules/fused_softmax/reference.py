"""The float64 references of module fused_softmax, and their tolerances.

Softmax here is exp(x − max) / sum over each row, and zeros for a row without a finite element. For
a take-home's candidate, the variant's constants change it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.constants import Between, constant
from hotloop.judge.dtypes import FP32, DType


@dataclass(frozen=True)
class Meaning:
    """A definition of softmax: total · exp(sharpness · (x − max)) / Σ exp(sharpness · (x − max)).

    Without a variant it is the usual softmax.
    """

    zeros: bool = False
    """If True, a row without a finite element gives zeros in every variant."""

    @property
    def sharpness(self) -> float:
        """The factor on x."""
        return constant("SHARPNESS", 1.0, Between(0.5, 2.0))

    @property
    def total(self) -> float:
        """The sum of each row."""
        return constant("TOTAL", 1.0, Between(1.5, 40.0))

    @property
    def empty(self) -> float:
        """The output of a row without a finite element."""
        return 0.0 if self.zeros else constant("EMPTY", 0.0, Between(-9.0, 9.0))

    @property
    def masked(self) -> float:
        """The output of a row that is masked out completely."""
        return constant("MASKED", 0.0, Between(-9.0, 9.0))

    @property
    def hides(self) -> bool:
        """Whether a 1 in the mask leaves an element out."""
        return constant("HIDES", False, (False, True))

    def rows(self, x: Floats) -> Floats:
        """Return the softmax over the last axis, in float64."""
        return self._rows(x, self.empty)

    def _rows(self, x: Floats, empty: float) -> Floats:
        maximum: Floats = x.max(axis=-1, keepdims=True)
        weights = np.exp(self.sharpness * (x - np.where(np.isneginf(maximum), 0.0, maximum)))
        total = weights.sum(axis=-1, keepdims=True)
        shares = self.total * weights / np.where(total == 0.0, 1.0, total)
        return np.where(total == 0.0, empty, shares)

    def masked_rows(self, x: Floats, mask: NDArray[Any], scale: float) -> Floats:
        """Return the softmax of scale · x over each row's kept elements, in float64.

        Elements that are not kept are 0; a row without any kept element has the value `masked`.
        """
        kept = (mask != 0) != self.hides
        return self._rows(np.where(kept, x * scale, -np.inf), self.masked)

    def softmax_of_columns(self, x: Floats) -> Floats:
        """Return the softmax of the columns, as rows."""
        return self.rows(np.ascontiguousarray(x.T))

    def doubled_beside_itself(self, x: Floats) -> Floats:
        """Return softmax(2x) + x, the graph around the operator in the learner's file."""
        return self.rows(2.0 * x) + x

    def backward(self, y: Floats, dy: Floats) -> Floats:
        """Return the gradient of a softmax from its result `y`, which may hold any numbers."""
        inner = (y * dy).sum(axis=-1, keepdims=True) / self.total
        return self.sharpness * y * (dy - inner)

    def gradient(self, x: Floats, dy: Floats) -> Floats:
        """Return the gradient of Σ dy · softmax(x)."""
        return self.backward(self.rows(x), dy)

    def gradient_in_a_graph(self, x: Floats, dy: Floats) -> Floats:
        """Return the gradient of Σ dy · (softmax(2x) + x)."""
        return 2.0 * self.backward(self.rows(2.0 * x), dy) + dy

    def second_gradient(self, x: Floats, dy: Floats, g: Floats) -> Floats:
        """Return the gradient of Σ g · gradient(x, dy): first for y, then through the softmax."""
        y = self.rows(x)
        inner = (y * dy).sum(axis=-1, keepdims=True) / self.total
        other = (y * g).sum(axis=-1, keepdims=True) / self.total
        for_y = self.sharpness * (g * (dy - inner) - dy * other)
        return self.backward(y, for_y)

    def rows_on_device(self, x: Any) -> Any:
        """Compute `rows` on float64 torch tensors; every row must have a finite element."""
        weights = (self.sharpness * (x - x.amax(-1, keepdim=True))).exp()
        return self.total * weights / weights.sum(-1, keepdim=True)

    def masked_rows_on_device(self, x: Any, mask: Any, scale: float) -> Any:
        """Compute `masked_rows` on float64 torch tensors; every row must keep an element."""
        left_out = mask != 0 if self.hides else mask == 0
        return self.rows_on_device((x * scale).masked_fill(left_out, -math.inf))

    def backward_on_device(self, y: Any, dy: Any) -> Any:
        """Compute `backward` on float64 torch tensors."""
        return self.sharpness * y * (dy - (y * dy).sum(-1, keepdim=True) / self.total)

    def tolerance(self, case: Case) -> Tolerance:
        """Return the tolerance of float32 arithmetic that subtracts the maximum from x first.

        A sharpness other than 1 may multiply x before that. `x * log2(e)` before the subtraction,
        for `exp2`, is wrong for |x| of 1000 and more: it rounds x, and that error does not cancel.
        """
        return self.tolerance_of(case.out.dtype, case.out.shape[-1], self._largest(case))

    def tolerance_of(self, out: DType, columns: int, largest: float) -> Tolerance:
        """Return the tolerance. largest: largest finite |x| before the row's maximum is subtracted.

        exp(d) is 0 in float32 below d = −104, so rounding d costs at most 104 units. Results below
        the smallest normal float32 may be flushed to zero, as GPUs and vector code do. A sharpness
        is rounded itself, and so is its product with d, or with x.
        """
        amplification = 104.0
        if self.sharpness != 1.0:
            amplification = 3 * 104.0 + self.sharpness * largest
        derived = Tolerance.derived(out, FP32, terms=columns, amplification=amplification)
        absolute = max(1.0, self.total) * (derived.absolute + 2.0**-126)
        return Tolerance(derived.relative, absolute)

    def one_by_one(self, case: Case) -> Tolerance:
        """Return the tolerance if one thread sums a row's terms sequentially.

        After one large term, terms of less than half a unit of the sum are all lost, so the error
        grows with their number instead of its root. Rows that fall in steps come close to Higham's
        bound, one rounding per term (§4.2); it is what is allowed.
        """
        derived = self.tolerance(case)
        columns = case.out.shape[-1]
        return Tolerance(derived.relative + columns * FP32.unit_roundoff, derived.absolute)

    def tolerance_in_a_graph(self, case: Case) -> Tolerance:
        """Return the tolerance of a softmax plus x, which may nearly cancel it."""
        derived = self._derived(case)
        canceled = 0.0 if self.total == 1.0 else self.total * derived.relative
        return Tolerance(derived.relative, derived.absolute + canceled)

    def gradient_tolerance(self, case: Case) -> Tolerance:
        """Return the tolerance of dy − Σ(y·dy), of a size of 10, with the softmax's own error."""
        return self._off(self._derived(case), 20.0 * self.sharpness * self.total)

    def second_tolerance(self, case: Case) -> Tolerance:
        """Return the tolerance of numbers of about 10 times an element of y, none close to 1."""
        return self._off(self._derived(case), 2.0 * self.sharpness**2 * self.total)

    def backward_tolerance(self, case: Case) -> Tolerance:
        """Return the tolerance of dy − Σ(y·dy), numbers of about 10, where y sums to 1."""
        derived = Tolerance.derived(FP32, FP32, terms=case.out.shape[-1])
        return self._off(derived, 20.0 * self.sharpness)

    def _derived(self, case: Case) -> Tolerance:
        exact = self.sharpness == 1.0
        amplification = 104 if exact else 3 * 104 + 2 * self.sharpness * self._largest(case)
        columns = case.out.shape[-1]
        return Tolerance.derived(case.out.dtype, FP32, terms=columns, amplification=amplification)

    @staticmethod
    def _off(derived: Tolerance, size: float) -> Tolerance:
        return Tolerance(derived.relative, derived.absolute + size * derived.relative)

    @staticmethod
    def _largest(case: Case) -> float:
        """Return the largest finite |element| of the first tensor, times the case's scale."""
        scale = max((abs(a) for a in case.arguments if isinstance(a, float)), default=1.0)
        first = next(a.values for a in case.arguments if isinstance(a, InputTensor))
        finite = np.abs(first[np.isfinite(first)])
        return scale * float(finite.max(initial=0.0))


SOFTMAX = Meaning()
SOFTMAX_OR_ZEROS = Meaning(zeros=True)
