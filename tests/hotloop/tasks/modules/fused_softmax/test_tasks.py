import math
import runpy
from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest

from hotloop.core.verdict import Ruling
from hotloop.judge.calls import CallBuffers, CallSpec, TensorSpec
from hotloop.judge.checks.correct import Case, Correct, InputTensor
from hotloop.judge.checks.fast import Fast
from hotloop.judge.checks.recorded_calls import RecordedCalls
from hotloop.judge.checks.triton_kernel_calls import TritonKernelCalls
from hotloop.judge.checks.triton_kernel_correct import TritonKernelCorrect
from hotloop.judge.compare import compare
from hotloop.judge.constants import constants, published
from hotloop.judge.dtypes import BF16, FP16, FP32, U8
from hotloop.judge.seeds import Seeds
from hotloop.tasks.modules.fused_softmax import cases, tasks, timed
from hotloop.tasks.modules.fused_softmax.reference import SOFTMAX, SOFTMAX_OR_ZEROS
from hotloop.tasks.variants import draw

INFINITY = math.inf
DRAWN = {"SHARPNESS": 0.5, "TOTAL": 3.0, "EMPTY": -4.0, "MASKED": 7.0, "HIDES": True}


@pytest.fixture(params=["plain", "variant"])
def _drawn(request: pytest.FixtureRequest) -> Iterator[None]:
    """Runs a test with the constants of a course, and with those of a variant."""
    with constants({} if request.param == "plain" else DRAWN):
        yield


def _correct(task: str) -> Correct | TritonKernelCalls:
    check = getattr(tasks, task).checks["correct"]
    correct = check.calls if isinstance(check, TritonKernelCorrect) else check
    correct = correct.correct if isinstance(correct, RecordedCalls) else correct
    assert isinstance(correct, Correct | TritonKernelCalls)
    return correct


def _cases(task: str, seed: int = 1) -> list[Case]:
    return list(_correct(task).truth.cases(np.random.default_rng(seed)))


def _x(case: Case) -> InputTensor:
    first = case.arguments[0]
    assert isinstance(first, InputTensor)
    return first


def test_softmax_agrees_with_the_definition() -> None:
    row = [0.5, -1.0, 3.0, -INFINITY]
    total = math.fsum(math.exp(v) for v in row)
    wanted = [[math.exp(v) / total for v in row]]
    np.testing.assert_allclose(SOFTMAX.rows(np.array([row])), wanted, rtol=1e-15)


def test_a_row_without_a_finite_element_is_zero_and_large_numbers_are_no_trouble() -> None:
    x = np.array([[-INFINITY, -INFINITY], [1e4, 1e4]])
    assert SOFTMAX.rows(x).tolist() == [[0.0, 0.0], [0.5, 0.5]]


def test_the_mask_comes_behind_the_scale() -> None:
    x, mask = np.array([[1.0, 2.0, 9.0], [1.0, 2.0, 3.0]]), np.array([[1, 1, 0], [0, 0, 0]])
    got = SOFTMAX.masked_rows(x, mask, -2.0)
    first = 1 / (1 + math.exp(-2.0))
    np.testing.assert_allclose(got, [[first, 1 - first, 0.0], [0.0, 0.0, 0.0]], rtol=1e-14)


@pytest.mark.parametrize("task", ["online_pass", "triton_forward", "triton_masked"])
def test_hidden_cases_cover_what_the_task_promises(task: str) -> None:
    drawn = _cases(task)
    shapes = [case.out.shape for case in drawn]
    assert {case.out.dtype for case in drawn} == {FP32, FP16, BF16}
    assert any(shape[-1] == 1 for shape in shapes)
    assert any(shape[-1] % 2 and shape[-1] > 1 for shape in shapes)
    assert any(_x(case).row_gap for case in drawn)
    assert any(np.abs(_x(case).values).max() > 5e4 for case in drawn if case.out.dtype is FP16)
    check = _correct(task)
    assert any((case.truth(check.truth.reference) == 0).all(axis=-1).any() for case in drawn)


@pytest.mark.parametrize("task", ["triton_forward", "triton_masked"])
def test_a_kernel_meets_rows_longer_than_any_block_and_gaps_in_its_output(task: str) -> None:
    drawn = _cases(task)
    assert any(case.out.shape[-1] > 1 << 20 for case in drawn)
    assert any(case.out.row_gap for case in drawn)


def test_vectors_matrices_and_three_dimensions_for_the_recurrence() -> None:
    assert {len(case.out.shape) for case in _cases("online_pass")} == {1, 2, 3}


