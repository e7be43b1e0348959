"""The entries that every judging of the augmentation asks for."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from hotloop.checks.profile_training_loop import augmentation
from hotloop.judge.rungs.correct import Tensor


@pytest.mark.parametrize("seed", range(40))
def test_each_corner_is_cut_mirrored_and_not(seed: int) -> None:
    *_, edges = augmentation.cases(np.random.default_rng(seed))
    images, rows = edges.arguments
    assert isinstance(images, Tensor)
    assert isinstance(rows, Tensor)
    asked = {tuple(row[1:]) for row in rows.values.astype(int).tolist()}
    assert asked == set(product((0, 4, 8), (0, 4, 8), (0, 1)))
    assert {0, len(images.values) - 1} <= set(rows.values[:, 0].astype(int).tolist())
