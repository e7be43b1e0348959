"""Which files of a submission are read, and which are moved aside before nbgrader copies it."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hotloop.course import autograde, hand_in
from hotloop.course.attempts.store import store
from hotloop.course.config import course_api, load_config
from hotloop.course.hand_in import find_notebook, ordinary_files, read_ordinary
from hotloop.judge.notebook_release import of_files


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


def names(folder: Path, found: list[tuple[Path, str]]) -> set[str]:
    return {str(path.relative_to(folder)) for path, _ in found}


def test_ordinary_files_stay(folder: Path, source: Path) -> None:
    assert autograde.irregular(folder, source) == []


def test_links_and_pipes_are_found(folder: Path, source: Path) -> None:
    (folder / "link").symlink_to(folder.parent / "secret")
    (folder / "data" / "folder").symlink_to("/etc")
    os.mkfifo(folder / "data" / "pipe")
    found = autograde.irregular(folder, source)
    assert names(folder, found) == {"link", "data/folder", "data/pipe"}


def test_what_is_in_the_way_of_a_course_file_is_found(folder: Path, source: Path) -> None:
    (folder / "data" / "x.txt").unlink()
    (folder / "data").rmdir()
    (folder / "data").write_text("a file where a folder must be")
    (folder / "given.py").mkdir()
    (folder / "given.py" / "x").write_text("x")
    assert names(folder, autograde.irregular(folder, source)) == {"data", "given.py/x"}


def test_too_long_a_file_is_found(
    folder: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hand_in, "MAX_FILE", 10)
    (folder / "big").write_bytes(b"x" * 11)
    (folder / "lab.ipynb").write_bytes(b"x" * 11)
    assert names(folder, autograde.irregular(folder, source)) == {"big"}


def test_what_is_copied_is_what_is_graded(folder: Path, source: Path) -> None:
    """The same files are left out by both, with the same words, and folders of tools by both."""
    (folder / ".git").mkdir()
    (folder / ".git" / "link").symlink_to("/etc")
    (folder / "link").symlink_to("/etc")
    (folder / "given.py").mkdir()
    (folder / "given.py" / "x").write_text("x")
    found = autograde.irregular(folder, source)
    assert names(folder, found) == {".git", "link", "given.py/x"}
    _, notes = ordinary_files(folder, {"data/x.txt", "given.py"})
    assert len(notes) == 2
    assert hand_in.notes_on((p.relative_to(folder).as_posix(), why) for p, why in found) == notes


@pytest.mark.parametrize("content", [b"soon", b"\xff", b"2026-01-01 10:00:00 UTC" + b" " * 300])
def test_a_timestamp_that_is_no_time_is_found(folder: Path, source: Path, content: bytes) -> None:
    (folder / "timestamp.txt").write_bytes(b"2026-01-01 10:00:00 UTC")
    assert autograde.irregular(folder, source) == []
    (folder / "timestamp.txt").write_bytes(content)
    assert names(folder, autograde.irregular(folder, source)) == {"timestamp.txt"}


@pytest.mark.slow
def test_a_linked_notebook_is_graded_as_missing(course: Any) -> None:
    submitted = course.submit("eve")
    (submitted / "lab.ipynb").symlink_to(course.root / "source" / "tiny" / "lab.ipynb")
    graded = course.grade()
    verdicts = course.verdicts(graded)["eve"]
    assert verdicts["answer"] == "runtime_error"
    assert "No notebook was handed in" in course.page("eve")


@pytest.mark.slow
def test_nothing_that_is_in_the_way_makes_a_grade_pending(
    course: Any, make: SimpleNamespace
) -> None:
    """A folder with the name of an exercise's file, and names that are not valid text."""
    given = course.root / "source" / "tiny" / "data"
    given.mkdir()
    (given / "x.txt").write_text("given")
    (given.parent / "given.py").write_text("given")
    submitted = course.submit("eve", make.lab("41"))
    (submitted / "data").write_text("a file where a folder must be")
    (submitted / "given.py").mkdir()
    (submitted / "given.py" / "x").write_text("x")
    Path(os.fsdecode(os.fsencode(submitted / "b") + b"\xff")).write_text("x")
    deep = submitted.joinpath(*["d" * 200] * 5)
    deep.mkdir(parents=True)
    (deep / "x").write_text("x")
    other = course.submit("mal", None)
    (other / "lab.ipynb").mkdir()
    (other / "lab.ipynb" / "x").write_text("x")
    graded = course.grade()
    assert graded.problems == {}
    verdicts = course.verdicts(graded)
    assert verdicts["eve"]["answer"] == "wrong_answer"
    assert verdicts["mal"]["answer"] == "runtime_error"
    assert sum("in the way" in note for note in graded.notes["eve/tiny"]) == 2
    assert len([note for note in graded.notes["eve/tiny"] if "left out" in note]) == 4


