"""The judge's rulings on a file that must meet a device's limits (its `card`)."""

import json
from typing import Any

import numpy as np
import pytest

from hotloop.judge.checks.correct import Case
from hotloop.tasks.modules.yolo_on_mobile import fitting

CARD = fitting.card_of(np.random.default_rng(1), 96, 1_000_000)
GOOD: dict[str, Any] = {
    "external": False,
    "checker": None,
    "inputs": [["pictures", "FLOAT", [1, 3, 96, 96]]],
    "outputs": [
        ["small", "FLOAT", [1, 33, 12, 12]],
        ["middle", "FLOAT", [1, 33, 6, 6]],
        ["large", "FLOAT", [1, 33, 3, 3]],
    ],
    "refused": [],
    "segments": 1,
    "bytes": 400_000,
    "peak_bytes": fitting.PEAK[96],
    "crossing_bytes": 14 * 96 * 96,
}


def test_what_keeps_to_the_card_is_right() -> None:
    assert fitting.mismatch_of(GOOD, CARD) is None
    assert fitting.mismatch_of({**GOOD, "outputs": GOOD["outputs"][::-1]}, CARD) is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"external": True}, "another file"),
        ({"checker": "no"}, "onnx.checker"),
        ({"unknown": "x"}, "how large"),
        ({"inputs": [["pictures", "FLOAT", [1, 3, 100, 100]]]}, "32 divides"),
        ({"inputs": [["pictures", "FLOAT", [1, 3, 96, 128]]]}, "32 divides"),
        ({"outputs": [["table", "FLOAT", [1, 567, 11]]]}, "outputs"),
        ({"refused": ["Slice"]}, "Slice"),
        ({"segments": 2}, "segments"),
        ({"bytes": 500_000}, "bytes"),
        ({"peak_bytes": fitting.PEAK[128]}, "peak_bytes"),
        ({"crossing_bytes": 14 * 128 * 128}, "crossing_bytes"),
    ],
)
def test_what_does_not_is_wrong(change: dict[str, Any], said: str) -> None:
    found = fitting.mismatch_of({**GOOD, **change}, CARD)
    assert found is not None
    assert said in found


@pytest.mark.parametrize("side", fitting.SIDES)
def test_every_card_has_room_for_its_side_and_for_no_larger_one(side: int) -> None:
    for seed in range(50):
        limits = fitting.card_of(np.random.default_rng(seed), side, 1_000_000).limits
        larger = side + fitting.TILE
        assert fitting.PEAK[side] < limits["peak_bytes"] < fitting.PEAK[larger]
        assert 14.72 * side**2 < limits["crossing_bytes"] < 14.71 * larger**2
        assert json.loads(CARD.text)["map"] == fitting.FLOORS[96]


def test_a_floor_is_no_number_for_what_is_none() -> None:
    assert fitting.floor_mismatch(0.9, 0.9) is None
    assert "0.800" in str(fitting.floor_mismatch(0.8, 0.9))
    assert fitting.floor_mismatch(float("nan"), 0.9) is not None


def test_maps_may_be_as_far_off_as_integers_are() -> None:
    want, case = np.arange(1.0, 9.0), Case("", (), fitting._maps(32).out)
    assert fitting.distant(case, want * 1.1, want) is None
    assert fitting.distant(case, want * 1.5, want) is not None
    assert fitting.distant(case, want * np.inf, want) is not None
