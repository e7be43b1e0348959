"""Verifiers: they check what a timed call wrote to the judge's buffers.

A verifier raises Ruling for a wrong answer. It runs while the candidate is frozen, and is not
timed.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.calls import PlacedCall
from hotloop.judge.compare import Floats, Tolerance, compare
from hotloop.judge.dtypes import to_float64
from hotloop.judge.judge_fault import JudgeFault, ours

Rows = NDArray[np.int64] | None
"""Rows of an output to check; None for all."""

Verifier = Callable[[PlacedCall, Rows], None]
Reference = Callable[..., Floats]
"""Returns the expected float64 output of a call from its inputs as float64."""


def unknown(_call: PlacedCall, _rows: Rows) -> None:
    """Placeholder for a workload whose check provides the verifier; raises TypeError if called."""
    raise TypeError("nothing was given that says what is right")


def rows_agree(reference: Reference, tolerance: Tolerance) -> Verifier:
    """Return a verifier for row-wise operations: inputs and output are cut to the same rows.

    Raises TypeError if `tolerance` is no `Tolerance`, such as a function of a case.
    """
    _require_tolerance(tolerance)

    def verify(call: PlacedCall, rows: Rows) -> None:
        _require(call, reference, tolerance, slice(None) if rows is None else rows)

    return verify


def all_agrees(reference: Reference, tolerance: Tolerance) -> Verifier:
    """Return a verifier for other operations: a row of the output may depend on all inputs.

    Raises TypeError if `tolerance` is no `Tolerance`, such as a function of a case.
    """
    _require_tolerance(tolerance)

    def verify(call: PlacedCall, _rows: Rows) -> None:
        _require(call, reference, tolerance, slice(None))

    return verify


def _require_tolerance(tolerance: object) -> None:
    """Refuse here, where it is the check's fault, what would fail where an answer is compared."""
    if not isinstance(tolerance, Tolerance):
        raise TypeError(
            f"the tolerance of timed calls is {tolerance!r:.80}, expected a `Tolerance`: all calls "
            "have the same"
        )


def _require(
    call: PlacedCall, reference: Reference, tolerance: Tolerance, pick: slice | NDArray[np.int64]
) -> None:
    inputs: list[Floats | int | float | bool | None] = []
    for position, place in enumerate(call.places):
        if place is None:
            inputs.append(_scalar(call.spec.arguments[position]))
        else:
            inputs.append(to_float64(call.input(position)[pick], place.dtype))
    with np.errstate(all="ignore"), ours("the reference of a timed call"):
        want = np.asarray(reference(*inputs), np.float64)
    got = to_float64(call.output()[pick], call.out.dtype)
    if want.shape != got.shape:
        raise JudgeFault(
            f"the reference of a timed call returned an array of shape {want.shape} for an output "
            f"of shape {got.shape}"
        )
    disagreement = compare(got, want, tolerance)
    if disagreement is not None:
        raise Ruling(
            Verdict.WRONG_ANSWER, f"In a timed call it was wrong: {disagreement.sentence()}."
        )


def _scalar(value: object) -> int | float | bool | None:
    if value is None or isinstance(value, int | float | bool):
        return value
    raise TypeError(f"{value!r} is not a plain argument")
