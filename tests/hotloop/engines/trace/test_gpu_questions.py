"""Queries about a GPU, on traces written by hand (see hand_made.py)."""

from pathlib import Path

import pytest

from hotloop.engines import trace

from .hand_made import copy, kernel, memory, span, two_steps, write


@pytest.fixture
def read(tmp_path: Path) -> trace.Trace:
    return trace.read(write(tmp_path / "gpu.json", two_steps()))


def test_idle_is_what_no_stream_covers(read: trace.Trace) -> None:
    # Step 3: the copy 10, sgemm and relu together 30 of 100. Step 4: 15 + 4 + 1 of 100.
    assert read.gpu_idle_share(3) == pytest.approx(0.6)
    assert read.gpu_idle_share(4) == pytest.approx(0.8)
    assert read.gpu_idle_share() == pytest.approx(0.7)


def test_work_that_runs_into_the_next_step_counts_in_both(tmp_path: Path) -> None:
    events = [
        span("user_annotation", "ProfilerStep#0", 0, 100),
        span("user_annotation", "ProfilerStep#1", 100, 100),
        kernel("long", 80, 60),
        kernel("outside", 250, 50),
    ]
    read = trace.read(write(tmp_path / "t.json", events))
    assert read.gpu_idle_share(0) == pytest.approx(0.8)
    assert read.gpu_idle_share(1) == pytest.approx(0.6)
    assert read.gpu_idle_share() == pytest.approx(0.7)
    assert [len(read.kernels.within(step)) for step in read.steps] == [1, 0]


def test_without_steps_the_whole_trace_is_the_window(tmp_path: Path) -> None:
    events = [span("cpu_op", "aten::mm", 0, 10), kernel("mm", 5, 20), kernel("mm", 35, 5)]
    read = trace.read(write(tmp_path / "t.json", events))
    assert read.gpu_idle_share() == pytest.approx(1 - 25 / 40)


def test_kernels_with_device_and_stream(read: trace.Trace) -> None:
    assert [(k.name, k.start_us, k.duration_us, k.device, k.stream) for k in read.kernels] == [
        ("sgemm", 1035, 20, 0, 7),
        ("relu", 1045, 20, 0, 13),
        ("sgemm", 1115, 15, 0, 7),
    ]
    assert read.kernels[-1].start_us == 1115
    assert [k.name for k in read.kernels[1:]] == ["relu", "sgemm"]
    assert read.kernels.total_us == 55
    with pytest.raises(IndexError):
        read.kernels[3]


def test_copies_say_where_from_and_where_to(read: trace.Trace) -> None:
    first, second = read.copies
    assert (first.direction, first.source, first.target) == ("HtoD", "Pageable", "Device")
    assert (second.direction, second.source, second.target) == ("DtoH", "Device", "Pinned")
    assert (first.bytes, second.bytes) == (4096, 4)
    assert [len(read.copies.within(step)) for step in read.steps] == [1, 1]


@pytest.mark.parametrize(
    ("name", "direction"),
    [
        ("Memcpy DtoD (Device -> Device)", "DtoD"),
        ("Memcpy PtoP (Device -> Device)", "PtoP"),
        ("Memcpy HtoD", "HtoD"),
        ("CopyHostToDevice", "HtoD"),
        ("CopyDeviceToHost", "DtoH"),
        ("something else", "unknown"),
    ],
)
def test_directions(name: str, direction: str, tmp_path: Path) -> None:
    read = trace.read(write(tmp_path / "t.json", [copy(name, 1, 2, 3)]))
    assert read.copies[0].direction == direction


def test_launches(read: trace.Trace) -> None:
    assert [(launch.name, launch.is_graph) for launch in read.launches] == [
        ("cudaLaunchKernel", False),
        ("cuLaunchKernelEx", False),
        ("cudaLaunchKernelExC_v11060", False),
        ("cudaGraphLaunch", True),
    ]
    assert [len(read.launches.within(step)) for step in read.steps] == [1, 3]


@pytest.mark.parametrize("name", ["cudaMemcpyAsync", "cudaLaunchHostFunc", "xcudaLaunchKernel"])
def test_other_calls_are_no_launches(name: str, tmp_path: Path) -> None:
    read = trace.read(write(tmp_path / "t.json", [span("cuda_runtime", name, 1, 2)]))
    assert len(read.launches) == 0


def test_one_item_is_three_waits_and_one_outermost(read: trace.Trace) -> None:
    assert [(wait.name, wait.outermost) for wait in read.synchronizations] == [
        ("aten::item", True),
        ("aten::_local_scalar_dense", False),
        ("cudaStreamSynchronize", False),
        ("cudaDeviceSynchronize", True),
    ]


def test_an_operators_cuda_calls_are_its_own_time(read: trace.Trace) -> None:
    rows = {row.name: row for row in read.ops()}
    assert rows["aten::_local_scalar_dense"].self_us == 23
    assert rows["aten::item"].self_us == 2
    assert rows["aten::linear"].self_us == 10
    assert rows["aten::linear"].share == pytest.approx(10 / 75)


def test_ranges_nest_among_themselves(read: trace.Trace) -> None:
    rows = {row.name: (row.total_us, row.self_us) for row in read.ranges()}
    assert rows == {"load": (20, 20), "forward": (60, 30), "block": (30, 30)}


def test_memory_by_device(read: trace.Trace) -> None:
    assert read.largest_allocation == trace.Allocation(1 << 20, 1040, "cuda:0")
    assert [a.bytes for a in read.allocations] == [4096, 1 << 20, 512]
    assert read.peak_bytes == 4096 + (1 << 20)


def test_only_freed_or_empty_blocks_are_no_allocation(tmp_path: Path) -> None:
    events = [kernel("k", 1, 1), memory(1, 0, 100), memory(2, -50, 50)]
    read = trace.read(write(tmp_path / "t.json", events))
    assert read.has_memory
    assert len(read.allocations) == 0
    assert read.largest_allocation is None
    assert read.peak_bytes == 100