@pytest.mark.slow
def test_no_page_is_made_of_another_notebook(course: Any, make: SimpleNamespace) -> None:
    submitted = course.submit("eve", make.lab())
    (submitted / "other.ipynb").write_text("no notebook")
    graded = course.grade()
    assert graded.problems == {}
    assert [page.name for page in graded.feedback] == ["lab.html"]


@pytest.mark.slow
def test_nbgraders_own_command_copies_no_link(course: Any) -> None:
    submitted = course.submit("eve")
    (submitted / "lab.ipynb").symlink_to(course.root / "source" / "tiny" / "lab.ipynb")
    (submitted / "mine.txt").symlink_to(course.root / "gradebook.db")
    os.mkfifo(submitted / "pipe")
    config = load_config(course.root)
    config.Grading.update(course.settings)
    result: Any = course_api(config).autograde("tiny", "eve", force=True)
    assert result["success"], result
    assert not (submitted / "lab.ipynb").is_symlink()
    graded = course.root / "autograded" / "eve" / "tiny"
    assert {path.name for path in graded.iterdir()} == {"lab.ipynb", "work.py"}
    assert (course.root / "set_aside" / "eve" / "tiny").is_dir()
    notes = store(course.root).published("eve", "tiny").notes
    assert sum("was left out: not an ordinary file" in note for note in notes) == 3


def test_a_snapshot_follows_nothing(folder: Path) -> None:
    (folder / "link").symlink_to(folder.parent / "secret")
    (folder / "timestamp.txt").write_text("2026")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "x.pyc").write_text("x")
    (folder / "lab.ipynb").chmod(0o400)
    files, notes = ordinary_files(folder)
    assert set(files) == {"lab.ipynb", "data/x.txt"}
    assert notes == ["“link” was left out: not an ordinary file, or too long."]


def test_a_snapshot_has_limits(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hand_in, "MAX_FILES", 10)
    monkeypatch.setattr(hand_in, "MAX_TOTAL", 100)
    for number in range(30):
        (folder / f"f{number}").write_text("y" * 30)
    files, notes = ordinary_files(folder)
    assert 0 < sum(map(len, files.values())) <= 100
    assert 0 < len(notes) <= 20


def lab_file(source: str) -> bytes:
    """Return a notebook with one task, whose answer is `source`."""
    marks = {"locked": False, "grade": False, "solution": True, "task": False}
    metadata = {"nbgrader": {"grade_id": "f_solution", **marks}}
    answer = {"cell_type": "code", "source": source, "metadata": metadata}
    kernel = {"kernelspec": {"name": "python3"}}
    return json.dumps({"cells": [answer], "metadata": kernel}).encode()


STUB = "def f(): ..."
ANSWER = "def f(): return 1"


@pytest.mark.parametrize(
    ("files", "chosen", "named"),
    [
        ({"lab.ipynb": ANSWER}, ANSWER, []),
        ({"other.ipynb": ANSWER}, ANSWER, ["other.ipynb"]),
        ({"Lab.IPYNB": ANSWER}, ANSWER, ["Lab.IPYNB"]),
        ({"lab.ipynb.txt": ANSWER}, ANSWER, ["lab.ipynb.txt"]),
        ({"work/lab.ipynb": ANSWER}, ANSWER, ["work/lab.ipynb"]),
        ({"._lab_ada.ipynb": "junk", "lab_ada.ipynb": ANSWER}, ANSWER, ["lab_ada.ipynb"]),
        ({"__MACOSX/lab.ipynb": "junk", "lab.ipynb": ANSWER}, ANSWER, []),
        ({".ipynb_checkpoints/lab.ipynb": ANSWER, "lab.ipynb": STUB}, STUB, []),
        ({"lab.ipynb": STUB, "lab-Copy1.ipynb": ANSWER}, ANSWER, ["lab-Copy1.ipynb", "lab.ipynb"]),
        (
            {"lab.ipynb": ANSWER, "lab-Copy1.ipynb": ANSWER + "0"},
            ANSWER,
            ["lab-Copy1.ipynb", "lab.ipynb"],
        ),
        ({"lab.ipynb": STUB, "lab-Copy1.ipynb": STUB}, STUB, ["lab-Copy1.ipynb", "lab.ipynb"]),
        ({"a.ipynb": STUB, "b.ipynb": ANSWER}, ANSWER, ["a.ipynb", "b.ipynb"]),
        ({"notes.txt": "x"}, None, []),
    ],
)
def test_the_notebook_that_was_worked_in_is_graded_and_every_other_is_named(
    tmp_path: Path, files: dict[str, str], chosen: str | None, named: list[str]
) -> None:
    for name, source in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(lab_file(source))
    release = of_files("m", {"lab.ipynb": lab_file(STUB)}, [])
    found = find_notebook(tmp_path, release)
    assert found.data == (lab_file(chosen) if chosen else None)
    assert sorted({name for name in files for note in found.notes if f"“{name}”" in note}) == named


