"""A submission's files are read without following links or trusting sizes."""

import os
from pathlib import Path

import pytest

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge import files
from hotloop.judge.files import SubmissionFiles, digest, lay_out


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


@pytest.fixture
def strange(tmp_path: Path) -> Path:
    """A folder with everything that somebody can leave in one, but no readable file."""
    top = os.fsencode(tmp_path)
    os.mkfifo(top + b"/pipe")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "up").symlink_to("..")
    with (tmp_path / "sparse").open("wb") as stream:
        stream.truncate(1 << 40)
    os.close(os.open(top + b"/\xff\xfe\n", os.O_CREAT | os.O_WRONLY))
    # Deeper than any path that the system opens: 40 folders of 250 letters.
    fd = os.open(top, os.O_DIRECTORY)
    for _ in range(40):
        os.mkdir(b"d" * 250, dir_fd=fd)
        inner = os.open(b"d" * 250, os.O_DIRECTORY, dir_fd=fd)
        os.close(fd)
        fd = inner
    os.close(os.open(b"deep", os.O_CREAT | os.O_WRONLY, dir_fd=fd))
    os.close(fd)
    return tmp_path


def test_no_folder_is_beyond_a_digest(strange: Path) -> None:
    before = digest(strange)
    assert digest(strange) == before
    (strange / "a.py").write_text("x = 1")
    assert digest(strange) != before


def test_a_digest_depends_on_the_size_of_a_long_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_DIGESTED", 4)
    (tmp_path / "a").write_text("12345")
    before = digest(tmp_path)
    (tmp_path / "a").write_text("123456")
    assert digest(tmp_path) != before


def test_a_folder_is_read_whole(tmp_path: Path) -> None:
    files = {"models/bert/1/model.py": b"1", "models/bert/config.pbtxt": b"2", "other": b"3"}
    lay_out(files, tmp_path)
    (tmp_path / "models" / "link").symlink_to("/etc/passwd")
    (tmp_path / "models" / "linked").symlink_to("/etc")
    os.mkfifo(tmp_path / "models" / "pipe")
    found = SubmissionFiles(tmp_path)
    assert found.below("models") == {"bert/1/model.py": b"1", "bert/config.pbtxt": b"2"}
    assert found.read_text("models/bert/1/model.py") == "1"


@pytest.mark.parametrize("name", ["models", "../up", "/etc", "linked", "file"])
def test_what_is_no_folder_of_the_submission_is_not_read(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "in"
    lay_out({"file": b"1"}, folder)
    lay_out({"secret": b"1"}, tmp_path / "up")
    (folder / "linked").symlink_to(tmp_path / "up")
    for read in (SubmissionFiles(folder).below, SubmissionFiles(folder).read_text):
        if (name, read.__name__) == ("file", "read_text"):
            continue
        with pytest.raises(Ruling) as caught:
            read(name)
        assert caught.value.verdict is Verdict.RUNTIME_ERROR
    with pytest.raises(Ruling):
        SubmissionFiles(folder).read_text("linked/secret")


def test_a_folder_of_too_much_is_refused(tmp_path: Path) -> None:
    lay_out({f"many/{n}": b"" for n in range(files.MAX_TREE_FILES + 1)}, tmp_path)
    lay_out({"large/0": b"x" * (files.MAX_TREE_BYTES + 1)}, tmp_path)
    lay_out({"/".join(["deep"] * (files.MAX_DEPTH + 3)): b""}, tmp_path)
    for name in ("many", "large", "deep"):
        with pytest.raises(Ruling) as caught:
            SubmissionFiles(tmp_path).below(name)
        assert caught.value.verdict is Verdict.OUTPUT_LIMIT


CODING = "# -*- coding: {} -*-\nname = 'Jürgen'\n"


@pytest.mark.parametrize("encoding", ["latin-1", "iso-8859-15", "cp1252", "utf-8"])
def test_a_python_file_is_read_as_its_coding_line_says(tmp_path: Path, encoding: str) -> None:
    text = CODING.format(encoding)
    (tmp_path / "a.py").write_bytes(text.encode(encoding))
    assert SubmissionFiles(tmp_path).read_text("a.py") == text
    (tmp_path / "kernels.cu").write_bytes(text.encode(encoding))
    if encoding != "utf-8":
        with pytest.raises(Ruling, match="save it as UTF-8"):
            SubmissionFiles(tmp_path).read_text("kernels.cu")


@pytest.mark.parametrize("encoding", ["punycode", "rot13", "unicode_escape", "base64", "nonsense"])
def test_a_coding_line_chooses_no_slow_and_no_hiding_codec(tmp_path: Path, encoding: str) -> None:
    data = f"# coding: {encoding}\n'caf\xe9'\n".encode("latin-1")
    (tmp_path / "a.py").write_bytes(data)
    with pytest.raises(Ruling, match="not UTF-8 text"):
        SubmissionFiles(tmp_path).read_text("a.py")
