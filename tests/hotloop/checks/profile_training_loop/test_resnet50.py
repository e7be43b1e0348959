"""Requirements of a ResNet-50 trace: each missing one is named."""

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from hotloop.checks.profile_training_loop import resnet50
from hotloop.core.verdict import Ruling

STEPS, BATCH = 2, 4
DONE: dict[str, Any] = {"ph": "X", "cat": "cpu_op"}


def events(type_name: str = "float") -> list[dict[str, Any]]:
    """Events of the training steps, as torch.profiler writes them."""
    found: list[dict[str, Any]] = []
    for _ in range(STEPS):
        for shape in resnet50.WEIGHTS.elements():
            picture = [BATCH, 3, 32, 32] if shape[1] == 3 else [BATCH, shape[1], 16, 16]
            arguments = {
                "Input Dims": [picture, list(shape), []],
                "Input type": [type_name, type_name, ""],
            }
            found.append({**DONE, "name": resnet50.CONVOLUTION, "args": arguments})
            found.append({**DONE, "name": resnet50.BACKWARD})
        found.append({**DONE, "name": "Optimizer.step#SGD.step"})
    return found


def run_of(rows: list[dict[str, Any]]) -> resnet50.Run:
    data = json.dumps({"traceEvents": rows}).encode()
    return resnet50._run((2, 3), 1000.0, data)  # pyright: ignore[reportPrivateUsage]


def mismatches(run: resnet50.Run, wanted: str = "float") -> list[str]:
    found = resnet50.Recorded({}, STEPS, BATCH, {})
    return list(resnet50._mismatches(run, found, wanted))  # pyright: ignore[reportPrivateUsage]


def test_resnet_50_has_53_convolutions_and_they_are_accepted() -> None:
    assert resnet50.WEIGHTS.total() == 53
    assert mismatches(run_of(events())) == []
    assert mismatches(run_of(events("c10::BFloat16")), "c10::BFloat16") == []


def test_each_thing_that_is_missing_is_named() -> None:
    right = run_of(events())
    for wrong, word in (
        (replace(right, numbers=(2,)), "steps"),
        (replace(right, numbers=(0, 1)), "step 0"),
        (replace(right, weights=Counter()), "shapes"),
        (replace(right, weights=right.weights + Counter({(8, 3, 3, 3): 1})), "53 of"),
        (replace(right, batches=frozenset({(8, 3, 32, 32)})), "batches of 4"),
        (replace(right, backwards=53), "backward"),
        (replace(right, updates=0), "optimizer"),
        (replace(right, types=Counter({"double": 106})), "double"),
    ):
        assert word in mismatches(wrong)[0]


@pytest.mark.parametrize(
    "data",
    [b"\x1f\x8b", b"[]", b"{}", b"[" * 100_000, b'{"traceEvents": 3}'],
    ids=["gzip", "list", "empty", "deep", "number"],
)
def test_a_file_that_is_no_plain_trace_is_refused(data: bytes) -> None:
    with pytest.raises(Ruling, match="plain JSON"):
        resnet50._run((2, 3), 1.0, data)  # pyright: ignore[reportPrivateUsage]


def test_events_of_any_form_are_read() -> None:
    odd: list[Any] = [
        3,
        {"name": resnet50.CONVOLUTION},
        {"name": resnet50.CONVOLUTION, "args": {"Input Dims": 3, "Input type": None}},
        {"name": resnet50.CONVOLUTION, "args": {"Input Dims": [None, "x"], "Input type": [[]]}},
        {"name": 5},
    ]
    assert run_of(odd).backwards == 0
