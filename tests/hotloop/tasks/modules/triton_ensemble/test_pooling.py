import runpy

import numpy as np
import pytest
import torch

from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import compare
from hotloop.judge.dtypes import FP16, FP32
from hotloop.judge.gpu.arithmetic import Arithmetic
from hotloop.judge.seeds import Seeds
from hotloop.tasks.modules.triton_ensemble import pooling

CASES = list(pooling.cases(np.random.default_rng(3)))


def _inputs(case: Case) -> tuple[np.ndarray, np.ndarray]:
    hidden, mask = (a.rounded() for a in case.arguments if isinstance(a, InputTensor))
    return hidden, mask


def _finite(case: Case) -> bool:
    return bool(np.isfinite(_inputs(case)[0]).all())


def test_a_row_by_hand_and_one_without_a_token() -> None:
    hidden = np.array([[[3.0, 0.0], [9.0, 9.0], [3.0, 8.0]], np.ones((3, 2))])
    mask = np.array([[True, False, True], [False, False, False]])
    np.testing.assert_allclose(pooling.embeddings(hidden, mask), [[0.6, 0.8], [0.0, 0.0]])


@pytest.mark.parametrize("case", [c for c in CASES if _finite(c)], ids=lambda c: c.label)
def test_what_is_right_on_a_gpu_is_right_here(case: Case) -> None:
    hidden, mask = _inputs(case)
    got = pooling.embeddings_on_device(torch.from_numpy(hidden), torch.from_numpy(mask))
    np.testing.assert_allclose(got.numpy(), case.truth(pooling.embeddings), atol=1e-12)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.label)
def test_float32_is_right_and_a_sum_in_half_is_not(case: Case) -> None:
    hidden, mask = _inputs(case)
    want, allowed = case.truth(pooling.embeddings), pooling.tolerance(case)
    for dtype, right in ((np.float32, True), (np.float16, False)):
        with np.errstate(over="ignore", invalid="ignore"):
            total = np.where(mask[:, :, None], hidden, 0).astype(dtype).sum(1, dtype=dtype)
            total = total.astype(np.float32)
            norm = np.sqrt((total**2).sum(-1, keepdims=True))
            got = (total / np.maximum(norm, 1e-12)).astype(np.float64)
        if right or mask.sum(1).max() > 1:
            assert (compare(got, want, allowed) is None) is right


def test_the_baseline_computes_it() -> None:
    chain = runpy.run_path(str(pooling.CHAIN.path))[pooling.CHAIN.name]
    case = next(c for c in CASES if c.label == "float16")
    hidden, mask = _inputs(case)
    out = torch.full(case.out.shape, torch.nan)
    chain(torch.from_numpy(hidden).half(), torch.from_numpy(mask), out)
    want = case.truth(pooling.embeddings)
    assert compare(out.double().numpy(), want, pooling.tolerance(case)) is None


@pytest.mark.parametrize("hostile", [False, True])
def test_timed_rows_cancel_less_than_their_tolerance_allows(hostile: bool) -> None:
    """SPREAD bounds a mean of absolute values, relative to the norm of the mean."""
    arithmetic = Arithmetic("cpu", lambda _at, _size: None)
    rng = np.random.default_rng(1)
    workload = pooling.on_gpu()
    whole = workload.spec(rng, 0)
    rows = InputTensor(np.zeros((16, *pooling.TIMED[1:])), FP16).spec
    mask = InputTensor(np.zeros((16, pooling.TIMED[1])), FP32).spec
    for number in range(6):
        draws = list(workload.draws(rng, whole, hostile))
        hidden = arithmetic.draw(rows, draws[0], number).double().numpy()
        kept = arithmetic.draw(mask, draws[1], number).numpy() != 0
        norm = np.sqrt((pooling._mean(hidden, kept) ** 2).sum(-1, keepdims=True))
        sizes = pooling._mean(np.abs(hidden), kept) / np.where(norm > 0, norm, np.inf)
        assert sizes.max() < pooling.SPREAD / 4


def test_padding_counts_for_nothing() -> None:
    case = pooling.counted_case(np.random.default_rng(5))
    hidden, mask = _inputs(case)
    tokens = int(mask.sum())
    assert tokens < 0.7 * mask.size
    fewest = tokens * hidden.shape[2] * 2 + mask.size + 4 * hidden.shape[0] * hidden.shape[2]
    assert pooling.fewest_bytes_of_case(case) == fewest


def test_an_eighth_of_the_timed_calls_has_a_secret_length() -> None:
    workload = pooling.on_gpu()
    seeds = Seeds()
    specs = [workload.spec(seeds.shapes(), i) for i in range(32)]
    odd = [spec for spec in specs if spec.out.shape[0] != pooling.TIMED[0]]
    assert len(odd) == 4
    assert len(set(odd)) == 1
    assert all(pooling.fewest_bytes(spec) < pooling.fewest_bytes(specs[0]) for spec in odd)
