"""The output of a timed call is right, wrong in an inspected row, or of unknown correctness."""

from collections.abc import Iterator

import numpy as np
import pytest

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.calls import CallBuffers, CallSpec, PlacedCall, TensorSpec
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.dtypes import FP32
from hotloop.judge.verification import all_agrees, rows_agree, unknown

ROWS = np.array([1, 3])
EXACTLY = Tolerance(0.0, 0.0)


def scaled(x: Floats, factor: float) -> Floats:
    return x * factor


def reversed_rows(x: Floats, factor: float) -> Floats:
    return x[::-1] * factor


@pytest.fixture
def call() -> Iterator[PlacedCall]:
    tensor = TensorSpec((5, 3), FP32)
    buffers = CallBuffers([CallSpec((tensor, 2.0), tensor)], seal_inputs=False)
    buffers.calls[0].write(0, np.arange(15.0).reshape(5, 3))
    yield buffers.calls[0]
    buffers.close()


def test_rows_are_looked_at_alone(call: PlacedCall) -> None:
    verify = rows_agree(scaled, EXACTLY)
    call.output()[...] = 2 * call.input(0)
    verify(call, ROWS)
    verify(call, None)
    call.output()[2, 1] += 1
    verify(call, ROWS)
    with pytest.raises(Ruling, match="timed call") as ruling:
        verify(call, None)
    assert ruling.value.verdict is Verdict.WRONG_ANSWER
    call.output()[3, 0] += 1
    with pytest.raises(Ruling):
        verify(call, ROWS)


def test_what_is_not_computed_row_by_row_is_looked_at_whole(call: PlacedCall) -> None:
    verify = all_agrees(reversed_rows, EXACTLY)
    call.output()[...] = 2 * call.input(0)[::-1]
    verify(call, ROWS)
    call.output()[2, 1] += 1
    with pytest.raises(Ruling):
        verify(call, ROWS)


def test_without_a_verifier_nothing_is_right(call: PlacedCall) -> None:
    with pytest.raises(TypeError, match="what is right"):
        unknown(call, None)
