"""Files that are not traces: each gets a message, soon, and never fills the memory."""

import gc
import gzip
import json
import os
import time
import zlib
from pathlib import Path

import pytest

from hotloop.engines import trace
from hotloop.engines.trace import document, event_collection, reading, source

from .conftest import Recorded
from .hand_made import Event, memory, span, two_steps, write

_HEAD = '{"schemaVersion": 1, "traceEvents": ['
_EVENT = json.dumps(span("cpu_op", "aten::mm", 1, 2))


def refused(path: Path, **limits: int) -> trace.TraceError:
    started = time.process_time()
    with pytest.raises(trace.TraceError) as caught:
        trace.read(path, **limits)
    assert time.process_time() - started < 20
    assert caught.value.path == path
    assert caught.value.remedy.endswith(".")
    assert caught.value.what in str(caught.value)
    return caught.value


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "empty"),
        (" \n\t ", "empty"),
        ("\ufeff", "empty"),
        ("hello", "not JSON"),
        ("\x00\x01\x02", "not JSON"),
        ("null", "not JSON"),
        ("[]", "no events at all"),
        ("[3]", "not JSON"),
        (f"[{_EVENT}] more", "more text follows"),
        (f"[{_EVENT}", "ends in the middle"),
        ("{}", "no list of traceEvents"),
        ('{"a": 1}', "no list of traceEvents"),
        ('{"traceEvents": 3}', "no list of traceEvents"),
        ('{"traceEvents": {}}', "no list of traceEvents"),
        ('{"traceEvents": []}', "no events at all"),
        ('{"traceEvents": [3]}', "not JSON"),
        ('{"traceEvents": [{}]}', "none of its events"),
        ('{"traceEvents": [{"ph": "M", "name": "process_name"}]}', "none of its events"),
        (_HEAD + _EVENT + "]} more", "more text follows"),
        (_HEAD + _EVENT + '], "traceEvents": []}', "two lists"),
        (_HEAD + _EVENT + ",]}", "not JSON"),
        (_HEAD + _EVENT + _EVENT + "]}", "not JSON"),
        (_HEAD + '{"ph": X}]}' + " " * 100, "not JSON"),
        ('{"schemaVersion": 2, "traceEvents": [' + _EVENT + "]}", "schema version"),
        ('{"schemaVersion": "1", "traceEvents": [' + _EVENT + "]}", "schema version"),
        ('{"schemaVersion": true, "traceEvents": [' + _EVENT + "]}", "schema version"),
        ('{"traceEvents": [' + _EVENT + '], "schemaVersion": 7}', "schema version"),
    ],
)
def test_what_is_no_trace(text: str, what: str, tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(text, encoding="utf-8")
    assert what in refused(path).what


def test_the_schema_may_be_absent(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text('\ufeff{"traceEvents": [' + _EVENT + "]}", encoding="utf-8")
    assert trace.read(path).events == 1


@pytest.mark.slow
def test_a_real_trace_cut_anywhere_is_truncated(recorded: Recorded, tmp_path: Path) -> None:
    whole = recorded.path.read_bytes()
    path = tmp_path / "t.json"
    for share in range(1, 60):
        path.write_bytes(whole[: len(whole) * share // 60])
        assert "ends in the middle" in refused(path).what


def test_a_small_trace_cut_after_each_character_is_refused(tmp_path: Path) -> None:
    whole = (_HEAD + _EVENT + "]}").encode()
    path = tmp_path / "t.json"
    for length in range(1, len(whole)):
        path.write_bytes(whole[:length])
        assert "ends in the middle" in refused(path).what, whole[:length]


def test_a_compressed_trace_that_is_cut_or_damaged(tmp_path: Path) -> None:
    whole = gzip.compress((_HEAD + ",".join([_EVENT] * 3000) + "]}").encode())
    path = tmp_path / "t.json.gz"
    path.write_bytes(whole[: len(whole) // 2])
    assert "end in the middle" in refused(path).what
    path.write_bytes(whole[:-6] + bytes(6))
    assert "damaged" in refused(path).what
    path.write_bytes(whole + b"more")
    assert "follow the end" in refused(path).what
    path.write_bytes(b"\x1f\x8b")
    assert "end in the middle" in refused(path).what


def test_a_gzip_header_without_end(tmp_path: Path) -> None:
    path = tmp_path / "t.json.gz"
    path.write_bytes(b"\x1f\x8b\x08\x08" + bytes(6) + b"x" * (8 << 20))
    assert "end in the middle" in refused(path).what


@pytest.mark.slow
@pytest.mark.parametrize("filling", [b" ", b"{", b'{"traceEvents": [], "a": "'])
def test_a_bomb_is_refused_long_before_it_is_unpacked(filling: bytes, tmp_path: Path) -> None:
    packer = zlib.compressobj(9, wbits=31)
    path = tmp_path / "bomb.json.gz"
    with path.open("wb") as file:
        for _ in range(300):
            file.write(packer.compress(filling * ((1 << 20) // len(filling))))
        file.write(packer.flush())
    error = refused(path)
    assert any(word in error.what for word in ("expands", "longer", "nested", "not JSON"))


def test_too_many_bytes_and_too_many_events(tmp_path: Path) -> None:
    path = write(tmp_path / "t.json", two_steps())
    assert "too large" in refused(path, most_bytes=100).what
    assert "more than 3 events" in refused(path, most_events=3).what
    packed = write(tmp_path / "t.json.gz", two_steps())
    assert packed.stat().st_size < 2000
    assert "too large" in refused(packed, most_bytes=2000).what
    assert trace.read(path, most_events=len(two_steps())).events == len(two_steps())


def test_what_is_no_ordinary_file_is_never_waited_for(tmp_path: Path) -> None:
    assert "no such file" in refused(tmp_path / "none.json").what
    assert "not an ordinary file" in refused(tmp_path).what
    assert "not an ordinary file" in refused(Path("/dev/zero")).what
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "not an ordinary file" in refused(pipe).what
    link = tmp_path / "link.json"
    link.symlink_to(write(tmp_path / "t.json", two_steps()))
    assert refused(link).what == "this is a link"
    assert "cannot be opened" in refused(tmp_path / "a\0b").what
    assert "cannot be opened" in refused(tmp_path / ("x" * 5000)).what


def _event(**changes: object) -> Event:
    return span("cpu_op", "aten::mm", 1, 2) | changes


@pytest.mark.parametrize(
    ("event", "what"),
    [
        (_event(dur=-1), "none of its events was finished"),
        (_event(dur=-0.001), "none of its events was finished"),
        (_event(dur="2"), "not a finite number"),
        (_event(dur=True), "not a finite number"),
        (_event(dur=None), "none of its events was finished"),
        (_event(cat="Operator"), "of PyTorch before 1.13"),
        (_event(cat="Kernel"), "of PyTorch before 1.13"),
        (_event(ts=[1]), "not a finite number"),
        (_event(ts=1e300), "absurdly far"),
        (_event(ts=-5e15), "absurdly far"),
        (_event(ts=10**200), "absurdly far"),
        (memory(1, 1 << 70, 1), "number of bytes"),
        (memory(1, 2, 1) | {"args": [1]}, "size of an allocation"),
        (memory(1, 2, 1) | {"args": {"Bytes": 0.5}}, "number of bytes"),
        (memory(1, 2, 1) | {"ts": "now"}, "not a finite number"),
        (span("gpu_memcpy", "Memcpy HtoD", 1, 2, bytes="many"), "number of bytes"),
    ],
)
def test_events_that_cannot_be_true(event: Event, what: str, tmp_path: Path) -> None:
    assert what in refused(write(tmp_path / "t.json", [event])).what


@pytest.mark.parametrize(
    ("number", "what"),
    [
        ("NaN", "not finite"),
        ("Infinity", "not finite"),
        ("-Infinity", "not finite"),
        ("1e999", "not finite"),
        ("9" * 5000, "not finite"),
    ],
)
def test_numbers_that_are_not_finite(number: str, what: str, tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(_HEAD + _EVENT.replace('"ts": 1', f'"ts": {number}') + "]}")
    assert what in refused(path).what


@pytest.mark.parametrize("bracket", ["[", '{"a":'])
@pytest.mark.parametrize("depth", [5000, 3_000_000])
def test_absurd_nesting(bracket: str, depth: int, tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(_HEAD + '{"args": ' + bracket * depth)
    assert "nested" in refused(path).what
    path.write_text('{"distributedInfo": ' + bracket * depth)
    assert "nested" in refused(path).what


@pytest.mark.parametrize("piece", [2, 3, 5, 17, 64, 1000])
def test_where_the_text_is_cut_into_pieces_changes_nothing(
    piece: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = [*two_steps(), span("cpu_op", "aten::größer ☃", 1, 2)]
    path = write(tmp_path / "t.json", events, n=-1234.5678e-9, t=True, f=[False, None], z=None)
    packed = write(tmp_path / "t.json.gz", events)
    whole = trace.read(path)
    other = write(tmp_path / "other.json", events, schemaVersion=1234567)
    monkeypatch.setattr(source, "PIECE", piece)
    for again in (trace.read(path), trace.read(packed)):
        assert again.events == len(events)
        assert (again.ops(), again.ranges()) == (whole.ops(), whole.ranges())
        assert list(again.copies) == list(whole.copies)
    assert "schema version" in refused(other).what


@pytest.mark.slow
def test_one_event_of_many_megabytes(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(_HEAD + '{"name": "' + "x" * (12 << 20) + '"}]}')
    assert "longer than" in refused(path).what
    path.write_text(_HEAD + '{"name": "' + "x" * (9 << 19) + '"}]}' + " " * 100)
    assert "longer than" in refused(path).what
    path.write_text(_HEAD + '{"args": [' + "[]," * (3 << 20) + "[]]}]}")
    assert "longer than" in refused(path).what


def test_an_event_of_three_megabytes_is_read(tmp_path: Path) -> None:
    events = [span("cpu_op", "aten::mm", i, 1, note="é" * (3 << 20)) for i in range(2)]
    path = tmp_path / "t.json"
    path.write_text(json.dumps({"traceEvents": events}, ensure_ascii=False), encoding="utf-8")
    assert document.MOST_VALUE > 3 << 20
    assert [row.calls for row in trace.read(path).ops()] == [2]


def test_too_many_names_threads_and_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.json"
    monkeypatch.setattr(event_collection, "MOST_NAME_TEXT", 1000)
    write(path, [span("cpu_op", f"op {i}", i, 1) for i in range(100)])
    assert "too many different names" in refused(path).what
    monkeypatch.setattr(event_collection, "MOST_LANES", 50)
    write(path, [span("cpu_op", "op", i, 1, i) for i in range(51)])
    assert "too many threads" in refused(path).what
    write(path, [span("cpu_op", "op", i, 1, i) for i in range(50)])
    assert trace.read(path).events == 50
    monkeypatch.setattr(event_collection, "MOST_NAME_TEXT", 100_000)
    monkeypatch.setattr(reading, "MOST_STEPS", 20)
    write(path, [span("user_annotation", f"ProfilerStep#{i}", i, 1) for i in range(21)])
    assert "more than 20 steps" in refused(path).what


def test_long_names_are_shortened_and_their_calls_counted_together(tmp_path: Path) -> None:
    events = [span("cpu_op", "x" * 100_000, i, 1) for i in range(3)]
    (row,) = trace.read(write(tmp_path / "t.json", events)).ops()
    assert (row.calls, len(row.name)) == (3, event_collection.MOST_NAME)


@pytest.mark.slow
def test_thread_numbers_that_were_made_to_collide_cost_nothing(tmp_path: Path) -> None:
    # Python hashes whole numbers modulo 2**61 - 1: all of these have the same hash.
    events = [span("cpu_op", "op", i, 1, i * (2**61 - 1)) for i in range(50_000)]
    started = time.process_time()
    assert trace.read(write(tmp_path / "t.json", events)).events == 50_000
    assert time.process_time() - started < 10


def test_names_cannot_write_into_a_terminal_or_break_a_page(tmp_path: Path) -> None:
    events = [span("cpu_op", "\x1b[2Jop\ud800\u202e", 1, 1, "\x1b]0;x")]
    read = trace.read(write(tmp_path / "t.json", events))
    (row,) = read.ops()
    assert row.name == "\ufffd[2Jop\ufffd\ufffd"
    assert "\x1b" not in str(read.lanes)


def test_odd_kinds_of_fields_are_no_crash(tmp_path: Path) -> None:
    good = span("cpu_op", "op", 1, 1)
    odd: list[Event] = [
        good | {"cat": ["cpu_op"]},
        good | {"cat": None},
        good | {"name": {"a": 1}},
        good | {"pid": None, "tid": [1]},
        good | {"args": "text"},
        good | {"ph": ["X"]},
        good | {"ph": "B"},
    ]
    read = trace.read(write(tmp_path / "t.json", [good, *odd]))
    assert {row.name: row.calls for row in read.ops()} == {"op": 3, "(no name)": 1}


def test_too_many_keys_beside_the_events(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text("{" + '"a":1,' * 20_000 + f'"traceEvents":[{_EVENT}]}}')
    assert "more than 10,000 keys" in refused(path).what
    path.write_text("{" + '"a":1,' * 9_999 + f'"traceEvents":[{_EVENT}]}}')
    assert trace.read(path).events == 1


@pytest.mark.slow
def test_a_reading_that_takes_too_long_ends(tmp_path: Path) -> None:
    path = write(tmp_path / "t.json", [span("cpu_op", "op", i, 1) for i in range(30_000)])
    with pytest.raises(trace.TraceError, match="longer than 0 seconds"):
        trace.read(path, most_seconds=0)


def test_garbage_is_collected_again_after_a_refusal(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(_HEAD + "x")
    assert gc.isenabled()
    refused(path)
    assert gc.isenabled()


@pytest.mark.slow
def test_progress_reaches_the_size_of_the_file(tmp_path: Path) -> None:
    events = [span("cpu_op", "op", i, 1) for i in range(30_000)]
    path = write(tmp_path / "t.json", events)
    seen: list[tuple[int, int]] = []
    trace.read(path, on_progress=lambda done, of: seen.append((done, of)))
    assert len(seen) > 2
    assert seen == sorted(seen)
    assert seen[0][0] < path.stat().st_size
    assert seen[-1] == (path.stat().st_size, path.stat().st_size)
