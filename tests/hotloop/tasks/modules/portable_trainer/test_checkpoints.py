"""Comparison of losses, and damaged checkpoint files."""

import json
import struct

import numpy as np
import pytest

from hotloop.tasks.modules.portable_trainer import checkpoints

damages = checkpoints._damages  # pyright: ignore[reportPrivateUsage]


def file() -> bytes:
    """Return a file in safetensors' format: the length of a header, the header, eight bytes."""
    metadata = {"state": '{"steps": 11}', "digest": "d"}
    header = {"__metadata__": metadata, "x": {"dtype": "F32", "data_offsets": [0, 8]}}
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(range(1, 9))


@pytest.mark.parametrize("seed", range(10))
def test_each_damage_changes_the_file(seed: int) -> None:
    damaged = dict(damages(file(), np.random.default_rng(seed)))
    assert len(damaged) == 9
    assert file() not in damaged.values()
    assert len(damaged["a file with one bit changed"]) == len(file())


def test_losses() -> None:
    assert checkpoints.disagreement([1.0, 2.0], [1.0, 2.0]) is None
    assert "1 steps later" in (checkpoints.disagreement([1.1, 2.0], [1.0, 2.0]) or "")
    assert "2 steps later" in (checkpoints.disagreement([1.0, float("nan")], [1.0, 2.0]) or "")
    assert "there are 1" in (checkpoints.disagreement([1.0], [1.0, 2.0]) or "")
    assert "is nan" in (checkpoints.disagreement(["1.0"], [1.0]) or "")
    assert checkpoints.disagreement([1.01], [1.0], 0.1) is None
