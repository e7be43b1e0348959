"""Recordings and profiles of PyTorch/XLA: which ones the judge believes, without PyTorch/XLA."""

from typing import Any

import pytest

from hotloop.tasks.modules.xla_vs_eager import lazy_profiles, mnist

SIZES = [8, 8, 5, 8]


def recording(**other: Any) -> dict[str, Any]:
    """Return a recording of SIZES: two graphs, four executions, 1 s of each, in 2.5 s of steps."""
    metrics = {"CompileTime": [3, 5e8], "ExecuteTime": [9, 1e8]}
    after = {"CompileTime": [5, 1.5e9], "ExecuteTime": [13, 1.1e9]}
    steps = {"eager": [0.5, 0.5, 0.5, 0.5], "xla": [1.0, 0.5, 0.5, 0.5]}
    return {**steps, "before": metrics, "after": after, **other}


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({}, None),
        ({"eager": [0.5] * 3}, "not 4 numbers"),
        ({"xla": None}, "not 4 numbers"),
        ({"xla": [True] * 4}, "not 4 numbers"),
        ({"after": {"CompileTime": [5, 1.5e9]}}, "no [samples, nanoseconds] of ExecuteTime"),
        ({"before": []}, "no [samples, nanoseconds] of CompileTime"),
        ({"after": {"CompileTime": [5, 1e9], "ExecuteTime": [17, 1e9]}}, "8 graphs ran in 4"),
        ({"after": {"CompileTime": [4, 1e9], "ExecuteTime": [13, 1e9]}}, "for 2 batch sizes"),
        ({"xla": [0.1] * 4}, "less than compiling and executing"),
        ({"eager": [9.0] * 4}, "and all of the call 5.00 s"),
    ],
)
def test_what_cannot_be_in_a_recording(other: dict[str, Any], words: str | None) -> None:
    mismatch = mnist.recording_mismatch(recording(**other), SIZES, took=5.0)
    assert mismatch is None if words is None else words in (mismatch or "")


def test_no_gain_never_pays() -> None:
    truth = mnist.truth_of(recording())
    assert truth["break_even"] is None
    assert (truth["compilations"], truth["executions"], truth["compile_s"]) == (2, 4, 1.0)
    assert mnist.truth_of(recording(eager=[0.75] * 4))["break_even"] == 4


def event(name: str, ts: float, dur: float, **args: Any) -> dict[str, Any]:
    return {"ph": "X", "name": name, "ts": ts, "dur": dur, "args": args}


def xla_events(executions: list[int]) -> list[dict[str, Any]]:
    """Return steps of 10 µs at 0, 100, …, each with this many executions behind its range."""
    events: list[dict[str, Any]] = []
    for number, count in enumerate(executions):
        start = 100.0 * number
        events += [event("fit", start, 10.0, step_num=str(number)), event("load", start + 1, 2.0)]
        events += [
            event(f"tanh.{k}", start + 20 + k, 1.0, hlo_op=f"tanh.{k}") for k in range(count)
        ]
        events += [event("tanh_too", start + 50, 1.0)]
    return events


def test_executions_belong_to_the_step_that_began_last() -> None:
    rounds = [4, 9, 2, 5, 7]
    assert not list(lazy_profiles.xla_mismatches(xla_events([2, 5]), 2, "fit", rounds))
    for wrong in ([2, 6], [2, 2], [4, 2], [0, 7]):
        assert list(lazy_profiles.xla_mismatches(xla_events(wrong), 2, "fit", rounds))
    assert list(lazy_profiles.xla_mismatches(xla_events([2, 5]), 3, "fit", rounds))


def test_operators_are_counted_once_with_what_they_dispatch_to() -> None:
    events = [event("fit 0", 0, 10), event("aten::tanh", 1, 2), event("aten::tanh", 1.5, 1)]
    assert not list(lazy_profiles.host_mismatches(events, 1, "fit", [1] * 6))
    more = [*events, event("aten::tanh", 4, 1)]
    assert list(lazy_profiles.host_mismatches(more, 1, "fit", [1] * 6))
    assert list(lazy_profiles.host_mismatches(events[1:], 1, "fit", [1] * 6))


def test_what_a_step_spends() -> None:
    events = [*xla_events([2, 3]), event("PjRtComputationClient::Compile", 105, 30)]
    assert lazy_profiles.spent(events) == [
        {"step": 0, "load_us": 2.0, "compile_us": 0, "execute_us": 2.0},
        {"step": 1, "load_us": 2.0, "compile_us": 30.0, "execute_us": 3.0},
    ]
