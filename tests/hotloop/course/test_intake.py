"""What is moved aside before nbgrader copies a submission, and what the sandbox gets of it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from hotloop.course import intake, snapshot
from hotloop.course.notebook_exporter import find_notebook, read_ordinary


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "submitted"
    (root / "data").mkdir(parents=True)
    (root / "lab.ipynb").write_text("{}")
    (root / "data" / "x.txt").write_text("x")
    (tmp_path / "secret").write_text("secret")
    return root


@pytest.fixture
def source(tmp_path: Path) -> Path:
    root = tmp_path / "source"
    (root / "data").mkdir(parents=True)
    (root / "data" / "x.txt").write_text("given")
    (root / "given.py").write_text("given")
    return root


def names(folder: Path, found: list[Path]) -> set[str]:
    return {str(path.relative_to(folder)) for path in found}


def test_ordinary_files_stay(folder: Path, source: Path) -> None:
    assert intake.irregular(folder, source) == []


def test_links_and_pipes_are_found(folder: Path, source: Path) -> None:
    (folder / "link").symlink_to(folder.parent / "secret")
    (folder / "data" / "folder").symlink_to("/etc")
    os.mkfifo(folder / "data" / "pipe")
    found = intake.irregular(folder, source)
    assert names(folder, found) == {"link", "data/folder", "data/pipe"}


def test_what_is_in_the_way_of_a_course_file_is_found(folder: Path, source: Path) -> None:
    (folder / "data" / "x.txt").unlink()
    (folder / "data").rmdir()
    (folder / "data").write_text("a file where a folder must be")
    (folder / "given.py").mkdir()
    assert names(folder, intake.irregular(folder, source)) == {"data", "given.py"}


def test_too_long_a_file_is_found(
    folder: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "MAX_FILE", 10)
    (folder / "big").write_bytes(b"x" * 11)
    assert names(folder, intake.irregular(folder, source)) == {"big"}


def test_a_linked_notebook_is_set_aside_and_graded_as_missing(course: Any) -> None:
    submitted = course.submit("eve")
    (submitted / "lab.ipynb").symlink_to(course.root / "source" / "tiny" / "lab.ipynb")
    graded = course.grade()
    verdicts = course.verdicts(graded)["eve"]
    assert verdicts["answer"] == "runtime_error"
    assert "No notebook was handed in" in course.page("eve")
    assert not (submitted / "lab.ipynb").is_symlink()


def test_a_snapshot_follows_nothing(folder: Path) -> None:
    (folder / "link").symlink_to(folder.parent / "secret")
    (folder / "timestamp.txt").write_text("2026")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "x.pyc").write_text("x")
    (folder / "lab.ipynb").chmod(0o400)
    files, notes = snapshot.ordinary_files(folder)
    assert set(files) == {"lab.ipynb", "data/x.txt"}
    assert notes == ["“link” was left out: not an ordinary file, or too long."]


def test_a_snapshot_is_written_open_to_all(tmp_path: Path) -> None:
    target = tmp_path / "copy"
    target.mkdir(mode=0o700)
    files = {"lab.ipynb": b"{}", "data/deep/x.txt": b"x"}
    previous = os.umask(0o077)
    try:
        snapshot.write_all(files, target)
    finally:
        os.umask(previous)
    assert snapshot.ordinary_files(target) == (files, [])
    assert all(p.stat().st_mode & 0o044 == 0o044 for p in [target, *target.rglob("*")])


def test_a_snapshot_has_limits(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "MAX_FILES", 10)
    monkeypatch.setattr(snapshot, "MAX_TOTAL", 100)
    for number in range(30):
        (folder / f"f{number}").write_text("y" * 30)
    files, notes = snapshot.ordinary_files(folder)
    assert 0 < sum(map(len, files.values())) <= 100
    assert 0 < len(notes) <= 20


def test_a_renamed_notebook_is_taken_only_if_there_is_one(folder: Path) -> None:
    wanted = folder / "other.ipynb"
    assert find_notebook(wanted, ["other"]) == (folder / "lab.ipynb", "lab.ipynb")
    assert find_notebook(wanted, ["other", "lab"]) == (None, "")
    (folder / "third.ipynb").write_text("{}")
    assert find_notebook(wanted, ["other"]) == (None, "")
    assert find_notebook(folder / "lab.ipynb", ["lab"]) == (folder / "lab.ipynb", "")


def test_only_ordinary_files_are_read(folder: Path) -> None:
    (folder / "link").symlink_to(folder / "lab.ipynb")
    os.mkfifo(folder / "pipe")
    assert read_ordinary(folder / "lab.ipynb") == b"{}"
    assert read_ordinary(folder / "data" / "x.txt", limit=0) == b"x"
    for name in ("link", "pipe", "data", "nowhere"):
        assert read_ordinary(folder / name) is None
