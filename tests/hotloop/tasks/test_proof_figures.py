"""A key names one number of a recorded output, or nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hotloop.core import paths
from hotloop.tasks import figures, proof_figures

RECORD = """\
16 rows that decode: 2.4 ms a step
chunks of 250: longest step 13.8 ms, first token after 13.9 ms
chunks of 50: longest step 6.12 ms, first token after 23.5 ms
first come    99%  98%  78%  28%
fp32     97.0% of 1,605,368 bytes in fp32, two times -0.25x
bytes in fp32: 12007 us
"""


@pytest.fixture(autouse=True)
def _record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = tmp_path / "curriculum" / "engine" / "proofs"
    folder.mkdir(parents=True)
    (folder / "chunks.txt").write_text(RECORD, encoding="utf-8")
    monkeypatch.setattr(paths, "root", lambda: tmp_path)
    proof_figures.lines.cache_clear()
    yield
    proof_figures.lines.cache_clear()


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("decode", "2.4 ms"),
        ("chunks 250 first", "13.9 ms"),
        ("chunks 50 longest", "6.12 ms"),
        ("chunks 50 longest ~2", "6.1 ms"),
        ("first come #4", "28 %"),
        ("rows #-1", "16"),
        ("^fp32", "97.0 %"),
        ("^fp32 of", "1,605,368"),
        ("^fp32 of ~2", "1,600,000"),
        ("two", "−0.25×"),
        ("bytes in fp32 12007 #-1", None),
        ("^bytes", "12007 µs"),
    ],
)
def test_a_key_is_a_number_with_its_unit(words: str, value: str | None) -> None:
    key = ["engine.chunks", *words.split()]
    if value is None:
        with pytest.raises(ValueError, match="no such number"):
            proof_figures.value(key)
    else:
        assert proof_figures.value(key) == value


@pytest.mark.parametrize(
    ("key", "says"),
    [
        ("engine.chunks", "has no words"),
        ("engine.chunks #2", "has no words"),
        ("engine.chunks chunks", "2 lines of engine.chunks's record have 'chunks'"),
        ("engine.chunks chunk", "0 lines"),
        ("engine.chunks first come #5", "no such number"),
        ("engine.other a", "no recorded output of 'engine.other'"),
    ],
)
def test_a_key_that_names_no_number_stops_the_build(key: str, says: str) -> None:
    with pytest.raises(figures.FigureError, match=f"p:1: .*{says}"):
        figures.plain(f"{{{{ proof {key} }}}}", "p")


def test_a_unit_in_words_replaces_that_of_the_record() -> None:
    key = "{{ proof engine.chunks decode }}"
    assert figures.plain(f"It takes {key} milliseconds.", "p") == "It takes 2.4 milliseconds."
    assert figures.plain(f"要 {key} 毫秒", "p") == "要 2.4 毫秒"
    assert figures.plain(f"It takes {key}.", "p") == "It takes 2.4 ms."
