"""The bytes of a call: each tensor once, or what is broadcast once for each row."""

from typing import Any

import numpy as np
import pytest

from hotloop.judge.calls import CallBuffers, CallSpec, TensorSpec
from hotloop.judge.dtypes import FP16, FP32

ROWS, COLUMNS = 8, 100
WHOLE = ROWS * COLUMNS
X = (ROWS, COLUMNS)


@pytest.mark.parametrize(
    ("inputs", "out", "once", "by_row"),
    [
        ([X], X, 2 * WHOLE, 2 * WHOLE),
        ([X, (COLUMNS,)], X, 2 * WHOLE + COLUMNS, 3 * WHOLE),  # the weight of a norm
        ([X, (1, COLUMNS)], X, 2 * WHOLE + COLUMNS, 3 * WHOLE),
        ([X, (ROWS, 1)], X, 2 * WHOLE + ROWS, 2 * WHOLE + ROWS),  # a number for each row
        ([X, (COLUMNS,)], (ROWS,), WHOLE + COLUMNS + ROWS, 2 * WHOLE + ROWS),  # a reduction
        ([X, (ROWS, 2 * COLUMNS)], X, 4 * WHOLE, 4 * WHOLE),  # a gate, whose rows are longer
        ([X, ()], X, 2 * WHOLE + 1, 2 * WHOLE + 1),
        ([(2, *X), (2, 1, COLUMNS)], (2, *X), 4 * WHOLE + 2 * COLUMNS, 6 * WHOLE),
        ([(COLUMNS,), (COLUMNS,)], (COLUMNS,), 3 * COLUMNS, 3 * COLUMNS),
    ],
)
def test_what_is_broadcast_is_read_once_for_each_row(
    inputs: list[tuple[int, ...]], out: tuple[int, ...], once: int, by_row: int
) -> None:
    tensors = tuple(TensorSpec(shape, FP32) for shape in inputs)
    spec = CallSpec((*tensors, 3), TensorSpec(out, FP32))
    assert (spec.bytes, spec.bytes_by_row) == (4 * once, 4 * by_row)


def test_every_tensor_has_its_own_dtype() -> None:
    spec = CallSpec((TensorSpec(X, FP16), TensorSpec((COLUMNS,), FP32)), TensorSpec(X, FP16))
    assert spec.bytes_by_row == (2 + 4 + 2) * WHOLE


@pytest.mark.parametrize(
    ("about", "strides"),
    [
        ({}, (20, 5, 1)),
        ({"row_gap": 2}, (28, 7, 1)),
        ({"order": (0, 2, 1)}, (20, 1, 4)),
        ({"order": (1, 0, 2)}, (5, 15, 1)),
        ({"order": (1, 2, 0), "row_gap": 1}, (1, 20, 4)),
        ({"row_gap": -5}, (0, 0, 1)),
    ],
)
def test_a_layout_is_that_of_torch(about: dict[str, Any], strides: tuple[int, ...]) -> None:
    spec = TensorSpec((3, 4, 5), FP32, **about)
    assert spec.strides == strides
    if "row_gap" not in about:
        order = spec.order or (0, 1, 2)
        dense = np.zeros([spec.shape[axis] for axis in order], np.float32)
        back = dense.transpose([order.index(axis) for axis in range(3)])
        assert tuple(step // 4 for step in back.strides) == strides
        assert spec.bytes == dense.nbytes


def test_an_input_is_written_in_its_layout() -> None:
    """Also one whose rows are one row in memory, as those of an expanded tensor are."""
    values = np.arange(12.0).reshape(3, 4)
    same = np.broadcast_to(values[1], (3, 4))
    for spec, written in (
        (TensorSpec((3, 4), FP32, order=(1, 0)), values),
        (TensorSpec((3, 4), FP32, 2), values),
        (TensorSpec((3, 4), FP32, -4), same),
    ):
        buffers = CallBuffers([CallSpec((spec,), TensorSpec((3,), FP32))], seal_inputs=False)
        try:
            buffers.calls[0].write(0, written)
            assert buffers.calls[0].input(0).tolist() == written.tolist()
        finally:
            buffers.close()
