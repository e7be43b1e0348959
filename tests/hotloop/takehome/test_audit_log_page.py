from datetime import UTC, datetime
from pathlib import Path

import pytest

from hotloop.takehome import audit_log
from hotloop.takehome.audit_log import AuditPage

NOW = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.jsonl"
    for number in range(10):
        audit_log.append(path, {"number": number}, NOW)
    return path


def read(path: Path, count: int = 4, before: int | None = None) -> AuditPage:
    return audit_log.read_page(path, count, before)


def numbers(page: AuditPage) -> list[int | None]:
    return [line.document["number"] if line.document else None for line in page.lines]


def pages(path: Path, count: int = 4) -> list[AuditPage]:
    found = [read(path, count)]
    while (place := found[-1].earlier) is not None:
        assert len(found) < 50
        found.append(read(path, count, place))
    return found


def misfits(found: list[AuditPage]) -> list[int]:
    lines = [line for page in found for line in page.lines]
    return [line.document["number"] for line in lines if line.document and not line.fits]


@pytest.mark.parametrize("count", [1, 3, 4, 10, 11])
def test_pages_hold_each_line_once_the_latest_first(log: Path, count: int) -> None:
    found = pages(log, count)
    assert [n for page in found for n in numbers(page)] == list(range(9, -1, -1))
    assert all(len(page.lines) <= count for page in found)
    assert all(line.fits for page in found for line in page.lines)


def test_what_is_not_there_has_no_lines(tmp_path: Path) -> None:
    assert read(tmp_path / "none") == AuditPage()
    (tmp_path / "empty").touch()
    assert read(tmp_path / "empty") == AuditPage()


@pytest.mark.parametrize("count", [1, 4, 20])
def test_an_altered_line_shows_on_the_one_after_it(log: Path, count: int) -> None:
    log.write_bytes(log.read_bytes().replace(b'"number": 5', b'"number": 7'))
    assert misfits(pages(log, count)) == [6]


def test_a_line_that_was_taken_out_shows(log: Path) -> None:
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:3] + lines[4:]))
    assert misfits(pages(log)) == [4]


def test_a_line_that_is_being_written_is_not_there_yet(log: Path) -> None:
    with log.open("ab") as stream:
        stream.write(b'{"number": 10, "prev')
    assert numbers(read(log)) == [9, 8, 7, 6]


def test_a_place_within_a_line_leads_to_the_ones_before_it(log: Path) -> None:
    place = read(log).earlier
    assert place is not None
    assert numbers(read(log, 4, place + 5)) == [5, 4, 3, 2]
    assert read(log, 4, 3) == AuditPage()
    assert numbers(read(log, 4, 10**12)) == [9, 8, 7, 6]


def test_a_page_reads_no_more_than_a_page(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = len(log.read_bytes().splitlines(keepends=True)[-1])
    monkeypatch.setattr(audit_log, "LONGEST_PAGE", 4 * line)
    found = pages(log, 100)
    assert [n for page in found for n in numbers(page)] == list(range(9, -1, -1))
    assert all(line.fits for page in found for line in page.lines)
    assert max(len(page.lines) for page in found) <= 4


def test_what_is_longer_than_a_page_hides_nothing_else(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with log.open("ab") as stream:
        stream.write(b"\xff" * 5000 + b"\n")
    audit_log.append(log, {"number": 11}, NOW)
    monkeypatch.setattr(audit_log, "LONGEST_PAGE", 1000)
    found = [n for page in pages(log) for n in numbers(page)]
    assert [n for n in found if n is not None] == [11, *range(9, -1, -1)]
    assert None in found
