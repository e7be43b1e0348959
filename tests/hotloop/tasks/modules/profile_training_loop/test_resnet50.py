"""Requirements of a trace of the network: each missing one is named."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest

from hotloop.core.verdict import Ruling
from hotloop.tasks.modules.profile_training_loop import resnet50
from hotloop.tasks.modules.profile_training_loop.hidden_loops import UnseenNetwork

STEPS, BATCH, BEFORE = 2, 4, 3
NETWORK = UnseenNetwork(seed=5, width=8, blocks=(2, 2, 3, 2))
BFLOAT16 = "c10::BFloat16"
DONE: dict[str, Any] = {"ph": "X", "cat": "cpu_op"}


def events(kind: str = "float", before: int = BEFORE) -> list[dict[str, Any]]:
    """Events of the training steps, as torch.profiler writes them."""
    events: list[dict[str, Any]] = []
    for call in islice(NETWORK.calls(BATCH, kind), before, before + STEPS):
        for images, weights, type_name in call.elements():
            arguments = {
                "Input Dims": [list(images), list(weights), []],
                "Input type": [type_name, type_name, ""],
            }
            events.append({**DONE, "name": resnet50.CONVOLUTION, "args": arguments})
            events.append({**DONE, "name": resnet50.BACKWARD})
        events.append({**DONE, "name": "Optimizer.step#SGD.step"})
    return events


def run_of(rows: list[dict[str, Any]]) -> resnet50.Run:
    data = json.dumps({"traceEvents": rows}).encode()
    return resnet50._run((2, 3), 1000.0, data)  # pyright: ignore[reportPrivateUsage]


def mismatches(run: resnet50.Run, wanted: str = "float") -> list[str]:
    recording = resnet50.Recording({}, NETWORK, STEPS, BATCH, {})
    return list(resnet50._mismatches(run, recording, wanted))  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize("before", range(2, 8))
def test_the_networks_convolutions_are_accepted(before: int) -> None:
    """Some calls may come before those that the profiler counts."""
    assert mismatches(run_of(events(before=before))) == []
    assert mismatches(run_of(events(BFLOAT16, before)), BFLOAT16) == []


def test_convolutions_of_other_calls_are_refused() -> None:
    assert "not those of the network" in mismatches(run_of(events(before=1)))[0]
    assert "not those of the network" in mismatches(run_of(events(before=9)))[0]


def test_types_that_were_all_renamed_are_refused() -> None:
    renamed = json.loads(json.dumps(events()).replace('"float"', f'"{BFLOAT16}"'))
    assert "in float32 by itself" in mismatches(run_of(renamed), BFLOAT16)[0]


def of_type(type_name: str) -> Callable[[resnet50.Run], resnet50.Run]:
    def change(run: resnet50.Run) -> resnet50.Run:
        rows = ((*shapes, type_name) for *shapes, _ in run.convolutions.elements())
        return replace(run, convolutions=Counter(rows))  # pyright: ignore[reportArgumentType]

    return change


def test_each_thing_that_is_missing_is_named() -> None:
    right = run_of(events())
    larger = [(key, n) for key, n in right.convolutions.items() if key[0][1] != 3]
    stem = ((8, 3, 32, 32), (8, 3, 3, 3), "float")
    more = right.convolutions + Counter({((BATCH, 8, 32, 32), (8, 3, 3, 3), "float"): 1})
    for wrong, word in (
        (replace(right, numbers=(2,)), "steps"),
        (replace(right, numbers=(0, 1)), "step 0"),
        (replace(right, convolutions=Counter()), "shapes"),
        (replace(right, convolutions=more), "not those of the network"),
        (replace(right, convolutions=Counter(dict([*larger, (stem, 2)]))), "batches of 4"),
        (replace(right, backwards=53), "backward"),
        (replace(right, updates=0), "optimizer"),
        (of_type("double")(right), "double"),
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
