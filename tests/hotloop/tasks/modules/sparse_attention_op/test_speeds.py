"""Checks that are timed on a GPU, tested on a CPU: truths, baselines, draws, lower bounds."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from hotloop.judge.calls import TensorSpec
from hotloop.judge.dtypes import BOOL
from hotloop.judge.gpu.arithmetic import Arithmetic
from hotloop.judge.gpu.recipes import Keep
from hotloop.tasks.modules.sparse_attention_op import speeds, truth

torch = pytest.importorskip("torch")

PLANES, BLOCKS, DEPTH = 3, 4, 16
LENGTH = BLOCKS * speeds.BLOCK


@pytest.fixture(name="baselines", scope="module")
def _baselines(load_file: Callable[[Path], ModuleType]) -> ModuleType:
    return load_file(speeds.BASELINES)


def inputs() -> tuple[list[np.ndarray], np.ndarray]:
    """Return q, k and v, and a mask whose second plane keeps nothing."""
    rng = np.random.default_rng(3)
    kept = rng.random((PLANES, 1, BLOCKS, BLOCKS)) < 0.4
    kept[1] = False
    return [rng.standard_normal((PLANES, 1, LENGTH, DEPTH)) for _ in range(3)], kept


def test_the_truth_of_a_mask_is_that_of_its_lists() -> None:
    tensors, kept = inputs()
    columns = np.argsort(~kept, axis=-1, kind="stable")
    want = truth.attention_over_lists(*tensors, kept.sum(-1), columns, speeds.BLOCK, False)
    on_torch = [torch.from_numpy(x) for x in tensors]
    got = speeds.attention_of_kept(*on_torch, torch.from_numpy(kept), speeds.BLOCK, False)
    assert np.abs(got.numpy() - want).max() < 1e-12
    assert not got[1].any()


@pytest.mark.parametrize("causal", [False, True])
def test_of_all_blocks_it_is_dense_attention(causal: bool) -> None:
    tensors, kept = inputs()
    given = [*map(torch.from_numpy, tensors), torch.ones(kept.shape, dtype=torch.bool)]
    everything = speeds.attention_of_kept(*given, speeds.BLOCK, causal)
    dense = speeds.dense_attention(*given, speeds.BLOCK, causal)
    assert (everything - dense).abs().max() < 1e-12


@pytest.mark.parametrize("causal", [False, True])
def test_the_dense_baseline_is_what_it_is_compared_with(
    baselines: ModuleType, causal: bool
) -> None:
    tensors, kept = inputs()
    given = [torch.from_numpy(x).float() for x in tensors]
    out = torch.empty_like(given[0])
    rest = (torch.from_numpy(kept), speeds.BLOCK, causal)
    baselines.dense(*given, *rest, out)
    dense = speeds.dense_attention(*map(torch.from_numpy, tensors), *rest)
    assert (out - dense).abs().max() < 1e-5


def test_the_truth_of_a_causal_mask_is_that_of_its_lists() -> None:
    """Lists that name future blocks mean the same as those without them."""
    tensors, kept = inputs()
    on_torch = [torch.from_numpy(x) for x in tensors]
    got = speeds.attention_of_kept(*on_torch, torch.from_numpy(kept), speeds.BLOCK, True)
    for mask in (kept, np.tril(kept)):
        columns = np.argsort(~mask, axis=-1, kind="stable")
        want = truth.attention_over_lists(*tensors, mask.sum(-1), columns, speeds.BLOCK, True)
        assert np.abs(got.numpy() - want).max() < 1e-12


def test_other_attention_than_that_of_the_kept_blocks_is_refused() -> None:
    """Compares as the judge compares timed calls on a GPU."""
    tensors, kept = inputs()
    on_torch = [*map(torch.from_numpy, tensors), torch.from_numpy(kept)]
    given = [*on_torch, speeds.BLOCK, True]
    arithmetic = Arithmetic("cpu", lambda *_: pytest.fail("no memory is needed"))

    def refused(got: Any) -> bool:
        workload = speeds.KEPT_CAUSAL
        allowed = workload.tolerance(workload.spec(np.random.default_rng(0), 0))
        return arithmetic.disagreement(got, given, workload.truth, allowed) is not None

    right = speeds.attention_of_kept(*given)
    assert not refused(right.half())
    assert refused(speeds.attention_of_kept(*on_torch, speeds.BLOCK, False))
    assert refused(speeds.dense_attention(*given))
    assert refused(torch.zeros_like(right))


@pytest.mark.slow
def test_flex_attention_gets_the_same_blocks(baselines: ModuleType) -> None:
    tensors, kept = inputs()
    given = [torch.from_numpy(x).float() for x in tensors]
    out = torch.empty_like(given[0])
    baselines.flex(*given, torch.from_numpy(kept), speeds.BLOCK, False, out)
    on_torch = [torch.from_numpy(x) for x in tensors]
    want = speeds.attention_of_kept(*on_torch, torch.from_numpy(kept), speeds.BLOCK, False)
    assert (out - want).abs().max() < 1e-5


@pytest.mark.parametrize("hostile", [False, True])
def test_the_density_is_what_was_promised(hostile: bool) -> None:
    rng = np.random.default_rng(0)
    keep = speeds._draws(rng, speeds.KEPT.spec(rng, 0), hostile)
    assert isinstance(keep[3], Keep)
    arithmetic = Arithmetic("cpu", lambda *_: pytest.fail("no memory is needed"))
    mask = arithmetic.draw(TensorSpec((1024, 1, 32, 32), BOOL), keep[3], 5)
    assert float(mask.float().mean()) == pytest.approx(speeds.DENSITY, rel=0.05)
    assert float(mask.float().mean()) <= 0.12


def test_the_fewest_operations_are_those_of_the_kept_blocks() -> None:
    spec = speeds.KEPT.spec(np.random.default_rng(0), 0)
    planes, _, length, depth = spec.out.shape
    assert speeds.fewest_flops(spec) == pytest.approx(4 * planes * depth * length**2 / 10)
    assert spec.bytes == 4 * spec.out.bytes + planes * 64 * 64


def test_a_causal_call_reads_what_some_kept_block_has() -> None:
    """Row i of M can keep i + 1 blocks, each with the density's probability."""
    spec = speeds.KEPT_CAUSAL.spec(np.random.default_rng(0), 0)
    rng = np.random.default_rng(1)
    kept = np.tril(rng.random((2000, 64, 64)) < speeds.DENSITY)
    read = 2 * kept.any(1).mean() + kept.any(2).mean() + 1
    mask = spec.out.shape[0] * 64 * 64
    assert speeds.fewest_causal_bytes(spec) - mask == pytest.approx(read * spec.out.bytes, rel=1e-2)
    assert speeds.fewest_causal_flops(spec) == speeds.fewest_flops(spec) // 2
