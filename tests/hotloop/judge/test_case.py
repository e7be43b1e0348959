"""A case of plain arrays: dtypes from the arrays, the output from the reference."""

import numpy as np

from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import InputTensor, case
from hotloop.judge.compare import Floats
from hotloop.judge.dtypes import BF16, BOOL, FP32, I64


def test_the_output_has_the_shape_of_the_references_result() -> None:
    def sums(x: Floats, rows: Floats, keep: Floats, factor: int) -> Floats:
        return factor * (x * keep)[rows.astype(int)].sum(-1)

    found = case(sums, np.ones((4, 7)), np.arange(4), np.ones(7, bool), 2)
    assert found.spec.arguments == (
        TensorSpec((4, 7), FP32),
        TensorSpec((4,), I64),
        TensorSpec((7,), BOOL),
        2,
    )
    assert found.out == TensorSpec((4,), FP32)


def test_other_dtypes_are_asked_for() -> None:
    gapped = InputTensor(np.ones((2, 3)), BF16, row_gap=1)
    found = case(lambda x: x.T, gapped, out=BF16, label="a transpose")
    assert (found.arguments, found.out) == ((gapped,), TensorSpec((3, 2), BF16))
    assert found.label == "a transpose"
