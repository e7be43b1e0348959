"""The timeline's drawing: its contents, that names are escaped, and that it stays small."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from hotloop.engines import trace
from hotloop.engines.trace.bars import TraceBar, merged
from hotloop.engines.trace.drawing import MOST_BYTES, MOST_SHAPES
from hotloop.engines.trace.palette import COLORS, LETTERS

from .conftest import Recorded
from .hand_made import Event, kernel, span, two_steps, write

_HOSTILE = "\"><script>alert(1)</script><img src=x onerror=alert(1)>'&lt;"


@pytest.fixture
def gpu(tmp_path: Path) -> trace.Trace:
    return trace.read(write(tmp_path / "gpu.json", two_steps()))


def page(read: trace.Trace, **which: object) -> str:
    return trace.timeline(read, **which)._repr_html_()  # type: ignore[arg-type]


def parsed(text: str) -> ET.Element:
    """Parse the page as XML, which fails if it is not well-formed."""
    return ET.fromstring(text)


def titles(text: str) -> list[str]:
    return [element.text or "" for element in parsed(text).iter("title")]


def headings(text: str) -> list[str]:
    found = [e.text or "" for e in parsed(text).iter("text") if e.get("fill-opacity")]
    assert found
    return found


def test_every_lane_of_a_gpu_trace(gpu: trace.Trace) -> None:
    text = page(gpu)
    assert headings(text) == [
        "steps",
        "ranges · thread 100",
        "CPU operators · thread 100",
        "CPU operators · thread 101",
        "CUDA launches and waits · thread 100",
        "CUDA launches and waits · thread 101",
        "GPU 0 · stream 7",
        "GPU 0 · stream 13",
    ]
    assert "2 steps, 3 to 4: 200 µs. The GPU is idle 70.0 % of the time." in text
    found = titles(text)
    assert "aten::addmm: 20.0 µs, from 22.0 µs on" in found
    assert "relu: 20.0 µs, from 45.0 µs on" in found
    assert "Memcpy HtoD (Pageable -> Device): 10.0 µs, from 10.0 µs on" in found
    assert "cudaDeviceSynchronize: 30.0 µs, from 160 µs on" in found
    assert not [title for title in found if "Activity Buffer" in title or "Async" in title]


def test_a_feedback_page_has_no_legend_of_a_picture_that_is_not_there(
    gpu: trace.Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "<ul>" in page(gpu)
    monkeypatch.setenv("HOTLOOP_JUDGE", "socket")
    assert page(gpu) == (
        "<p>2 steps, 3 to 4: 200 µs. The GPU is idle 70.0 % of the time. "
        "It is not drawn while the notebook is graded.</p>"
    )


def test_idle_gaps_are_shaded_where_no_stream_works(gpu: trace.Trace) -> None:
    shaded = [
        (float(rect.get("x", "")[:-1]), float(rect.get("width", "")[:-1]))
        for rect in parsed(page(gpu, step=3)).iter("rect")
        if "hotloop-idle" in rect.get("fill", "") and rect.get("x")
    ]
    # Idle from 0 to 10, 20 to 35 and 65 to 100 µs, shaded behind both streams.
    assert sorted(set(shaded)) == [(0, 10), (20, 15), (65, 35)]
    assert len(shaded) == 6


def test_bars_lie_where_their_times_are(gpu: trace.Trace) -> None:
    for rect in parsed(page(gpu, step=3)).iter("rect"):
        title = rect.find("title")
        if title is not None and (title.text or "").startswith("forward"):
            assert (rect.get("x"), rect.get("width")) == ("20.000%", "60.000%")
            return
    pytest.fail("the range was not drawn")


def test_one_step_and_some_lanes(gpu: trace.Trace) -> None:
    text = page(gpu, step=4, lanes=("ops", "gpu"))
    assert headings(text) == ["CPU operators · thread 101", "GPU 0 · stream 7"]
    assert "Step 4: 100 µs. The GPU is idle 80.0 %" in text
    assert "aten::linear" not in text
    assert page(gpu, step=gpu.steps[1]).count("AddmmBackward0") > 0
    with pytest.raises(ValueError, match="no lane 'cpu'; there are steps, ranges"):
        trace.timeline(gpu, lanes=("cpu",))
    with pytest.raises(ValueError, match="no step 99"):
        trace.timeline(gpu, step=99)


def test_operators_lie_at_their_depth(gpu: trace.Trace) -> None:
    height: dict[str, int] = {}
    for rect in parsed(page(gpu)).iter("rect"):
        title = rect.find("title")
        if title is not None:
            height[(title.text or "").partition(": ")[0]] = int(rect.get("y", ""))
    assert height["aten::addmm"] == height["aten::linear"] + 18
    assert height["aten::item"] == height["aten::linear"]


def test_a_real_trace(recorded: Recorded) -> None:
    text = page(trace.read(recorded.path))
    assert "There is no GPU in this trace." in text
    assert any(title.startswith("aten::convolution_backward") for title in titles(text))
    assert any(re.match(r"\d+ small ones, .* in all, .*; the longest is", t) for t in titles(text))
    assert "GPU" not in " ".join(headings(text))
    assert "load &lt;b&gt;data&lt;/b&gt;" in text


def test_names_stay_text(tmp_path: Path) -> None:
    events = [
        span("user_annotation", "ProfilerStep#0", 0, 100),
        span("user_annotation", _HOSTILE, 0, 90),
        span("cpu_op", _HOSTILE, 0, 80, _HOSTILE),  # type: ignore[arg-type]
        kernel(_HOSTILE, 10, 50, _HOSTILE),  # type: ignore[arg-type]
    ]
    name = '"><script>alert(1)<.json'
    read = trace.read(write(tmp_path / name, events))
    text = page(read)
    assert "<script" not in text
    assert "<img" not in text
    assert f"{_HOSTILE}: 90.0 µs, from 0 µs on" in titles(text)
    allowed = {"div", "style", "svg", "line", "text", "rect", "title", "g", "pattern", "ul", "li"}
    assert {element.tag for element in parsed(text).iter()} <= allowed
    assert not [key for e in parsed(text).iter() for key in e.attrib if key.startswith("on")]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["aten::add_", '"<&' * 100, "é☃" * 200])
def test_a_large_trace_stays_a_small_picture(name: str, tmp_path: Path) -> None:
    events: list[Event] = []
    for i in range(6000):
        at = i * 100
        events += [span("cpu_op", f"{name} {i}", at + d, 60 - 2 * d, d % 5) for d in range(6)]
        events += [kernel(f"{name} {i}", at + 7 * s, 20 + i % 50, s) for s in range(3)]
    read = trace.read(write(tmp_path / "t.json", events))
    text = page(read)
    assert len(text.encode()) <= MOST_BYTES < 300_000
    assert 10 < text.count("<rect") <= MOST_SHAPES * 2
    parsed(text)


@pytest.mark.parametrize(
    ("name", "fewest"), [("op", 1200), ('"<&' * 100, 300), ("\U0001f525" * 200, 300)]
)
def test_long_names_make_the_picture_coarser_not_larger(
    name: str, fewest: int, tmp_path: Path
) -> None:
    # 1,200 bars that are wide enough to be drawn one by one, on four threads.
    events = [span("cpu_op", f"{name} {i}", i * 10, 9, t) for t in range(4) for i in range(300)]
    read = trace.read(write(tmp_path / "t.json", events))
    text = page(read)
    assert len(text.encode()) <= MOST_BYTES
    assert len(titles(text)) >= fewest
    small = sum(int(t.split()[0]) for t in titles(text) if "small ones" in t)
    single = sum("small ones" not in t for t in titles(text))
    assert small + single == len(events), "an event is drawn or counted in a bar"


def test_there_are_never_more_shapes_than_allowed(tmp_path: Path) -> None:
    events = [span("cpu_op", "a", i * 10, 9, t) for t in range(4) for i in range(420)]
    read = trace.read(write(tmp_path / "t.json", events))
    assert 400 < len(titles(page(read))) <= MOST_SHAPES < len(events)


@pytest.mark.slow
def test_a_bar_of_many_is_as_pale_as_it_is_empty(tmp_path: Path) -> None:
    events = [span("cpu_op", "long", 0, 100_000)]
    events += [kernel("k", i * 10, 4) for i in range(10_000)]
    text = page(trace.read(write(tmp_path / "t.json", events)))
    pale = [float(r.get("fill-opacity", "1")) for r in parsed(text).iter("rect")]
    assert sum(0.38 < opacity < 0.47 for opacity in pale) > 400
    assert pale.count(1) < 10, "the long bar, the legend, and no other"
    assert "the paler, the less of it they fill" in text
    assert any("% of this bar; the longest is k" in title for title in titles(text))


def test_what_is_not_drawn_is_said(tmp_path: Path) -> None:
    events = [span("cpu_op", f"deep {d}", d, 100 - 2 * d) for d in range(20)]
    events += [span("cpu_op", "other", 0, 10 + i, 200 + i) for i in range(9)]
    events += [kernel("k", 0, 10 + i, i) for i in range(12)]
    text = page(trace.read(write(tmp_path / "t.json", events)))
    found = headings(text)
    assert "CPU operators · thread 100 (12 deeper levels are not drawn)" in found
    assert "6 more threads are not drawn" in found
    assert "4 more streams are not drawn" in found
    assert "The whole trace, which has no steps: 100 µs." in text


def test_small_bars_become_one_and_large_ones_stay() -> None:
    row = [TraceBar(0, 1, 1, 1, 1, 1), TraceBar(2, 4, 2, 2, 1, 2), TraceBar(5, 50, 3, 45, 1, 45)]
    assert merged(row, 10) == [TraceBar(0, 4, 2, 2, 2, 3), TraceBar(5, 50, 3, 45, 1, 45)]
    assert merged(row, 0) == row
    dense = [TraceBar(at, at + 1, 1, 1, 1, 1) for at in range(1000)]
    coarse = merged(dense, 10)
    assert [(bar.start, bar.count) for bar in coarse] == [(at, 20) for at in range(0, 1000, 20)]
    assert merged(coarse, 20) == merged(dense, 20)
    far = [TraceBar(0, 1, 1, 1, 1, 1), TraceBar(30, 31, 1, 1, 1, 1)]
    assert merged(far, 10) == far


def luminance(color: str) -> float:
    """Relative luminance, as WCAG 2 defines it."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, two: str) -> float:
    high, low = sorted((luminance(one), luminance(two)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("kind", COLORS)
def test_letters_can_be_read_on_every_bar(kind: str) -> None:
    assert contrast(LETTERS, COLORS[kind]) >= 4.5


# How a color appears without red or green cones (Viénot, Brettel, Mollon 1999).
_BLIND = {
    "protan": ((0.11238, 0.88762, 0.0), (0.11238, 0.88762, 0.0), (0.00401, -0.00401, 1.0)),
    "deutan": ((0.29275, 0.70725, 0.0), (0.29275, 0.70725, 0.0), (-0.02234, 0.02234, 1.0)),
}


def seen(color: str, kind: str) -> tuple[float, ...]:
    parts = [(int(color[i : i + 2], 16) / 255) ** 2.2 for i in (1, 3, 5)]
    mixed = (sum(a * b for a, b in zip(row, parts, strict=True)) for row in _BLIND[kind])
    return tuple(max(value, 0.0) ** (1 / 2.2) for value in mixed)


@pytest.mark.parametrize("kind", _BLIND)
@pytest.mark.parametrize("line", [("launch", "wait"), ("kernel", "copy", "memset")])
def test_colors_of_one_line_differ_for_color_blind_people(kind: str, line: tuple[str, ...]) -> None:
    looks = [seen(COLORS[name], kind) for name in line]
    for i, one in enumerate(looks):
        for two in looks[:i]:
            assert sum((a - b) ** 2 for a, b in zip(one, two, strict=True)) ** 0.5 > 0.2
