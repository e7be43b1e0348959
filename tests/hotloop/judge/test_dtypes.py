"""Conversion is exact, rounding is to nearest even, and poison is never an answer."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from hotloop.judge.dtypes import BF16, BOOL, FP16, FP32, FP64, U8, poison, to_float64, to_storage

floats = st.floats(width=32, allow_nan=False)


@pytest.mark.slow
@given(st.lists(floats, min_size=1, max_size=50))
def test_bf16_rounds_as_torch_does(values: list[float]) -> None:
    ours = to_float64(to_storage(np.array(values), BF16), BF16)
    theirs = torch.tensor(values, dtype=torch.float32).to(torch.bfloat16).double().numpy()
    assert np.array_equal(ours, theirs)


def test_bf16_keeps_nan() -> None:
    assert np.isnan(to_float64(to_storage(np.array([np.nan]), BF16), BF16)).all()


@pytest.mark.parametrize("dtype", [FP64, FP32, FP16, BF16])
def test_poison_is_nan_and_carries_its_pattern(dtype) -> None:
    one, other = (poison(3, dtype, p) for p in (0x1234, 0x1235))
    assert np.isnan(to_float64(one, dtype)).all()
    assert one.tobytes() != other.tobytes()


def test_poison_of_bytes_is_no_truth_value() -> None:
    assert set(poison(4, BOOL, 7).view(np.uint8)) == {0x86}
    assert set(poison(4, U8, 7)) == {7}


def test_unit_roundoff_is_half_an_ulp() -> None:
    for dtype in (FP64, FP32, FP16):
        assert dtype.unit_roundoff == np.finfo(dtype.storage).eps / 2
        assert dtype.smallest == np.finfo(dtype.storage).smallest_subnormal