def test_masks_of_both_types_and_scales_of_both_signs() -> None:
    drawn = _cases("triton_masked")
    scales = [case.arguments[2] for case in drawn]
    assert min(s for s in scales if isinstance(s, float)) < 0
    assert 0.0 in scales
    masks = [case.arguments[1] for case in drawn]
    assert any(isinstance(mask, InputTensor) and mask.dtype is U8 for mask in masks)
    assert all(np.isfinite(_x(case).values).all() for case in drawn)


def test_rows_have_a_finite_element_where_the_given_chain_needs_one() -> None:
    for case in _cases("compiled_chain"):
        assert np.isfinite(_x(case).values).any(axis=-1).all()
        assert case.out.shape[-1] >= 4096


@pytest.mark.slow
def test_cases_differ_from_seed_to_seed() -> None:
    for task in ("online_pass", "compiled_chain", "triton_forward", "triton_masked"):
        first, second = _cases(task, 1), _cases(task, 2)
        assert [c.out.shape for c in first] != [c.out.shape for c in second]


def test_tolerance_tells_a_float32_sum_from_a_float16_one() -> None:
    (case,) = [c for c in _cases("online_pass") if "long float16" in c.label]
    x = _x(case).rounded()
    truth = SOFTMAX.rows(x)
    tolerance = SOFTMAX.tolerance(case)
    weights = np.exp((x - x.max(axis=-1, keepdims=True)).astype(np.float32))
    total = weights.sum(axis=-1, keepdims=True, dtype=np.float32)
    right = (weights / total).astype(np.float16).astype(np.float64)
    assert compare(right, truth, tolerance) is None
    with np.errstate(over="ignore"):
        narrow = weights.astype(np.float16).sum(axis=-1, keepdims=True, dtype=np.float16)
    wrong = (weights / narrow).astype(np.float16).astype(np.float64)
    assert compare(wrong, truth, tolerance) is not None


