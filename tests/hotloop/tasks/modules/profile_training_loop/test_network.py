"""The judge's numbers about the networks against PyTorch's own."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from hotloop.core import paths
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.tasks.modules.profile_training_loop.network import RESNET50, SMALL, Network
from hotloop.tasks.modules.profile_training_loop.weights import Agreement, Entry


@pytest.fixture(scope="module")
def resnet(load_file: Callable[[Path], ModuleType]) -> ModuleType:
    return load_file(paths.exercises() / "profile_training_loop" / "resnet.py")


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
    assert isinstance(plan, InputTensor)
    assert plan.values.shape == (1, 32, 4)
    assert len(set(plan.values[0, :, 0].tolist())) == 32


def a_step(resnet: ModuleType, case: Case, images: int, *, bfloat16: bool) -> np.ndarray:
    """Return the weights after one step of plain gradient descent on so many of the images."""
    given = [torch.from_numpy(a.values) for a in case.arguments if isinstance(a, InputTensor)]
    samples = given[2][0, :images, 0].long()
    model = resnet.ResNet(resnet.RESNET50)
    resnet.unpack(model, given[3].float())
    with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16):
        scores = model(given[0][samples].movedim(-1, 1).float() / 64 - 2)
        loss = torch.nn.functional.cross_entropy(scores, given[1][samples].long())
    loss.backward()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter -= 0.01 * parameter.grad
    weights = torch.empty(RESNET50.size)
    resnet.pack(model, weights)
    return weights.double().numpy()


@pytest.mark.slow
def test_a_gpus_network_tells_bfloat16_from_half_of_the_samples(resnet: ModuleType) -> None:
    """At the usual scale of 1, both would be equally far from float32."""
    case = next(iter(RESNET50.cases(np.random.default_rng(7))))
    initial = case.arguments[-1]
    assert isinstance(initial, InputTensor)
    want = a_step(resnet, case, 32, bfloat16=False)
    rounded = a_step(resnet, case, 32, bfloat16=True)
    assert RESNET50.agreement.disagreement(initial.rounded(), rounded, want) is None
    half = a_step(resnet, case, 16, bfloat16=False)
    assert RESNET50.agreement.disagreement(initial.rounded(), half, want) is not None


# --- agreement of weights -------------------------------------------------------------------------

PLAIN = Agreement([Entry("a", 200, True), Entry("b", 100, False)], median=0.1, each=0.5)


def trained(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    initial = rng.standard_normal(300)
    return initial, initial + 0.01 * rng.standard_normal(300)


INITIAL, WANT = trained()


@pytest.mark.parametrize(
    ("got", "message"),
    [
        (WANT + 1e-4 * np.random.default_rng(9).standard_normal(300), None),
        (INITIAL + (trained(1)[1] - trained(1)[0]), "`a` was not trained as it should be"),
        (np.concatenate([WANT[:200], INITIAL[200:]]), "`b` was not trained"),
        (np.where(np.arange(300) == 7, np.nan, WANT), "never written"),
        (INITIAL + 1.2 * (WANT - INITIAL), "just these samples"),
    ],
    ids=["rounded", "another training", "a tensor stood still", "poison", "small differences"],
)
def test_weights_agree_up_to_rounding(got: np.ndarray, message: str | None) -> None:
    mismatch = PLAIN.disagreement(INITIAL, got, WANT)
    assert (mismatch is None) if message is None else message in str(mismatch)
