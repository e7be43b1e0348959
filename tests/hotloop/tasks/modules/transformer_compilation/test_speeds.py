"""The checks that are timed on a GPU, tested on a CPU: truths, baselines, refused answers."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from hotloop.core import paths
from hotloop.judge.checks.correct import InputTensor
from hotloop.judge.gpu.arithmetic import Arithmetic
from hotloop.judge.gpu.recipes import Normal
from hotloop.judge.gpu.workload import DeviceWorkload
from hotloop.tasks.modules.transformer_compilation import attentions, gradients, speeds

torch = pytest.importorskip("torch")

HEADS, LENGTH, WIDTH = 2, 96, 64
SCALE = WIDTH**-0.5


@pytest.fixture(name="baselines", scope="module")
def _baselines(load_file: Callable[[Path], ModuleType]) -> ModuleType:
    return load_file(speeds.BASELINES)


@pytest.fixture(name="tiled", scope="module")
def _tiled(load_file: Callable[[Path], ModuleType]) -> ModuleType:
    return load_file(paths.solutions() / "transformer_compilation" / "tiled.py")


def tensors(count: int, seed: int = 3) -> list[Any]:
    """Return `count` tensors, float64 [HEADS, LENGTH, WIDTH]."""
    rng = np.random.default_rng(seed)
    return [torch.from_numpy(rng.standard_normal((HEADS, LENGTH, WIDTH))) for _ in range(count)]


def refused(workload: DeviceWorkload, got: Any, given: list[Any]) -> bool:
    """Compare as the judge does on a GPU."""
    arithmetic = Arithmetic("cpu", lambda *_: pytest.fail("no memory is needed"))
    spec = workload.spec(np.random.default_rng(0), 0)
    found = arithmetic.disagreement(got, given, workload.truth, workload.tolerance(spec))
    return found is not None


def test_the_truth_of_gradients_is_that_of_the_kernels() -> None:
    q, k, v, dout = tensors(4)
    got = speeds.GRADIENTS_ON_GPU.truth(q, k, v, dout, SCALE, True)
    given = [x.numpy() for x in (q, k, v)]
    out = attentions.attention(*given, SCALE, True)
    lse = gradients.log_sums(*given[:2], SCALE, True)
    want = gradients.gradients(*given, out, dout.numpy(), lse, SCALE, True)
    assert np.abs(got.numpy() - want).max() < 1e-12


def test_the_truth_with_a_cap_is_that_of_the_cpu() -> None:
    q, k, v = tensors(3)
    got = speeds.CAPPED_ON_GPU.truth(q, k, v, True, speeds.CAP)
    want = attentions.capped_attention(q.numpy(), k.numpy(), v.numpy(), True, speeds.CAP)
    assert np.abs(got.numpy() - want).max() < 1e-12


def test_the_baselines_are_right(baselines: ModuleType) -> None:
    given = [x.float() for x in tensors(4)]
    grads = torch.empty(HEADS, 3 * LENGTH, WIDTH)
    baselines.fused_gradients(*given, SCALE, True, grads)
    assert not refused(speeds.GRADIENTS_ON_GPU, grads, [*given, SCALE, True])
    out = torch.empty_like(given[0])
    baselines.capped(*given[:3], True, speeds.CAP, out)
    assert not refused(speeds.CAPPED_ON_GPU, out, [*given[:3], True, speeds.CAP])


def test_wrong_gradients_are_refused() -> None:
    q, k, v, dout = tensors(4)
    truth = speeds.GRADIENTS_ON_GPU.truth
    right = truth(q, k, v, dout, SCALE, True)
    given = [q, k, v, dout, SCALE, True]
    unscaled = right.clone()
    unscaled[:, LENGTH : 2 * LENGTH] /= SCALE
    swapped = right.roll(LENGTH, dims=1)
    for wrong in (unscaled, swapped, truth(q, k, v, dout, SCALE, False)):
        assert refused(speeds.GRADIENTS_ON_GPU, wrong, given)
    half = right.half()
    assert not refused(speeds.GRADIENTS_ON_GPU, half, given)


def test_attention_without_its_cap_or_in_half_precision_is_refused() -> None:
    q, k, v = tensors(3)
    given = [q, k, v, True, speeds.CAP]
    truth = speeds.CAPPED_ON_GPU.truth
    rounded = [x.half().double() for x in (q, k, v)]
    for wrong in (truth(q, k, v, True, 1e9), truth(q, k, v, False, speeds.CAP), rounded[2]):
        assert refused(speeds.CAPPED_ON_GPU, wrong, given)
    assert refused(speeds.CAPPED_ON_GPU, truth(*rounded, True, speeds.CAP), given)
    assert not refused(speeds.CAPPED_ON_GPU, truth(*given).float(), given)


@pytest.mark.parametrize("number", range(12))
def test_the_reference_of_a_gpu_is_right(tiled: ModuleType, number: int) -> None:
    """Tests what `attention` calls for tensors on a GPU, with CPU tensors."""
    case = [*attentions.capped_cases(np.random.default_rng(2))][number]
    q, k, v = (
        torch.from_numpy(a.rounded()) for a in case.arguments[:3] if isinstance(a, InputTensor)
    )
    causal, cap = case.arguments[3:]
    out = torch.full_like(q, torch.nan)
    ahead = k.shape[1] - q.shape[1] if causal else None
    tiled.all_heads_at_once(q * (root(q) / (cap or 1.0)), k, v, ahead, cap, out)
    want = attentions.capped_attention(q.numpy(), k.numpy(), v.numpy(), bool(causal), float(cap))
    assert np.abs(out.numpy() - want).max() < 1e-9


def root(q: Any) -> float:
    return float(q.shape[2]) ** -0.5


def test_draws_have_a_recipe_for_each_tensor() -> None:
    rng = np.random.default_rng(0)
    spec = speeds.GRADIENTS_ON_GPU.spec(rng, 0)
    drawn = list(speeds.GRADIENTS_ON_GPU.draws(rng, spec, True))
    assert len(drawn) == 4
    assert all(isinstance(recipe, Normal) for recipe in drawn)


def test_gradients_need_seven_products() -> None:
    spec = speeds.GRADIENTS_ON_GPU.spec(np.random.default_rng(0), 0)
    forward = speeds.ON_GPU.spec(np.random.default_rng(0), 0)
    assert speeds.flops_of_gradients(spec) == 7 * speeds.flops_of_call(forward) // 2