def _derivative(function, x: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """Return the derivative of a scalar function, by central differences in float64."""
    gradient = np.zeros_like(x)
    for index in np.ndindex(*x.shape):
        moved = np.zeros_like(x)
        moved[index] = step
        gradient[index] = (function(x + moved) - function(x - moved)) / (2 * step)
    return gradient


@pytest.mark.usefixtures("_drawn")
def test_gradients_of_first_and_second_order_agree_with_differences() -> None:
    meaning = SOFTMAX
    rng = np.random.default_rng(5)
    x, dy, g = (rng.standard_normal((2, 7)) for _ in range(3))
    first = _derivative(lambda x: (meaning.rows(x) * dy).sum(), x)
    np.testing.assert_allclose(meaning.gradient(x, dy), first, atol=1e-7)
    second = _derivative(lambda x: (g * meaning.gradient(x, dy)).sum(), x)
    np.testing.assert_allclose(meaning.second_gradient(x, dy, g), second, atol=1e-7)
    graph = _derivative(lambda x: ((meaning.rows(2 * x) + x) * dy).sum(), x)
    np.testing.assert_allclose(meaning.gradient_in_a_graph(x, dy), graph, atol=1e-7)


def test_a_variant_changes_rows_empty_rows_and_masks() -> None:
    x = np.array([[0.0, 2.0], [-INFINITY, -INFINITY]])
    share = 3.0 / (1.0 + math.exp(0.5 * 2.0))
    wanted = [[share, 3.0 - share], [-4.0, -4.0]]
    hidden = np.array([[0, 1], [1, 1]])
    with constants(DRAWN):
        np.testing.assert_allclose(SOFTMAX.rows(x), wanted, rtol=1e-14)
        np.testing.assert_allclose(SOFTMAX_OR_ZEROS.rows(x)[1], 0.0)
        masked = SOFTMAX.masked_rows(np.ones((2, 2)), hidden, 2.0)
        np.testing.assert_allclose(published(SOFTMAX.rows)(x)[0].sum(), 1.0)
    assert masked.tolist() == [[3.0, 0.0], [7.0, 7.0]]


@pytest.mark.usefixtures("_drawn")
def test_what_is_right_on_a_gpu_is_right_here() -> None:
    meaning = SOFTMAX
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(6)
    x, dy, mask = rng.standard_normal((3, 9)), rng.standard_normal((3, 9)), rng.random((3, 9)) < 0.5
    mask[:, 0], mask[:, 1] = True, False
    there = [torch.from_numpy(a) for a in (x, dy, mask)]
    for got, want in (
        (meaning.rows_on_device(there[0]), meaning.rows(x)),
        (
            meaning.masked_rows_on_device(there[0], there[2], -0.5),
            meaning.masked_rows(x, mask, -0.5),
        ),
        (meaning.backward_on_device(*there[:2]), meaning.backward(x, dy)),
    ):
        np.testing.assert_allclose(got.numpy(), want, rtol=1e-12)


def test_a_timed_call_is_compared_with_the_variants_softmax() -> None:
    asked = tasks.compiled_chain.checks["fast_cpu"]
    assert isinstance(asked, Fast)
    spec = asked.workload.spec(Seeds().shapes(), 0)
    variant = draw("fused_softmax", bytes(32), "quiet-otter-41")
    buffers = closing(CallBuffers([spec], seal_inputs=True))
    with constants(variant.constants), buffers as opened:
        call = opened.calls[0]
        asked.workload.fill(np.random.default_rng(1), call, False)
        want = SOFTMAX.rows(call.input(0).astype(np.float64))
        call.output()[...] = want
        asked.workload.verify(call, None)
        with pytest.raises(Ruling, match="wrong"):
            published(asked.workload.verify)(call, None)


def test_tolerance_of_the_second_gradient_tells_it_from_silence() -> None:
    for case in cases.second_gradients(np.random.default_rng(2)):
        truth = case.truth(SOFTMAX.second_gradient)
        assert compare(np.zeros_like(truth), truth, SOFTMAX.second_tolerance(case)) is not None


@pytest.mark.parametrize("twist", ["plain", "equal_rows", "ramp"])
def test_tolerance_of_the_timed_backward_tells_float32_from_less(twist: str) -> None:
    rng = np.random.default_rng(4)
    shape = (8, timed.GPU_SHAPE[1])
    y = (timed.BACKWARD_SCALE * rng.standard_normal(shape)).astype(np.float32)
    dy = (4 * rng.standard_normal(shape)).astype(np.float32)
    if twist != "plain":
        dy[:] = dy[:, :1] + (np.linspace(0, 4, shape[1]) if twist == "ramp" else 0)
    truth = SOFTMAX.backward(y.astype(np.float64), dy.astype(np.float64))
    tolerance = timed._gpu_backward_tolerance(shape[1])
    total = (y * dy).sum(axis=-1, keepdims=True, dtype=np.float32)
    right = (y * (dy - total)).astype(np.float64)
    assert compare(right, truth, tolerance) is None
    short = (y[:, :-1] * dy[:, :-1]).sum(axis=-1, keepdims=True)
    for wrong_total in (0.0, short, total.astype(np.float16)):
        wrong = (y * (dy - wrong_total)).astype(np.float64)
        assert compare(wrong, truth, tolerance) is not None


def test_the_baseline_of_the_backward_computes_it() -> None:
    torch = pytest.importorskip("torch")
    path = tasks.SOFTMAX_BACKWARD.path
    namespace = runpy.run_path(str(path))
    y, dy = torch.randn(3, 50) / 64, torch.randn(3, 50)
    dx = torch.full_like(y, torch.nan)
    namespace[tasks.SOFTMAX_BACKWARD.name](y, dy, dx)
    wanted = SOFTMAX.backward(y.double().numpy(), dy.double().numpy())
    np.testing.assert_allclose(dx.double().numpy(), wanted, atol=1e-6)


def test_fewest_bytes_leave_gaps_out() -> None:
    spec = CallSpec(
        (TensorSpec((4, 100), FP16, 8), TensorSpec((4, 100), U8, 3), 0.5),
        TensorSpec((4, 100), FP16, 5),
    )
    assert spec.bytes == 400 * (2 + 1 + 2)


def test_an_eighth_of_the_timed_calls_has_one_secret_odd_shape() -> None:
    check = tasks.compiled_chain.checks["fast_cpu"]
    assert isinstance(check, Fast)
    seeds = Seeds()
    shapes = [check.workload.spec(seeds.shapes(), i).out.shape for i in range(32)]
    odd = [shape for shape in shapes if shape != cases.CPU_SHAPE]
    assert len(odd) == 4
    assert len(set(odd)) == 1
    assert odd[0][0] % 2 == odd[0][1] % 2 == 1
    others = {check.workload.spec(Seeds().shapes(), 7).out.shape for _ in range(50)}
    assert len(others) > 5


def test_adversarial_rows_are_few() -> None:
    rng = np.random.default_rng(3)
    for hostile, fewest, most in ((False, 0, 0), (True, 1, 5)):
        with closing(CallBuffers([timed._cpu_spec(rng, 7)], seal_inputs=True)) as buffers:
            timed._fill_rows(rng, buffers.calls[0], hostile)
            x = buffers.calls[0].input(0)
            plain = ((x >= 0) & (x < 16)).all(axis=1)
            assert fewest <= int((~plain).sum()) <= most


@pytest.mark.parametrize(("largest", "right"), [(10.0, True), (100.0, True), (1e4, False)])
def test_log2_of_e_times_x_before_the_subtraction(largest: float, right: bool) -> None:
    """Each product is rounded, and the errors of large ones do not cancel."""
    rows = np.random.default_rng(5).uniform(-1.0, 1.0, (400, 1000)) * largest
    x, log2_e = rows.astype(np.float32), np.float32(np.log2(np.e))
    tolerance = SOFTMAX.tolerance_of(FP32, x.shape[-1], largest)
    for scaled, wanted in (
        (x * log2_e, right),
        ((x - x.max(axis=-1, keepdims=True)) * log2_e, True),
    ):
        terms = np.exp2(scaled - scaled.max(axis=-1, keepdims=True))
        got = terms / terms.sum(axis=-1, keepdims=True)
        truth = SOFTMAX.rows(x.astype(np.float64))
        assert (compare(got.astype(np.float64), truth, tolerance) is None) == wanted


@pytest.mark.slow
def test_one_thread_a_row_may_add_its_terms_one_after_the_other() -> None:
    """Right in float32 in every row, whatever the rounding; never right in float16."""
    check = tasks.cuda_naive.checks["correct"]
    assert isinstance(check, Correct)
    case = next(
        c
        for c in check.truth.cases(np.random.default_rng(3))
        if c.label.startswith("long rows of a")
    )
    tolerance = check.truth.tolerance(case)
    rows = 3.0 * np.random.default_rng(4).standard_normal((1000, case.out.shape[-1]))
    x = rows.astype(np.float32)
    terms = np.exp(x - x.max(axis=-1, keepdims=True))
    wanted = SOFTMAX.rows(x.astype(np.float64))
    for dtype, right in ((np.float32, True), (np.float16, False)):
        sums = np.cumsum(terms, axis=-1, dtype=dtype)[:, -1:].astype(np.float32)
        got = (terms / sums).astype(np.float64)
        agreed = [compare(g, w, tolerance) is None for g, w in zip(got, wanted, strict=True)]
        assert all(agreed) if right else not any(agreed)


def test_one_thread_a_row_may_lose_each_small_term_after_a_large_one() -> None:
    """In float32, 1 plus less than half a unit is 1, however often it is added."""
    check = tasks.cuda_naive.checks["correct"]
    assert isinstance(check, Correct)
    case = next(
        c for c in check.truth.cases(np.random.default_rng(3)) if "fall in steps" in c.label
    )
    x = np.full((1, case.out.shape[-1]), np.log(0.9 * FP32.unit_roundoff), np.float32)
    x[0, 0] = 0.0
    terms = np.exp(x)
    sums = np.cumsum(terms, axis=-1, dtype=np.float32)[:, -1:]
    assert sums == 1.0
    got, wanted = (terms / sums).astype(np.float64), SOFTMAX.rows(x.astype(np.float64))
    assert compare(got, wanted, check.truth.tolerance(case)) is None
    assert compare(got, wanted, SOFTMAX.tolerance(case)) is not None


@pytest.mark.slow
@pytest.mark.parametrize("sharpness", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("first", [1024, 4096, 8192])
def test_a_sum_over_the_first_block_is_never_right_for_long_rows(
    first: int, sharpness: float
) -> None:
    for seed in range(20):
        drawn = cases.gradients(np.random.default_rng(seed))
        case = next(c for c in drawn if c.out.shape[-1] > 8192)
        x, dy = (t.values for t in case.arguments if isinstance(t, InputTensor))
        with constants({**DRAWN, "SHARPNESS": sharpness}):
            y, right = SOFTMAX.rows(x), SOFTMAX.gradient(x, dy)
            tolerance = SOFTMAX.gradient_tolerance(case)
        short = (y * dy)[:, :first].sum(axis=-1, keepdims=True) / 3.0
        assert compare(right, right, tolerance) is None
        assert compare(sharpness * y * (dy - short), right, tolerance) is not None
