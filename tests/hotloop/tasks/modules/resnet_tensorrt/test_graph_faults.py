"""Pairs of models whose outputs depart: what counts as a departure."""

import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hotloop.judge.onnx.programs import TRUSTED
from hotloop.tasks.modules.resnet_tensorrt import tasks

pytest.importorskip("onnx", reason="the optional group onnx is not installed")

PROGRAMS = Path(tasks.__file__).parent / "programs"


@pytest.fixture
def departure(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes programs importable by each other."""
    monkeypatch.syspath_prepend(TRUSTED)
    monkeypatch.syspath_prepend(PROGRAMS)
    known = set(sys.modules)
    yield runpy.run_path(str(PROGRAMS / "graph_faults.py"))["_departure"]
    for name in set(sys.modules) - known:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("want", "got", "expected"),
    [
        ([0.0, 0.0], [0.0, 0.0], 0.0),
        ([0.0, 0.0], [0.0, 0.5], np.inf),
        ([1.0, -4.0], [1.0, -3.0], 0.25),
        ([1.0, -4.0], [1.0], np.inf),
    ],
)
def test_a_departure_is_a_share_of_the_largest_value(
    departure: Any, want: list[float], got: list[float], expected: float
) -> None:
    assert departure(np.array(want), np.array(got)) == expected
