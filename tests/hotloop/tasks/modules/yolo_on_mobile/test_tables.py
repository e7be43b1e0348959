"""What a table of boxes says of masked ones."""

import numpy as np
from numpy.typing import NDArray

from hotloop.judge.checks.correct import InputTensor
from hotloop.judge.constants import constants
from hotloop.tasks.modules.yolo_on_mobile import tables

MASKED = -37


def _values() -> list[list[NDArray[np.float64]]]:
    cases = tables.cases(np.random.default_rng(0))
    return [[a.rounded() for a in case.arguments if isinstance(a, InputTensor)] for case in cases]


def test_only_an_objectness_of_minus_infinity_masks_a_box() -> None:
    with constants({"MASKED": MASKED}):
        variant = [(values, tables.truth(*values)) for values in _values()]
    for values, found in variant:
        plain = tables.truth(*values)
        masked = (found[..., :4] == MASKED).all(-1)
        assert masked.any()
        # Others have an objectness of 0 in float32, too.
        assert (plain[..., 4].astype(np.float32) == 0).sum() > masked.sum()
        assert (found[~masked] == plain[~masked]).all()
        assert (found[..., 4:] == plain[..., 4:]).all()


def test_no_box_is_masked_where_nobody_asks_for_it() -> None:
    assert all(np.isfinite(raw).all() for values in _values() for raw in values)
