"""The network in PyTorch alone, tested on a CPU: requirements and refusals."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from hotloop.core import paths
from hotloop.judge.checks.correct import Case
from hotloop.judge.compare import Floats
from hotloop.tasks.modules.resnet_tensorrt import engines, torch_resnet50

torch = pytest.importorskip("torch")


@pytest.fixture(name="torch_gpu", scope="module")
def _torch_gpu(load_file: Callable[[Path], ModuleType]) -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*paths.beside_notebook("resnet_tensorrt"), *sys.path])
        # Another module's exercise has a file of that name, which another test may have imported.
        patch.delitem(sys.modules, "resnet", raising=False)
        return load_file(paths.solutions() / "resnet_tensorrt" / "torch_gpu.py")


def cases() -> list[Case]:
    return [*torch_resnet50._cases(np.random.default_rng(0), (1, 2))]


def test_the_last_case_is_another_network_in_a_shape_that_was_there() -> None:
    first, _, last = cases()
    assert first.arguments[0] != last.arguments[0]
    assert first.spec.arguments[1] == last.spec.arguments[1]


def test_a_timed_call_has_the_weights_seed_and_frames() -> None:
    spec = torch_resnet50._timed_spec(np.random.default_rng(0), 0)
    number, frames = spec.arguments
    assert isinstance(number, int)
    assert spec.out.shape == (torch_resnet50.TIMED, engines.CLASSES)
    assert frames.shape == (torch_resnet50.TIMED, engines.SIDE, engines.SIDE, 3)
    assert torch_resnet50.GPU_FAST.fewest_flops(spec) == torch_resnet50.TIMED * engines.FLOPS


@pytest.mark.parametrize(
    ("mismatch", "share"),
    [
        (torch_resnet50.float_mismatch, torch_resnet50.FLOAT_SHARE),
        (engines.mismatch, engines.HALF_SHARE),
    ],
)
def test_an_error_is_judged_by_the_largest_logit(
    mismatch: Callable[[Case, Floats, Floats], str | None], share: float
) -> None:
    want = np.random.default_rng(1).standard_normal((2, engines.CLASSES))
    off = np.zeros_like(want)
    off[1, 7] = np.abs(want).max() * share
    assert mismatch(cases()[0], want + 0.9 * off, want) is None
    assert "a logit is wrong" in (mismatch(cases()[0], want + 1.1 * off, want) or "")


def test_nothing_is_left_to_normalize(torch_gpu: ModuleType) -> None:
    made = torch_gpu.folded(torch_gpu.network(3))
    kinds = [type(module).__name__ for module in made.modules()]
    assert kinds.count("Conv2d") == 53
    assert "BatchNorm2d" not in kinds


@torch.no_grad()
def test_half_precision_with_channels_last_is_near_enough(torch_gpu: ModuleType) -> None:
    """Tests the reference's GPU code as far as a CPU can.

    bfloat16 is four times as coarse as float16, which few CPUs multiply.
    """
    frames = torch.randint(256, (2, 64, 64, 3), dtype=torch.uint8)
    exact = torch_gpu.Camera(5)
    want = exact(frames).double().numpy()
    coarse: Any = torch_gpu.Camera(5)
    coarse.dtype = torch.float16
    coarse.network.to(coarse.dtype, memory_format=torch.channels_last)
    got = coarse(frames)
    assert got.dtype is torch.float32
    assert engines.mismatch(cases()[0], got.double().numpy(), want) is None
    assert torch_resnet50.float_mismatch(cases()[0], got.double().numpy(), want) is not None
