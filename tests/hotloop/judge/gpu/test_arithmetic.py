"""The judge's own computations; torch on the CPU runs the code that runs on a GPU."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from hotloop.judge.buffers import TensorPlacement
from hotloop.judge.calls import TensorSpec
from hotloop.judge.compare import Tolerance, compare
from hotloop.judge.dtypes import BF16, BOOL, FP16, FP32, FP64, I32, I64, U8, DType, to_float64
from hotloop.judge.gpu import arithmetic as module
from hotloop.judge.gpu.arithmetic import Arithmetic, blocks
from hotloop.judge.gpu.recipes import HOSTILE, Cuts, Keep, Normal, Whole

SHAPE = (17, 33)
TOLERANCE = Tolerance(1e-3, 1e-6)


@pytest.mark.parametrize("dtype", [FP32, FP16, BF16], ids=lambda d: d.name)
@pytest.mark.parametrize("twist", ["plain", *HOSTILE])
def test_a_draw_repeats_for_its_seed_only(arithmetic: Arithmetic, dtype: DType, twist: str) -> None:
    spec = TensorSpec(SHAPE, dtype)
    first = arithmetic.draw(spec, Normal(2.0, twist), seed=7)  # type: ignore[arg-type]
    again = arithmetic.draw(spec, Normal(2.0, twist), seed=7)  # type: ignore[arg-type]
    other = arithmetic.draw(spec, Normal(2.0, twist), seed=8)  # type: ignore[arg-type]
    assert arithmetic.same(first, again)
    assert not arithmetic.same(first, other)
    assert tuple(first.shape) == SHAPE
    assert not torch.isnan(first).any()


def test_twists_are_what_they_say(arithmetic: Arithmetic) -> None:
    def draw(twist: str) -> torch.Tensor:
        return arithmetic.draw(TensorSpec(SHAPE, FP32), Normal(1.0, twist), 3)  # type: ignore[arg-type]

    assert draw("large").abs().max() > 64
    infinite = torch.isneginf(draw("minus_infinity"))
    assert infinite.any()
    assert not infinite.all(dim=1).any()
    equal = draw("equal_rows")
    assert (equal == equal[:, :1]).all()
    assert len(equal[:, 0].unique()) > 1
    assert (draw("spikes") != 0).sum(dim=1).tolist() == [1] * SHAPE[0]
    assert (draw("ramp").diff(dim=1) > 0).all()


@pytest.mark.parametrize("twist", HOSTILE)
def test_a_twist_of_few_rows_leaves_the_others_as_they_were(
    arithmetic: Arithmetic, twist: str
) -> None:
    def draw(recipe: Normal) -> torch.Tensor:
        return arithmetic.draw(TensorSpec((64, 50), FP16), recipe, 9)

    few = draw(Normal(2.0, twist, rows=3))  # type: ignore[arg-type]
    changed = (few != draw(Normal(2.0))).any(dim=1)
    assert 1 <= int(changed.sum()) <= 3


@pytest.mark.parametrize("dtype", [BOOL, U8], ids=lambda d: d.name)
def test_masks(arithmetic: Arithmetic, dtype: DType) -> None:
    spec = TensorSpec((400, 50), dtype)
    mask = arithmetic.draw(spec, Keep(0.7, empty_rows=0.25), 5)
    empty = (mask == 0).all(dim=1)
    assert 40 < int(empty.sum()) < 160
    assert 0.6 < float(mask[~empty].float().mean()) < 0.8


@pytest.mark.parametrize("dtype", [FP64, FP32, FP16, BF16, I32, U8, BOOL], ids=lambda d: d.name)
def test_poison_is_the_judges_poison(arithmetic: Arithmetic, dtype: DType) -> None:
    from hotloop.judge.dtypes import poison

    flat = torch.zeros(16 * dtype.bytes, dtype=torch.uint8)
    arithmetic.poison(flat, 0xDEADBEEF12345678, dtype)
    assert flat.numpy().tobytes() == poison(16, dtype, 0xDEADBEEF12345678).tobytes()
    values = flat.view(getattr(torch, module.TORCH_NAMES[dtype.name]))
    assert arithmetic.any_nan([values]) == dtype.floating


def test_one_element_left_out_is_seen(arithmetic: Arithmetic, monkeypatch) -> None:
    monkeypatch.setattr(module, "_BLOCK_ELEMENTS", 64)
    values = torch.zeros(SHAPE)
    assert not arithmetic.any_nan([values, values])
    assert not arithmetic.any_nan([])
    values[16, 32] = float("nan")
    assert arithmetic.any_nan([torch.zeros(4), values])


def test_view_and_bytes_agree(arithmetic: Arithmetic) -> None:
    place = TensorPlacement(1, 512, BF16, (4, 6), (10, 1))
    flat = torch.zeros(1024, dtype=torch.uint8)
    values = torch.arange(24, dtype=torch.bfloat16).reshape(4, 6)
    arithmetic.view(flat, place).copy_(values)
    positions = np.array([[512 + 2 * 13, 512 + 2 * 13 + 1]])
    index = arithmetic.index(positions.reshape(-1))
    value = arithmetic.to_bytes(arithmetic.gather(flat, index)).view(np.uint16)
    assert to_float64(value, BF16).tolist() == [9.0]


floats = st.sampled_from([0.0, -0.0, 1.0, 1.0005, 1.1, -2.5, 1e-7, np.inf, -np.inf, np.nan])
arrays = hnp.arrays(np.float64, (5, 3), elements=floats)


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(arrays, arrays)
def test_comparison_on_the_device_is_the_judges_comparison(got, want) -> None:
    arithmetic = Arithmetic("cpu", lambda _address, _size: None)
    expected = compare(got, want, TOLERANCE)
    for step in (1 << 24, 6):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "_BLOCK_ELEMENTS", step)
            found = arithmetic.disagreement(
                torch.from_numpy(got), [torch.from_numpy(want), 2.0], lambda w, _two: w, TOLERANCE
            )
        assert (found is None) == (expected is None)
        if expected is not None and found is not None:
            assert (found.wrong, found.total) == (expected.wrong, expected.total)
            assert found.excess == expected.excess


def test_inputs_without_the_rows_are_given_whole(arithmetic: Arithmetic, monkeypatch) -> None:
    monkeypatch.setattr(module, "_BLOCK_ELEMENTS", 8)
    weights, rows = torch.rand(4, 4), torch.rand(6, 4)
    want = rows.double() @ weights.double()
    reference = lambda x, w: x @ w  # noqa: E731
    assert arithmetic.disagreement(want.float(), [rows, weights], reference, TOLERANCE) is None
    some = np.array([1, 5])
    assert (
        arithmetic.disagreement(want.float(), [rows, weights], reference, TOLERANCE, some) is None
    )
    want[5, 2] += 1
    found = arithmetic.disagreement(want.float(), [rows, weights], reference, TOLERANCE)
    assert found is not None
    assert found.index == (5, 2)
    assert found.wrong == 1


@given(st.integers(1, 70), st.integers(1, 70))
def test_blocks_cover_the_first_axis(rows: int, width: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK_ELEMENTS", 64)
        covered = [i for block in blocks((rows, width)) for i in range(rows)[block]]
    assert covered == list(range(rows))


def test_picked_rows_have_their_numbers_in_the_whole(arithmetic: Arithmetic) -> None:
    x = torch.rand(9, 4)
    got = x.clone()
    got[7, 3] += 1
    got[2, 0] += 9
    found = arithmetic.disagreement(got, [x], lambda x: x, TOLERANCE, np.array([1, 7]))
    assert found is not None
    assert (found.index, found.wrong, found.total) == ((7, 3), 1, 8)


def test_whole_numbers_by_column(arithmetic: Arithmetic) -> None:
    rows = arithmetic.draw(TensorSpec((400, 3), I64), Whole(((2, 8), (5, 1), (1, 7))), 5)
    assert [sorted(set(c.tolist())) for c in rows.unbind(1)] == [[0, 8], [0, 1, 2, 3, 4], [0]]
    everywhere = arithmetic.draw(TensorSpec((400, 3), U8), Whole(((256, 1),)), 5)
    assert int(everywhere.max()) > 200
    shares = arithmetic.draw(TensorSpec((400,), FP32), Whole(((3, 0.25),), first=1), 5)
    assert sorted(set(shares.tolist())) == [1.0, 1.25, 1.5]


def test_cuts_rise_from_zero_to_all_rows(arithmetic: Arithmetic) -> None:
    cuts = arithmetic.draw(TensorSpec((9,), I32), Cuts(20), 5).tolist()
    assert (cuts[0], cuts[-1]) == (0, 20)
    assert cuts == sorted(cuts)
    assert cuts != arithmetic.draw(TensorSpec((9,), I32), Cuts(20), 6).tolist()
