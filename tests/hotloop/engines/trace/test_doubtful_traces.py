"""Traces that profilers really write, with events that cannot be true: read, with a warning."""

import gzip
import json
from pathlib import Path

import pytest
from tests.hotloop.engines.trace.hand_made import Event, kernel, memory, span, two_steps, write

from hotloop.engines import trace
from hotloop.engines.trace import source

FAR = 1_700_000_000_000_000
"""Microseconds: a clock's time, as Kineto writes it."""


def far_steps() -> list[Event]:
    """The hand-made steps, by a clock."""
    return [event | {"ts": event["ts"] + FAR} for event in two_steps()]


def read(tmp_path: Path, events: list[Event]) -> trace.Trace:
    return trace.read(write(tmp_path / "t.json", events))


def test_a_sound_trace_has_no_warnings(tmp_path: Path) -> None:
    for events in (two_steps(), far_steps()):
        found = read(tmp_path, events)
        assert found.warnings == ()
        assert "warning" not in repr(found)


@pytest.mark.parametrize(
    ("event", "says"),
    [
        (kernel("odd", 1050, -12), "Left out 1 of 33 events, because of a negative duration."),
        (span("cpu_op", "odd", 1050, -1), "of a negative duration"),
        ({k: v for k, v in kernel("odd", 1050, 1).items() if k != "dur"}, "of a missing duration"),
        (memory(1050, 1, 1) | {"args": {"Total Reserved": 0}}, "of a missing number of bytes"),
    ],
)
def test_an_unfinished_event_is_left_out(event: Event, says: str, tmp_path: Path) -> None:
    sound = read(tmp_path, two_steps())
    found = read(tmp_path, [*two_steps(), event])
    assert len(found.warnings) == 1
    assert says in found.warnings[0]
    assert found.gpu_idle_share() == sound.gpu_idle_share()
    assert found.ops() == sound.ops()
    assert list(found.kernels) == list(sound.kernels)
    assert list(found.allocations) == list(sound.allocations)
    assert found.warnings[0] in trace.timeline(found).summary


@pytest.mark.parametrize("kind", ["python_function", "overhead", "Trace", "mtia_runtime"])
def test_the_times_of_other_events_do_not_matter(kind: str, tmp_path: Path) -> None:
    other = span(kind, "x", 1050, -1)
    other.pop("ts")
    assert read(tmp_path, [*two_steps(), other]).warnings == ()


def test_a_kernel_at_time_0_is_left_out(tmp_path: Path) -> None:
    sound = read(tmp_path, far_steps())
    found = read(tmp_path, [*far_steps(), *[kernel("lost", 0, 0)] * 5])
    assert found.warnings == (
        "Left out 5 of 37 events, because of the time 0 on a clock that is far from it.",
    )
    assert len(found.kernels) == len(sound.kernels)
    steps = ("ProfilerStep#3", "ProfilerStep#4")
    events = [event for event in far_steps() if event["name"] not in steps]
    share = read(tmp_path, [*events, kernel("lost", 0, 0)]).gpu_idle_share()
    assert share == read(tmp_path, events).gpu_idle_share()


def test_time_0_is_a_time_for_a_clock_that_begins_there(tmp_path: Path) -> None:
    events = [kernel("first", 0, 5), kernel("second", 10, 5)]
    found = read(tmp_path, events)
    assert (len(found.kernels), found.warnings) == (2, ())


def test_a_kernel_of_no_duration_is_told(tmp_path: Path) -> None:
    found = read(tmp_path, [*two_steps(), kernel("lost", 1090, 0)])
    assert found.warnings[0].startswith("1 of 7 GPU events last 0 µs")


def test_a_kernel_that_reaches_over_the_next_ones_is_told(tmp_path: Path) -> None:
    found = read(tmp_path, [*two_steps(), kernel("huge", 1036, 3_400_000)])
    [warning] = found.warnings
    assert "'huge'" in warning
    assert "3.40 s" in warning or "3.4 s" in warning


def test_events_of_several_streams_may_overlap(tmp_path: Path) -> None:
    events = [kernel("a", 1000 + i, 100, stream=i) for i in range(5)]
    assert read(tmp_path, events).warnings == ()


def test_a_clock_s_resolution_is_no_overlap(tmp_path: Path) -> None:
    events = [kernel("a", 1000 + 100 * i, 100.05) for i in range(50)]
    assert read(tmp_path, events).warnings == ()


def test_two_ranks_in_one_file_are_told(tmp_path: Path) -> None:
    other = [event | {"pid": event["pid"] + 1000, "ts": event["ts"] + 30} for event in two_steps()]
    [warning] = read(tmp_path, [*two_steps(), *other]).warnings
    assert warning.startswith("2 processes recorded the same steps")


@pytest.mark.slow
def test_the_array_that_the_list_of_events_exports_is_read(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from torch.profiler import ProfilerActivity, profile, record_function

    with profile(activities=[ProfilerActivity.CPU]) as profiled, record_function("ProfilerStep#2"):
        torch.ones(4).add(1)
    path = tmp_path / "t.json"
    events = profiled.events()
    assert events is not None
    events.export_chrome_trace(str(path))  # pyright: ignore[reportUnknownMemberType]
    assert path.read_text().startswith("[")
    found = trace.read(path)
    assert {"aten::ones", "aten::add"} <= {row.name for row in found.ops()}
    assert [step.number for step in found.steps] == [2]


def test_an_array_of_events_with_categories_is_the_same_trace(tmp_path: Path) -> None:
    whole = read(tmp_path, two_steps())
    path = tmp_path / "array.json"
    path.write_text(json.dumps(two_steps()))
    found = trace.read(path)
    assert found.ops() == whole.ops()
    assert found.gpu_idle_share() == whole.gpu_idle_share()


def packed(text: bytes, way: str) -> bytes:
    """Return a file of several gzip members."""
    match way:
        case "two":
            return gzip.compress(text[:200]) + gzip.compress(text[200:])
        case "padded":
            return gzip.compress(text) + bytes(512)
        case "empty":
            return gzip.compress(b"") + gzip.compress(text) + gzip.compress(b"")
        case "many":
            return b"".join(gzip.compress(text[i : i + 7]) for i in range(0, len(text), 7))
        case _:
            return gzip.compress(text + b" " * (3 << 20)) + gzip.compress(b"\n")


@pytest.mark.parametrize(
    ("way", "piece"),
    [
        ("two", 1 << 20),
        ("two", 17),
        ("padded", 17),
        ("empty", 17),
        ("many", 17),
        ("large", 1 << 20),
    ],
)
def test_gzip_members_one_after_the_other(
    way: str, piece: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = write(tmp_path / "t.json", two_steps()).read_bytes()
    path = tmp_path / "t.json.gz"
    path.write_bytes(packed(text, way))
    monkeypatch.setattr(source, "PIECE", piece)
    assert trace.read(path).events == len(two_steps())


def test_members_that_are_to_take_all_day(tmp_path: Path) -> None:
    path = tmp_path / "t.json.gz"
    path.write_bytes(gzip.compress(b"") * (source.MOST_MEMBERS + 1))
    with pytest.raises(trace.TraceError, match="more than 10,000 gzip files"):
        trace.read(path)
