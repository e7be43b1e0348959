"""The entries that every judging of the augmentation includes."""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch

from hotloop.core import paths
from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import InputTensor
from hotloop.judge.gpu.arithmetic import Arithmetic
from hotloop.tasks.modules.profile_training_loop import augmentation
from hotloop.tasks.modules.profile_training_loop.given_files import AUGMENT_CHAIN, GIVEN


@pytest.mark.parametrize("seed", range(40))
def test_each_corner_is_cut_mirrored_and_not(seed: int) -> None:
    *_, edges = augmentation.cases(np.random.default_rng(seed))
    images, rows = edges.arguments
    assert isinstance(images, InputTensor)
    assert isinstance(rows, InputTensor)
    asked = {tuple(row[1:]) for row in rows.values.astype(int).tolist()}
    assert asked == set(product((0, 4, 8), (0, 4, 8), (0, 1)))
    assert {0, len(images.values) - 1} <= set(rows.values[:, 0].astype(int).tolist())


@pytest.mark.parametrize("hostile", [False, True])
def test_on_a_card_the_truth_is_the_same_and_the_baseline_computes_it(
    hostile: bool, load_file: Callable[[Path], ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(augmentation, "GPU_IMAGES", 30)
    monkeypatch.setattr(augmentation, "GPU_BATCH", 50)
    spec = augmentation.ON_GPU.spec(np.random.default_rng(0), 0)
    draws = augmentation.ON_GPU.draws(np.random.default_rng(0), spec, hostile)
    card = Arithmetic("cpu", lambda _address, _size: None)
    tensors = [a for a in spec.arguments if isinstance(a, TensorSpec)]
    images, rows = (card.draw(t, d, 7) for t, d in zip(tensors, draws, strict=True))
    assert set(rows[:, 1].tolist()) <= ({0, 8} if hostile else set(range(9)))
    assert rows.max(0).values.tolist() == [29, 8, 8, 1]
    want = augmentation.augmented(images.numpy().astype(float), rows.numpy())
    exact = augmentation.ON_GPU.truth(images.double(), rows.double())
    np.testing.assert_array_equal(exact.numpy(), want)
    out = torch.empty(spec.out.shape)
    load_file(AUGMENT_CHAIN.path).augment(images, rows, out)
    np.testing.assert_allclose(out.numpy(), want, rtol=1e-5, atol=1e-5)


def test_one_kernel_computes_what_the_operations_do(
    load_file: Callable[[Path], ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tests the reference's GPU code, not compiled."""
    monkeypatch.syspath_prepend(str(GIVEN))
    training = load_file(paths.solutions() / "profile_training_loop" / "training.py")
    for case in augmentation.cases(np.random.default_rng(3)):
        images, rows = (torch.from_numpy(a.values) for a in case.arguments)
        out = torch.empty(case.out.shape)
        statistics = training._statistics(images.device)
        training._in_one_kernel(images.to(torch.uint8), rows, *statistics, out)
        want = augmentation.augmented(images.numpy().astype(float), rows.numpy())
        np.testing.assert_allclose(out.numpy(), want, rtol=1e-5, atol=1e-5)
