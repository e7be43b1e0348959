"""Traces of the installed torch are read, with torch's own figures."""

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
import torch
from torch.profiler import ProfilerActivity, profile

from hotloop.engines import trace

from .conftest import STEPS, Recorded


@pytest.mark.slow
def test_every_event_of_the_file_is_counted(recorded: Recorded) -> None:
    document = json.loads(recorded.path.read_text())
    read = trace.read(recorded.path)
    assert read.events == len(document["traceEvents"])
    kinds = Counter(event.get("cat") for event in document["traceEvents"])
    assert sum(row.calls for row in read.ops()) == kinds["cpu_op"] > 100


@pytest.mark.slow
def test_what_was_recorded(recorded: Recorded, plain: Recorded) -> None:
    full, bare = trace.read(recorded.path), trace.read(plain.path)
    assert (full.has_shapes, full.has_memory, full.has_stacks, full.has_gpu) == (True,) * 3 + (
        False,
    )
    assert (bare.has_shapes, bare.has_memory, bare.has_stacks, bare.has_gpu) == (False,) * 4


def test_self_time_is_what_the_profiler_says(plain: Recorded) -> None:
    rows = {row.name: row for row in trace.read(plain.path).ops()}
    ranges = ("ProfilerStep", "Optimizer", "load", "forward", "backward")
    assert rows.keys() == {name for name in plain.calls if not name.startswith(ranges)}
    for name, row in rows.items():
        assert row.calls == plain.calls[name]
        # Integer nanoseconds here; torch uses microseconds of the same clock.
        assert row.self_us == pytest.approx(plain.self_us[name], abs=0.01 * row.calls), name
    assert sum(row.share for row in rows.values()) == pytest.approx(1)


def test_calls_are_what_the_profiler_says_also_with_stacks(recorded: Recorded) -> None:
    rows = trace.read(recorded.path).ops()
    assert len(rows) > 20
    assert {row.name: row.calls for row in rows} == {r.name: recorded.calls[r.name] for r in rows}


def test_steps_and_their_ranges(recorded: Recorded) -> None:
    read = trace.read(recorded.path)
    assert [step.number for step in read.steps] == [2, 3, 4]
    for step in read.steps:
        rows = {row.name: row for row in read.ranges(step.number)}
        assert {"load <b>data</b>", "forward", "backward"} < rows.keys()
        assert all(row.calls == 1 for row in rows.values())
        assert sum(row.self_us for row in rows.values()) <= step.duration_us
        (convolution,) = [r for r in read.ops(step) if r.name == "aten::convolution"]
        assert convolution.calls == 1
    assert sum(row.calls for row in read.ops_in_steps()) == sum(
        row.calls for step in read.steps for row in read.ops(step)
    )
    with pytest.raises(ValueError, match="no step 9 in this trace; it has 2, 3, 4"):
        read.ops(step=9)


def test_no_step_is_a_range(plain: Recorded) -> None:
    assert not [r for r in trace.read(plain.path).ranges() if "ProfilerStep" in r.name]


def test_one_item_is_two_operators_and_one_that_is_outermost(recorded: Recorded) -> None:
    waits = trace.read(recorded.path).synchronizations
    assert Counter(wait.name for wait in waits) == {
        "aten::item": STEPS,
        "aten::_local_scalar_dense": STEPS,
    }
    assert [wait.name for wait in waits if wait.outermost] == ["aten::item"] * STEPS


def test_memory_as_the_file_has_it(recorded: Recorded) -> None:
    document = json.loads(recorded.path.read_text())
    noted = [e["args"] for e in document["traceEvents"] if e.get("name") == "[memory]"]
    read = trace.read(recorded.path)
    sizes = [args["Bytes"] for args in noted if args["Bytes"] > 0]
    assert sorted(a.bytes for a in read.allocations) == sorted(sizes)
    assert {a.device for a in read.allocations} == {"cpu"}
    assert read.largest_allocation is not None
    assert read.largest_allocation.bytes == max(sizes)
    assert read.peak_bytes == max(args["Total Allocated"] for args in noted)


def test_memory_that_was_not_profiled(plain: Recorded) -> None:
    read = trace.read(plain.path)
    assert read.largest_allocation is None
    assert read.peak_bytes is None
    assert len(read.allocations) == 0


def test_without_a_gpu_there_is_no_idle_share(plain: Recorded) -> None:
    read = trace.read(plain.path)
    assert read.gpu_idle_share() is None
    assert (len(read.kernels), len(read.copies), len(read.launches)) == (0, 0, 0)


def test_a_large_known_allocation_is_the_largest(tmp_path: Path) -> None:
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as prof:
        torch.empty(1000, 1000)
        torch.empty(10)
    prof.export_chrome_trace(str(tmp_path / "t.json"))
    read = trace.read(tmp_path / "t.json")
    assert read.largest_allocation is not None
    assert read.largest_allocation.bytes == 4_000_000
    assert read.steps == ()


def test_compressed_and_not_is_the_same(plain: Recorded, tmp_path: Path) -> None:
    path = tmp_path / "unpacked.json"
    path.write_bytes(gzip.decompress(plain.path.read_bytes()))
    assert trace.read(path).ops() == trace.read(plain.path).ops()
