import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hotloop.takehome import audit_log

NOW = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "audit.jsonl"
    for number in range(4):
        audit_log.append(path, {"kind": "checked", "number": number}, NOW)
    return path


def read(data: bytes) -> tuple[list[int], list[int]]:
    """Return the numbers in a log's lines, and the lines at which it breaks."""
    lines = audit_log.read(data)
    numbers = [
        line.document["number"] for line in lines if line.document and "number" in line.document
    ]
    return numbers, [int(said.split()[1]) for said in audit_log.breaks(lines)]


def test_a_log_as_it_was_written_holds(path: Path) -> None:
    assert read(path.read_bytes()) == ([0, 1, 2, 3], [])


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
    assert read(changed)[1] == broken


@pytest.mark.parametrize("cut", [1, 20, 60])
def test_after_a_crash_nothing_is_lost_and_writing_goes_on(path: Path, cut: int) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    audit_log.append(path, {"kind": "checked", "number": 4}, NOW)
    assert path.read_bytes().startswith(whole[:-cut])
    # A line without its newline is whole; one that lacks more is lost, which is no break.
    assert read(path.read_bytes()) == ([0, 1, 2, 3, 4] if cut == 1 else [0, 1, 2, 4], [])


def test_lines_of_two_writers_do_not_mix(path: Path) -> None:
    def write() -> None:
        for _ in range(20):
            audit_log.append(path, {"kind": "checked", "number": 9}, NOW)

    writers = [threading.Thread(target=write) for _ in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    numbers, breaks = read(path.read_bytes())
    assert (len(numbers), breaks) == (64, [])


@pytest.mark.parametrize("data", [b"", b"\n", b"null\n", b"\xff\n\x00\n", b"[]\n[]"])
def test_whatever_a_file_holds_it_is_read(data: bytes) -> None:
    assert read(data)[0] == []


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
    audit_log.append(path, {"kind": "checked", "number": 7}, NOW)
    audit_log.append(path, {"kind": "checked", "number": 8}, NOW)
    numbers, breaks = read(path.read_bytes())
    assert numbers[-2:] == [7, 8]
    assert all(line <= data.count(b"\n") + 1 for line in breaks)
