"""Whatever a file contains, reading it ends soon: with a trace or with a TraceError."""

import gzip
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hotloop.engines import trace
from hotloop.engines.trace.event_collection import SPAN_KINDS

_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(["ProfilerStep#1", "[memory]", "<b>", "aten::item", "cudaLaunchKernel"])
)
_JSON = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)
_TIMES = st.integers(-50, 1000) | st.floats(0, 1000) | _SCALARS
_EVENTS = st.fixed_dictionaries(
    {},
    optional={
        "ph": st.sampled_from(["X", "i", "M", "s"]) | _JSON,
        "cat": st.sampled_from([*SPAN_KINDS, "cpu_instant_event", "python_function"]) | _JSON,
        "name": st.sampled_from(["ProfilerStep#1", "ProfilerStep#02", "[memory]", "op"]) | _JSON,
        "pid": st.integers(0, 3) | _SCALARS,
        "tid": st.integers(0, 3) | _SCALARS,
        "ts": _TIMES,
        "dur": _TIMES,
        "args": st.fixed_dictionaries(
            {}, optional={"Bytes": _SCALARS, "Total Allocated": _SCALARS, "bytes": _SCALARS}
        )
        | _JSON,
    },
)
# Mostly plausible events, so that many documents are read to their end.
_GOOD = st.fixed_dictionaries(
    {
        "ph": st.just("X"),
        "cat": st.sampled_from(SPAN_KINDS),
        "name": st.sampled_from(["ProfilerStep#1", "ProfilerStep#2"]) | st.text(max_size=30),
        "pid": st.integers(0, 2),
        "tid": st.integers(0, 2) | st.text(max_size=3),
        "ts": st.integers(0, 1000) | st.floats(0, 1000),
        "dur": st.integers(0, 1000) | st.floats(0, 1000),
    }
)


def read(content: bytes) -> trace.Trace | None:
    """Read it and run all queries; return None if it was refused."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.json"
        path.write_bytes(content)
        started = time.process_time()
        found = read_or_refused(path)
        if found is not None:
            ask_everything(found)
        assert time.process_time() - started < 5
        return found


def read_or_refused(path: Path) -> trace.Trace | None:
    try:
        return trace.read(path)
    except trace.TraceError:
        return None


def ask_everything(found: trace.Trace) -> None:
    for step in [None, *found.steps]:
        idle = found.gpu_idle_share(step)
        assert idle is None or 0 <= idle <= 1
        rows = [*found.ops(step), *found.ranges(step)]
        assert all(0 <= row.self_us <= row.total_us + 1e-6 for row in rows)
        page = (
            trace.timeline(found, step)._repr_html_() + trace.top_ops(found, 5, step)._repr_html_()
        )
        page.encode()
        assert page.count("<script") == 0
    _ = [list(found.kernels), list(found.copies), list(found.launches)]
    _ = [list(found.synchronizations), list(found.allocations), found.peak_bytes]
    assert str(trace.compare(found, found))
    assert trace.compare(found, found)._repr_html_()


@given(st.binary(max_size=400))
@example(b"\x1f\x8b\x08\x00" + bytes(6))
def test_arbitrary_bytes(content: bytes) -> None:
    assert read(content) is None


@pytest.mark.slow
@given(st.text(alphabet='{}[]",:0123456789.eE+-traceEvn \n', max_size=120))
def test_text_that_looks_like_json(text: str) -> None:
    read(('{"traceEvents":' + text).encode())
    read(text.encode())


@pytest.mark.slow
@given(_JSON)
def test_arbitrary_json(value: Any) -> None:
    read(json.dumps(value).encode())
    read(json.dumps({"traceEvents": value}).encode())


@pytest.mark.slow
@given(st.lists(_EVENTS, max_size=6), _JSON)
def test_arbitrary_events(events: list[dict[str, Any]], beside: Any) -> None:
    read(json.dumps({"beside": beside, "traceEvents": events}).encode())


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(_GOOD, min_size=1, max_size=12))
def test_believable_events_are_always_read(events: list[dict[str, Any]]) -> None:
    text = json.dumps({"traceEvents": events}, ensure_ascii=True).encode()
    found = read(text)
    assert found is not None
    assert found.events == len(events)
    packed = read(gzip.compress(text))
    assert packed is not None
    assert packed.ops() == found.ops()
