"""A submission's files are read without following links and without believing sizes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hotloop.judge.files import SubmissionFiles, digest
from hotloop.judge.verdict import Ruling, Verdict


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1")
    assert SubmissionFiles(tmp_path).read_text("a.py") == "x = 1"


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "", ".", "..", "missing.py"])
def test_nothing_outside_the_folder_is_read(tmp_path: Path, name: str) -> None:
    (tmp_path.parent / "secret").write_text("s")
    with pytest.raises(Ruling):
        SubmissionFiles(tmp_path).read_text(name)


def test_links_pipes_and_floods_are_refused(tmp_path: Path) -> None:
    files = SubmissionFiles(tmp_path)
    (tmp_path / "link.py").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "flood.py").write_bytes(b"#" * 2000)
    (tmp_path / "binary.py").write_bytes(b"\xff\xfe")
    for name, verdict in [
        ("link.py", Verdict.RUNTIME_ERROR),
        ("pipe.py", Verdict.RUNTIME_ERROR),
        ("flood.py", Verdict.OUTPUT_LIMIT),
        ("binary.py", Verdict.COMPILE_ERROR),
    ]:
        with pytest.raises(Ruling) as caught:
            files.read_text(name, limit=1000)
        assert caught.value.verdict is verdict


def test_a_digest_depends_on_names_and_contents_only(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        (folder / "sub").mkdir(parents=True)
        (folder / "sub" / "a").write_text("1")
        (folder / "b").write_text("2")
    assert digest(one) == digest(other)
    (other / "b").rename(other / "c")
    assert digest(one) != digest(other)
