import json
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hotloop.learn.pack import chain

NOW = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "chain.jsonl"
    for number in range(4):
        chain.append(path, "x", {"kind": "checked", "number": number}, NOW)
    return path


def numbers(found: chain.Chain) -> list[int]:
    return [document["number"] for _, document in found.documents if "number" in document]


def test_a_chain_holds(path: Path) -> None:
    found = chain.read(path.read_bytes(), "x")
    assert numbers(found) == [0, 1, 2, 3]
    assert (found.breaks, found.torn, found.unfinished) == ([], [], False)


def test_a_chain_of_something_else_does_not_hold(path: Path) -> None:
    assert [b.line for b in chain.read(path.read_bytes(), "y").breaks] == [1]


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        (lambda lines: [lines[0], *lines[2:]], [2]),
        (lambda lines: [lines[1], lines[0], *lines[2:]], [1, 2, 3]),
        (lambda lines: [lines[0].replace(b"0", b"7", 1), *lines[1:]], [2]),
        (lambda lines: [lines[0], lines[0], *lines[1:]], [2]),
        (lambda lines: [*lines[:2], b"nonsense", *lines[2:]], [3, 4]),
        (lambda lines: [*lines[:3], b"[" * 100_000], [4]),
    ],
    ids=["taken out", "exchanged", "altered", "doubled", "put in", "deep"],
)
def test_what_was_done_to_it_is_seen(path: Path, change: object, broken: list[int]) -> None:
    lines = path.read_bytes().splitlines()
    changed = b"\n".join(change(lines)) + b"\n"  # type: ignore[operator]
    assert [b.line for b in chain.read(changed, "x").breaks] == broken


@pytest.mark.parametrize("cut", [1, 20, 60])
def test_after_a_crash_nothing_is_lost_and_writing_goes_on(path: Path, cut: int) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    chain.append(path, "x", {"kind": "checked", "number": 4}, NOW)
    found = chain.read(path.read_bytes(), "x")
    assert path.read_bytes().startswith(whole[:-cut])
    assert found.breaks == []
    # A line without its newline is whole; a line that lacks more is reported as torn.
    assert numbers(found) == ([0, 1, 2, 3, 4] if cut == 1 else [0, 1, 2, 4])
    assert found.torn == ([] if cut == 1 else [4])


def test_lines_of_two_writers_do_not_mix(path: Path) -> None:
    def write() -> None:
        for _ in range(20):
            chain.append(path, "x", {"kind": "checked", "number": 9}, NOW)

    writers = [threading.Thread(target=write) for _ in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    found = chain.read(path.read_bytes(), "x")
    assert found.breaks == []
    assert len(found.documents) == 64


@pytest.mark.parametrize("data", [b"", b"\n", b"null\n", b"\xff\n\x00\n", b"[]\n[]"])
def test_whatever_a_file_holds_it_is_read(data: bytes) -> None:
    found = chain.read(data, "x")
    assert found.documents == []
    assert json.dumps([b.what for b in found.breaks])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"\n\n",
        b"half a line",
        b"{}\nhalf a line",
        b"{}\n\n",
        b"x" * 200_000,
        b"x" * 200_000 + b"\n",
        b"{}\n" + b"y" * 200_000 + b"\n" + b"z" * 70_000,
        b"{}\n" * 40_000,
    ],
)
def test_a_line_follows_from_whatever_was_there(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    chain.append(path, "x", {"kind": "checked", "number": 7}, NOW)
    chain.append(path, "x", {"kind": "checked", "number": 8}, NOW)
    found = chain.read(path.read_bytes(), "x")
    assert numbers(found)[-2:] == [7, 8]
    assert all(one.line <= data.count(b"\n") + 1 for one in found.breaks)
    assert not found.unfinished
