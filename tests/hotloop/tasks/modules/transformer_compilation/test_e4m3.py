"""e4m3: the judge's own table, and the tolerance of a code."""

import numpy as np
import pytest
import torch

from hotloop.tasks.modules.transformer_compilation import e4m3


def test_the_table_is_that_of_pytorch() -> None:
    theirs = torch.arange(256, dtype=torch.uint8).view(torch.float8_e4m3fn).double().numpy()
    assert np.array_equal(e4m3.NUMBERS, theirs, equal_nan=True)


def nearest(x: np.ndarray, scales: np.ndarray) -> np.ndarray:
    apart = np.abs(x[..., None] / scales[:, None, None] - np.nan_to_num(e4m3.NUMBERS, nan=1e9))
    return apart.argmin(-1)


@pytest.mark.parametrize("range_used", [448.0, 300.0, 225.0])
def test_the_nearest_code_is_right(range_used: float) -> None:
    x = np.random.default_rng(1).standard_normal((50, 40))
    scales = np.abs(x).max(axis=1) / range_used
    assert e4m3.wrong(x, nearest(x, scales), scales) is None


def test_the_code_next_to_it_is_wrong() -> None:
    x = np.random.default_rng(1).standard_normal((5, 40))
    scales = np.abs(x).max(axis=1) / 448
    codes = nearest(x, scales)
    place = np.unravel_index(np.abs(x).argmin(), x.shape)
    place = (place[0], int(np.abs(x[place[0]]).argmax()))
    codes[place] -= 2
    assert e4m3.wrong(x, codes, scales) is not None


def test_nan_is_wrong() -> None:
    x, scales = np.ones((1, 1)), np.ones(1)
    assert e4m3.wrong(x, np.array([[0x38]]), scales) is None
    assert e4m3.wrong(x, np.array([[0x7F]]), scales) is not None


@pytest.mark.parametrize(
    "answer",
    [None, {}, {"codes": [[1.0]], "scales": [1.0]}, {"codes": [[256]], "scales": [1.0]},
     {"codes": [[0]], "scales": [0.0]}, {"codes": [[0]], "scales": [float("inf")]},
     {"codes": [[0]], "scales": [True]}, {"codes": [[0.5]], "scales": [1]},
     {"codes": [[0, 0]], "scales": [1.0]}],
)  # fmt: skip
def test_what_is_no_answer_is_wrong(answer: object) -> None:
    assert e4m3.mismatch(np.zeros((1, 1)), answer) is not None


def test_whole_numbers_may_be_floats_and_the_other_way_round() -> None:
    assert e4m3.mismatch(np.ones((1, 1)), {"codes": [[56.0]], "scales": [1]}) is None
