"""Is what a timed call has left in the judge's buffers right?

A verifier raises Ruling for a wrong answer. It is called when the candidate stands still, and
nothing that it does is timed.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.calls import Call
from hotloop.judge.compare import Floats, Tolerance, compare
from hotloop.judge.dtypes import to_float64

Rows = NDArray[np.int64] | None
"""Which rows of an output are to be looked at; None for all of them."""

Verifier = Callable[[Call, Rows], None]
Reference = Callable[..., Floats]
"""float64 truth of a call from its inputs as float64."""


def unknown(_call: Call, _rows: Rows) -> None:
    """For a workload whose rung brings the verifier: without one nothing is ever right."""
    raise TypeError("nothing was given that says what is right")


def rows_agree(reference: Reference, tolerance: Tolerance) -> Verifier:
    """For what is computed row by row: inputs and output are cut to the same rows."""

    def verify(call: Call, rows: Rows) -> None:
        _require(call, reference, tolerance, slice(None) if rows is None else rows)

    return verify


def all_agrees(reference: Reference, tolerance: Tolerance) -> Verifier:
    """For what is not: a row of the output may need any row of the inputs."""

    def verify(call: Call, _rows: Rows) -> None:
        _require(call, reference, tolerance, slice(None))

    return verify


def _require(
    call: Call, reference: Reference, tolerance: Tolerance, pick: slice | NDArray[np.int64]
) -> None:
    inputs: list[Floats | int | float | bool | None] = []
    for position, place in enumerate(call.places):
        if place is None:
            inputs.append(_scalar(call.spec.arguments[position]))
        else:
            inputs.append(to_float64(call.input(position)[pick], place.dtype))
    with np.errstate(all="ignore"):
        want = np.asarray(reference(*inputs), np.float64)
    got = to_float64(call.output()[pick], call.out.dtype)
    disagreement = compare(got, want, tolerance)
    if disagreement is not None:
        raise Ruling(
            Verdict.WRONG_ANSWER, f"In a timed call it was wrong: {disagreement.sentence()}."
        )


def _scalar(value: object) -> int | float | bool | None:
    if value is None or isinstance(value, int | float | bool):
        return value
    raise TypeError(f"{value!r} is not a plain argument")
