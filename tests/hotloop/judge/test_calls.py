"""The bytes of a call: each tensor once, or what is broadcast once for each row."""

import pytest

from hotloop.judge.calls import CallSpec, TensorSpec
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