def test_a_notebook_of_another_subject_is_not_graded_for_an_untouched_one(tmp_path: Path) -> None:
    release = of_files("m", {"lab.ipynb": lab_file(STUB)}, [])
    (tmp_path / "lab.ipynb").write_bytes(lab_file(STUB))
    plain = json.dumps({"cells": [{"cell_type": "code", "source": "x = 1"}]}).encode()
    (tmp_path / "scratch.ipynb").write_bytes(plain)
    found = find_notebook(tmp_path, release)
    assert found.data == lab_file(STUB)
    assert "scratch.ipynb" in found.notes[0]


def test_only_ordinary_files_are_read(folder: Path) -> None:
    (folder / "link").symlink_to(folder / "lab.ipynb")
    os.mkfifo(folder / "pipe")
    assert read_ordinary(folder / "lab.ipynb") == b"{}"
    assert read_ordinary(folder / "data" / "x.txt", limit=0) == b"x"
    for name in ("link", "pipe", "data", "nowhere"):
        assert read_ordinary(folder / name) is None


@pytest.mark.slow
def test_a_secret_is_kept_whole_beside_large_files(
    course: Any, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hand_in, "MAX_SHOWN", 20)
    files = {"a.csv": "1,2\n" * 10, "submission_secret.txt": "0123456789"}
    course.submit("ada", make.lab(), files=files)
    course.grade()
    shown = course.root / "autograded" / "ada" / "tiny"
    assert (shown / "submission_secret.txt").read_text() == "0123456789"
    assert (shown / "a.csv").read_text() == ""


def test_the_length_of_a_name_is_counted_in_bytes(folder: Path) -> None:
    deep = folder / "/".join(["\N{SNOWMAN}" * 80] * 5)
    deep.parent.mkdir(parents=True)
    deep.write_text("x")
    files, notes = ordinary_files(folder)
    assert len(files) == 2
    assert len(notes) == 1


@pytest.fixture
def not_root() -> Iterator[None]:
    """Be nobody for the test, if it runs as root: root may read everything."""
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("mode", [0o000, 0o200, 0o300])
def test_what_a_learner_has_closed_is_named_and_left_out(
    folder: Path, mode: int, request: pytest.FixtureRequest
) -> None:
    opened_up(folder)
    (folder / "notes.txt").write_text("x")
    (folder / "notes.txt").chmod(mode)
    (folder / "data").chmod(mode)
    request.getfixturevalue("not_root")
    files, notes = ordinary_files(folder)
    assert set(files) == {"lab.ipynb"}
    assert sorted(notes) == [
        "“data” was left out: its permissions forbid reading it.",
        "“notes.txt” was left out: its permissions forbid reading it.",
    ]


def test_a_folder_that_can_be_listed_and_not_entered_is_closed(
    folder: Path, request: pytest.FixtureRequest
) -> None:
    opened_up(folder)
    (folder / "data").chmod(0o444)
    request.getfixturevalue("not_root")
    files, notes = ordinary_files(folder)
    assert set(files) == {"lab.ipynb"}
    assert notes == ["“data” was left out: its permissions forbid reading it."]


def test_a_closed_notebook_is_none(folder: Path, request: pytest.FixtureRequest) -> None:
    opened_up(folder)
    (folder / "lab.ipynb").chmod(0)
    request.getfixturevalue("not_root")
    assert read_ordinary(folder / "lab.ipynb") is None


def test_a_file_of_the_course_that_this_account_cannot_read_is_the_machines(
    folder: Path, request: pytest.FixtureRequest
) -> None:
    if os.geteuid():
        pytest.skip("only root can hand a file to another account")
    opened_up(folder)
    (folder / "lab.ipynb").chmod(0o600)
    request.getfixturevalue("not_root")
    with pytest.raises(PermissionError):
        read_ordinary(folder / "lab.ipynb")


def test_a_file_that_only_its_learner_may_read_is_the_learners(
    folder: Path, request: pytest.FixtureRequest
) -> None:
    if os.geteuid():
        pytest.skip("only root can hand a file to another account")
    opened_up(folder)
    os.chown(folder / "lab.ipynb", 1234, 1234)
    (folder / "lab.ipynb").chmod(0o600)
    request.getfixturevalue("not_root")
    assert read_ordinary(folder / "lab.ipynb") is None


def opened_up(folder: Path) -> None:
    """Let any account enter the folder, which pytest makes for its own only."""
    for parent in (folder, *folder.parents):
        if parent.stat().st_uid == os.geteuid() and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o055)


def test_what_a_learner_has_closed_is_moved_aside_before_nbgrader_copies_it(
    folder: Path, source: Path, request: pytest.FixtureRequest
) -> None:
    opened_up(folder)
    (folder / "notes.txt").write_text("x")
    (folder / "notes.txt").chmod(0)
    request.getfixturevalue("not_root")
    assert names(folder, autograde.irregular(folder, source)) == {"notes.txt"}
