"""Which of a submission's files reach the sandbox: ordinary files only, within limits."""

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hotloop.sandbox.confinement import SubmissionRefused
from hotloop.sandbox.staging import MAX_DEPTH, MAX_FILES, stage, unstage

MIB = 1 << 20


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret"
    path.write_text("the hidden test")
    return path


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_ordinary_files_are_copied(submission: Path) -> None:
    (submission / "data").mkdir()
    (submission / "data" / "x.bin").write_bytes(b"\0\1")
    (submission / "answer.py").write_text("x = 1")
    (submission / "empty").touch()
    staged = stage(submission, MIB)
    assert names(staged) == ["answer.py", "data", "data/x.bin", "empty"]
    assert (staged / "data/x.bin").read_bytes() == b"\0\1"
    unstage(staged)
    assert not staged.exists()


def test_links_and_pipes_are_left_out(submission: Path, secret: Path) -> None:
    (submission / "answer.py").write_text("x = 1")
    (submission / "shadow").symlink_to("/etc/shadow")
    (submission / "relative").symlink_to("../secret")
    (submission / "within").symlink_to("answer.py")
    (submission / "folder").symlink_to(secret.parent)
    os.mkfifo(submission / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(submission / "socket"))
    staged = stage(submission, MIB)
    assert names(staged) == ["answer.py"]
    unstage(staged)


@pytest.mark.sandbox
def test_nothing_leaks_through_links(
    run: Callable[..., Any], submission: Path, secret: Path
) -> None:
    (submission / "shadow").symlink_to("/etc/shadow")
    (submission / "secret").symlink_to(secret)
    (submission / "root").symlink_to("/")
    (submission / "real.txt").write_text("mine")
    ran = run(
        """
import os
for folder, folders, files in os.walk("/submission", followlinks=True):
    for name in files:
        print(os.path.join(folder, name), open(os.path.join(folder, name)).read())
""",
        files=submission,
    )
    assert ran.text == "/submission/real.txt mine\n"


def test_too_large(submission: Path) -> None:
    (submission / "a").write_bytes(bytes(600))
    (submission / "b").write_bytes(bytes(600))
    with pytest.raises(SubmissionRefused, match="larger than allowed"):
        stage(submission, 1000)
    unstage(stage(submission, 1200))


def test_a_sparse_file_counts_by_its_length(submission: Path) -> None:
    with (submission / "sparse").open("wb") as stream:
        stream.truncate(1 << 40)
    with pytest.raises(SubmissionRefused):
        stage(submission, MIB)


@pytest.mark.slow
def test_too_many(submission: Path) -> None:
    for number in range(MAX_FILES + 1):
        (submission / str(number)).touch()
    with pytest.raises(SubmissionRefused, match="files"):
        stage(submission, MIB)


def test_too_deep(submission: Path) -> None:
    deepest = submission
    for _ in range(MAX_DEPTH + 1):
        deepest /= "d"
    deepest.mkdir(parents=True)
    with pytest.raises(SubmissionRefused, match="nested"):
        stage(submission, MIB)


def test_the_copy_is_closed_to_other_users(submission: Path) -> None:
    staged = stage(submission, MIB)
    assert staged.parent.stat().st_mode & 0o077 == 0
    assert staged.parent.stat().st_uid == os.geteuid()
    unstage(staged)
