"""What a notebook shows to open a trace in Perfetto."""

import base64
import gzip
import json
import os
import re
from pathlib import Path

import pytest

from hotloop.engines import trace

from .conftest import Recorded
from .hand_made import two_steps, write


def embedded(html: str) -> bytes:
    found = re.search(r'const packed = "([^"]+)"', html)
    assert found is not None
    return base64.b64decode(found[1])


def test_a_small_trace_is_carried_whole(tmp_path: Path) -> None:
    path = write(tmp_path / "t.json", two_steps())
    html = trace.perfetto(path)._repr_html_()
    assert gzip.decompress(embedded(html)) == path.read_bytes()
    assert html.count("https://ui.perfetto.dev") >= 4
    assert '<a href="https://ui.perfetto.dev" target="_blank" rel="noopener noreferrer">' in html
    assert str(path) in html
    assert str(path) in str(trace.perfetto(path))


def test_a_compressed_trace_is_carried_as_it_is(plain: Recorded) -> None:
    assert embedded(trace.perfetto(plain.path)._repr_html_()) == plain.path.read_bytes()


def test_a_large_trace_is_opened_from_disk(tmp_path: Path) -> None:
    path = tmp_path / "t.json.gz"
    path.write_bytes(b"\x1f\x8b" + os.urandom(3 << 20))
    html = trace.perfetto(path)._repr_html_()
    assert "Open trace file" in html
    assert "<script" not in html
    assert len(html) < 2000
    small = write(tmp_path / "s.json", two_steps())
    assert "<script" not in trace.perfetto(small, most_embedded=10)._repr_html_()


def test_no_dead_button_stays_on_a_feedback_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "t.json", two_steps())
    assert "<button" in trace.perfetto(path)._repr_html_()
    monkeypatch.setenv("HOTLOOP_JUDGE", "socket")
    html = trace.perfetto(path)._repr_html_()
    assert "<button" not in html
    assert str(path) in html


def test_each_button_has_a_name_of_its_own(tmp_path: Path) -> None:
    link = trace.perfetto(write(tmp_path / "t.json", two_steps()))
    names = {re.findall(r'<button id="([^"]+)"', link._repr_html_())[0] for _ in range(3)}
    assert len(names) == 3


def test_a_file_name_stays_text(tmp_path: Path) -> None:
    name = "a'\"<b><!--<\\script>&.json"
    html = trace.perfetto(write(tmp_path / name, two_steps()))._repr_html_()
    outside, _, rest = html.partition("<script>")
    script, _, after = rest.partition("</script>")
    assert after == ""
    assert "<b>" not in outside
    assert "<" not in re.findall(r"title: (.*?), fileName", script)[0]
    assert json.loads(re.findall(r"title: (.*?), fileName", script)[0]) == name


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(trace.TraceError, match="no such file"):
        trace.perfetto(tmp_path / "none.json")
    (tmp_path / "empty.json").touch()
    with pytest.raises(trace.TraceError, match="empty"):
        trace.perfetto(tmp_path / "empty.json")
