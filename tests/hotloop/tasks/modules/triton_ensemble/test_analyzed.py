"""Requirements of a sweep by perf_analyzer and of settings, without a server."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hotloop.core.verdict import Ruling
from hotloop.engines.serving.conversation import ReceivedCall, RelayedRequest
from hotloop.engines.serving.relay import RelayRecord
from hotloop.tasks.modules.triton_ensemble import analyzed
from hotloop.tasks.modules.triton_ensemble.analyzer_reports import (
    CLIENTS,
    COLUMNS,
    MEAN,
    P95,
    QUEUE,
    RATE,
)

LOADS = [1, 4, 16]
PER_SECOND = 400


def seen(seconds: float = 1.0) -> RelayRecord:
    """Return a relay's notes of a load of this duration."""
    request = RelayedRequest(inference=True, what="bert")
    times = [number / PER_SECOND for number in range(round(PER_SECOND * seconds))]
    return RelayRecord(
        {"http": 16, "grpc": 0},
        tuple(ReceivedCall("http", request, 0, 8, t, refused=False) for t in times),
        "",
        "",
    )


def report(rates: Sequence[int] = (100, 300, PER_SECOND)) -> str:
    rows = [
        {**dict.fromkeys(COLUMNS, 0), CLIENTS: load, RATE: rate, P95: 9000, MEAN: 5000, QUEUE: 100}
        for load, rate in zip(LOADS, rates, strict=True)
    ]
    lines = [",".join(COLUMNS), *(",".join(str(row[name]) for name in COLUMNS) for row in rows)]
    return "\n".join(lines)


def told(**changed: Any) -> dict[str, Any]:
    rows = [
        {"clients": load, "per_second": rate, "p95_us": 9000}
        for load, rate in zip(LOADS, (100, 300, PER_SECOND), strict=True)
    ]
    return {"report": report(), "rows": rows, **changed}


def test_a_true_report_that_was_read_right_is_accepted() -> None:
    analyzed._require_rows(told(), LOADS, seen())  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize(
    ("answer", "notes", "said"),
    [
        (3, seen(), "must return a dict"),
        (told(), seen(0.1), "inferences"),
        (told(), replace(seen(), excess="It opened more than 256 connections"), "connections"),
        (told(report="a,b\n1,2"), seen(), "not the CSV"),
        (told(report=report().rpartition("\n")[0]), seen(), "the loads"),
        (told(report=report((100, 300, 4000))), seen(), "return the report of this run"),
        (told(rows=told()["rows"][:2]), seen(), "2 entries for 3 loads"),
        (told(rows=[*told()["rows"][:2], {"clients": 5}]), seen(), "5 clients"),
        (told(rows=[{**row, "p95_us": 8000} for row in told()["rows"]]), seen(), "p95_us at 1"),
    ],
)
def test_what_is_wrong_with_a_sweep_is_named(answer: Any, notes: RelayRecord, said: str) -> None:
    with pytest.raises(Ruling, match=said):
        analyzed._require_rows(answer, LOADS, notes)  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize(
    ("batching", "said"),
    [
        ("max_batch_size: 16 dynamic_batching { }", "preferred_batch_size"),
        ("max_batch_size: 1 dynamic_batching { preferred_batch_size: [ 1 ] }", "above 1"),
        ("max_batch_size: 8 dynamic_batching { preferred_batch_size: [ 16 ] }", "above it"),
        ("max_batch_size: 8 dynamic_batching { preferred_batch_size: [ 8 ] }", "instance_group"),
    ],
)
def test_each_setting_that_is_left_out_is_named(tmp_path: Path, batching: str, said: str) -> None:
    (tmp_path / "bert").mkdir()
    config = tmp_path / "bert" / "config.pbtxt"
    config.write_text(f'name: "bert" backend: "onnxruntime" {batching}')
    with pytest.raises(Ruling, match=said):
        analyzed._require_settings(tmp_path)  # pyright: ignore[reportPrivateUsage]
    right = "max_batch_size: 8 dynamic_batching { preferred_batch_size: [ 4, 8 ] }"
    config.write_text(f'name: "bert" {right} instance_group [ {{ count: 1 }} ]')
    analyzed._require_settings(tmp_path)  # pyright: ignore[reportPrivateUsage]
