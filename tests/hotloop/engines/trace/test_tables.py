"""The table of operators, the comparison, and their quantities."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from hotloop.engines import trace
from hotloop.engines.trace.quantities import share_text, time_text

from .conftest import Recorded
from .hand_made import Event, kernel, span, two_steps, write

_HOSTILE = "<script>alert(1)</script>&\"'"


def loop(tmp_path: Path, name: str, durations: list[int], busy: int = 0) -> trace.Trace:
    """Steps of these durations: half of each is aten::mm, and `busy` µs of each are a kernel."""
    events: list[Event] = []
    now = 0
    for number, length in enumerate(durations):
        events.append(span("user_annotation", f"ProfilerStep#{number}", now, length))
        events.append(span("cpu_op", "aten::mm", now, length / 2))
        events.append(span("cpu_op", "aten::same", now + length / 2, 1))
        events += [kernel("mm", now, busy)] if busy else []
        now += length
    events.append(span("cpu_op", "outside", now, 500))
    return trace.read(write(tmp_path / f"{name}.json", events))


def test_the_table_prints(tmp_path: Path) -> None:
    read = trace.read(write(tmp_path / "t.json", two_steps()))
    assert str(trace.top_ops(read, 2)).splitlines() == [
        "operator                   calls  self time   share  total time",
        "aten::_local_scalar_dense      1    23.0 µs  30.7 %     23.0 µs",
        "AddmmBackward0                 1    20.0 µs  26.7 %     20.0 µs",
        "3 more are not shown.",
    ]
    (row,) = trace.top_ops(read, step=4).rows
    assert (row.name, row.share) == ("AddmmBackward0", 1)


def test_a_table_without_operators(tmp_path: Path) -> None:
    table = trace.top_ops(trace.read(write(tmp_path / "t.json", [kernel("k", 1, 1)])))
    assert str(table) == "No CPU operators were recorded here."
    assert table._repr_html_() == "<p>No CPU operators were recorded here.</p>"


def test_ten_rows_of_a_real_trace(recorded: Recorded) -> None:
    table = trace.top_ops(trace.read(recorded.path))
    assert len(table.rows) == 10
    assert table.others > 0
    assert [row.self_us for row in table.rows] == sorted(
        (row.self_us for row in table.rows), reverse=True
    )
    html = table._repr_html_()
    assert html.count("<tr>") == 11
    assert "aten::convolution_backward" in html


def test_names_stay_text(tmp_path: Path) -> None:
    events = [
        span("user_annotation", "ProfilerStep#0", 0, 100),
        span("cpu_op", _HOSTILE, 0, 50),
    ]
    read = trace.read(write(tmp_path / "a.json", events))
    other = loop(tmp_path, "b", [10])
    for html in (
        trace.top_ops(read)._repr_html_(),
        trace.compare(read, other)._repr_html_(),
        trace.compare(other, read)._repr_html_(),
    ):
        root = ET.fromstring(f"<div>{html}</div>")
        assert not list(root.iter("script"))
        assert _HOSTILE in {code.text for code in root.iter("code")}


def test_compare_takes_medians_of_steps(tmp_path: Path) -> None:
    before = loop(tmp_path, "before", [100, 900, 110], busy=20)
    after = loop(tmp_path, "after", [50, 54, 55, 56], busy=40)
    found = trace.compare(before, after)
    assert (found.before_us, found.after_us) == (110, 54.5)
    assert found.improvement == pytest.approx(1 - 54.5 / 110)
    assert found.speedup == pytest.approx(110 / 54.5)
    assert found.gpu_before == pytest.approx(60 / 1110)
    assert found.gpu_after == pytest.approx(160 / 215)
    assert [(c.name, c.before_us, c.after_us) for c in found.changes] == [
        ("aten::mm", pytest.approx(1110 / 2 / 3), pytest.approx(215 / 2 / 4))
    ]
    assert "A step takes 50.5 % less time (2.02 times as fast)." in str(found)
    assert "GPU utilization: 5.4 % → 74.4 %" in str(found)
    assert "in operators, per step: 186 µs → 27.9 µs" in str(found)
    assert "2.02 times as fast" in found._repr_html_()


def test_a_step_that_got_slower(tmp_path: Path) -> None:
    found = trace.compare(loop(tmp_path, "a", [100]), loop(tmp_path, "b", [150]))
    assert "50.0 % more time (0.67 times as fast)" in str(found)
    assert "GPU utilization: no GPU in this trace → no GPU in this trace" in str(found)
    assert found.improvement == pytest.approx(-0.5)


def test_time_that_no_operator_explains_is_seen(tmp_path: Path) -> None:
    steps = [span("user_annotation", "ProfilerStep#0", 0, 450), span("cpu_op", "aten::mm", 0, 50)]
    waiting = trace.read(write(tmp_path / "waiting.json", steps))
    found = trace.compare(loop(tmp_path, "a", [100]), waiting)
    assert found.verdict == "A step takes 4.5 times as long."
    assert "median step: 100 µs → 450 µs" in str(found)
    assert "in operators, per step: 51.0 µs → 50.0 µs" in str(found)
    assert "in operators, per step" in found._repr_html_()


def test_without_steps_nothing_is_claimed(tmp_path: Path) -> None:
    bare = trace.read(write(tmp_path / "a.json", [span("cpu_op", "aten::mm", 0, 5)]))
    found = trace.compare(bare, loop(tmp_path, "b", [100]))
    assert (found.improvement, found.speedup, found.changes) == (None, None, ())
    assert "cannot be compared: call `prof.step()`" in str(found)
    assert "no steps in this trace" in found._repr_html_()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 µs"),
        (0.004, "4 ns"),
        (1, "1.00 µs"),
        (25.04, "25.0 µs"),
        (812.4, "812 µs"),
        (2570, "2.57 ms"),
        (1_234_000, "1.23 s"),
        (7_200_000_000, "7,200 s"),
    ],
)
def test_times(value: float, text: str) -> None:
    assert time_text(value) == text


def test_shares() -> None:
    assert share_text(0.2904) == "29.0 %"
