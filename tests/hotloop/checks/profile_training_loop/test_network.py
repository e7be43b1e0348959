"""The judge's numbers about the networks against PyTorch's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from hotloop.checks.profile_training_loop.network import RESNET50, SMALL, Network
from hotloop.core import paths
from hotloop.judge.rungs.correct import Tensor
from hotloop.judge.weights import Agreement, Entry


@pytest.fixture(scope="module")
def resnet(load_file: Callable[[Path], ModuleType]) -> ModuleType:
    return load_file(paths.solutions() / "profile_training_loop" / "resnet.py")


@pytest.mark.parametrize(("network", "size"), [(SMALL, "SMALL"), (RESNET50, "RESNET50")])
def test_its_layers_are_those_of_the_model(resnet: ModuleType, network: Network, size: str) -> None:
    state = resnet.ResNet(getattr(resnet, size)).state_dict()
    assert [(layer.name, layer.shape) for layer in network.layers] == [
        (name, tuple(tensor.shape)) for name, tensor in state.items()
    ]
    assert network.size == sum(tensor.numel() for tensor in state.values())


def test_flops_are_those_that_pytorch_counts(resnet: ModuleType) -> None:
    model = resnet.ResNet(resnet.SMALL)
    counter = FlopCounterMode(display=False)
    with counter:
        model(torch.zeros(4, 3, 32, 32))
    spec = SMALL.call(images=8, steps=1, batch=4)
    assert SMALL.flops(spec) == 3 * counter.get_total_flops()


def test_fresh_weights_begin_as_pytorch_begins() -> None:
    initial = SMALL.initial(np.random.default_rng(3))
    start = 0
    for layer in SMALL.layers:
        part = initial[start : start + int(np.prod(layer.shape))]
        start += part.size
        if layer.start is not None:
            assert set(part.tolist()) == {layer.start}
        else:
            assert abs(part.std() / np.sqrt(2 / np.prod(layer.shape[1:])) - 1) < 0.35


def test_a_plan_takes_every_image_as_often_as_every_other() -> None:
    case = next(iter(SMALL.cases(np.random.default_rng(5))))
    plan = case.arguments[2]
    assert isinstance(plan, Tensor)
    assert plan.values.shape == (1, 32, 4)
    assert len(set(plan.values[0, :, 0].tolist())) == 32


# --- agreement of weights -------------------------------------------------------------------------

PLAIN = Agreement([Entry("a", 200, True), Entry("b", 100, False)], median=0.1, each=0.5)


def trained(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    initial = rng.standard_normal(300)
    return initial, initial + 0.01 * rng.standard_normal(300)


def test_the_same_training_agrees_up_to_rounding() -> None:
    initial, want = trained()
    got = want + 1e-4 * np.random.default_rng(9).standard_normal(300)
    assert PLAIN.disagreement(initial, got, want) is None


def test_another_training_does_not() -> None:
    initial, want = trained()
    _, other = trained(1)
    found = PLAIN.disagreement(initial, initial + (other - trained(1)[0]), want)
    assert found == "`a` was not trained as it should be"


def test_a_tensor_that_stood_still_is_named() -> None:
    initial, want = trained()
    got = want.copy()
    got[200:] = initial[200:]
    assert PLAIN.disagreement(initial, got, want) == "`b` was not trained"


def test_poison_is_no_training() -> None:
    initial, want = trained()
    got = want.copy()
    got[7] = np.nan
    found = PLAIN.disagreement(initial, got, want)
    assert found is not None
    assert "never written" in found


def test_small_differences_everywhere_add_up() -> None:
    initial, want = trained()
    got = initial + 1.2 * (want - initial)
    found = PLAIN.disagreement(initial, got, want)
    assert found is not None
    assert "just these samples" in found
