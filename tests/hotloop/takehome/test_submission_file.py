import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.core import whole_file
from hotloop.learn.pack import limits
from hotloop.takehome import submission_file
from hotloop.takehome.pack import Pack
from hotloop.takehome.submission import open_submission
from hotloop.takehome.submission_file import CannotSubmit, make_submission

from .conftest import RECEIVED, Hired


def write_cell(folder: Path, source: str, output: str = "") -> None:
    """Change the first code cell."""
    path = folder / "lab.ipynb"
    notebook = json.loads(path.read_text())
    cell = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    cell["source"] = source
    cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": output}]
    path.write_text(json.dumps(notebook))


@pytest.fixture
def folder(hired: Hired, unpack: Callable[[Pack], Path]) -> Path:
    return unpack(hired.packs[0])


def test_what_is_made_is_taken(hired: Hired, folder: Path) -> None:
    (folder / "softmax_triton.py").write_text("print('mine')\n")
    (folder / "helper.py").write_text("x = 1\n")
    path = make_submission(folder)
    found = open_submission(path, hired.team, received=RECEIVED)
    assert found.work.files["softmax_triton.py"] == b"print('mine')\n"
    assert found.work.files["helper.py"] == b"x = 1\n"
    assert found.manifest == hired.packs[0].manifest
    assert found.work_log is not None
    assert [entry.kind for entry in found.work_log.entries] == ["submitted"]
    assert found.work_log.entries[0].changes["helper.py"].added == 1


def test_the_work_log_can_be_left_out(hired: Hired, folder: Path) -> None:
    path = make_submission(folder, with_work_log=False)
    assert open_submission(path, hired.team, received=RECEIVED).work_log is None
    assert not (folder / "work_log.jsonl").exists()


def test_it_can_be_made_again_and_holds_itself_not(folder: Path) -> None:
    first = make_submission(folder, with_work_log=False).read_bytes()
    assert make_submission(folder, with_work_log=False).read_bytes() == first


def test_outputs_and_what_is_no_work_stay_behind(folder: Path) -> None:
    notebook = json.loads((folder / "lab.ipynb").read_text())
    output = {"output_type": "stream", "name": "stdout", "text": "my-own-machine"}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = [output]
    (folder / "lab.ipynb").write_text(json.dumps(notebook))
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / "bin" / "python.py").write_text("x")
    (folder / "secret.txt").symlink_to("/etc/passwd")
    (folder / "big.bin").write_bytes(bytes(limits.MAX_FILE + 1))
    (folder / "na\u00efve.py").write_text("x")
    with zipfile.ZipFile(make_submission(folder)) as archive:
        names = set(archive.namelist())
        assert b"my-own-machine" not in archive.read("files/lab.ipynb")
    assert names == {
        "manifest.json",
        "work_log.jsonl",
        "files/lab.ipynb",
        "files/extension_build.py",
        "files/operator_trials.py",
        "files/softmax_triton.py",
    }


def test_a_crash_while_writing_leaves_the_last_submission(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_submission(folder)
    before = path.read_bytes()

    def dies(_file: int) -> None:
        raise OSError("no space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(whole_file.os, "fsync", dies)
        with pytest.raises(CannotSubmit, match="cannot be written: no space"):
            make_submission(folder, with_work_log=False)
    assert path.read_bytes() == before
    assert not [p.name for p in folder.iterdir() if p.name.startswith(".submission")]
    assert make_submission(folder).is_file()


def test_after_a_crash_the_work_goes_on(hired: Hired, folder: Path) -> None:
    make_submission(folder)
    log = folder / "work_log.jsonl"
    log.write_bytes(log.read_bytes()[:-10])
    found = open_submission(make_submission(folder), hired.team, received=RECEIVED)
    assert found.work_log is not None
    assert [entry.kind for entry in found.work_log.entries] == ["submitted"]
    assert b"}\n" not in log.read_bytes()[:-1]


def test_even_data_is_handed_in_too(hired: Hired, folder: Path) -> None:
    (folder / "zeros.bin").write_bytes(bytes(limits.MAX_FILE))
    found = open_submission(make_submission(folder), hired.team, received=RECEIVED)
    assert found.work.files["zeros.bin"] == bytes(limits.MAX_FILE)


def test_plots_make_no_notebook_too_large(hired: Hired, folder: Path) -> None:
    """The size that counts is the submission's, without outputs."""
    write_cell(folder, "mine = 1", output="x" * (limits.MAX_FILE + 1))
    found = open_submission(make_submission(folder), hired.team, received=RECEIVED)
    assert b"mine = 1" in found.work.files["lab.ipynb"]


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda folder: (folder / "manifest.json").unlink(), "no pack"),
        (lambda folder: (folder / "manifest.json").write_text("{}"), "from the pack again"),
        (lambda folder: (folder / "lab.ipynb").write_text("{"), "could not be read"),
        (lambda folder: (folder / "lab.ipynb").unlink(), "lab.ipynb cannot be handed in"),
        (lambda folder: (folder / "lab.ipynb").rename(folder / "my lab.ipynb"), "a task asks"),
        (lambda folder: (folder / "softmax_triton.py").write_bytes(bytes(limits.MAX_FILE + 1)),
         "softmax_triton.py cannot be handed in"),
        (lambda folder: write_cell(folder, "x" * limits.MAX_FILE), "A cell is no text, or longer"),
        (lambda folder: (folder / "LAB.ipynb").write_bytes((folder / "lab.ipynb").read_bytes()),
         "capitals only"),
        (lambda folder: [(folder / f"f{n}.py").touch() for n in range(limits.MAX_ENTRIES)],
         "more than"),
    ],
)  # fmt: skip
def test_what_is_in_the_way_is_said(
    folder: Path, spoil: Callable[[Path], object], says: str
) -> None:
    spoil(folder)
    with pytest.raises(CannotSubmit, match=says):
        make_submission(folder)
    assert not list(folder.glob("submission-*.zip"))


def test_the_same_work_gives_the_same_file() -> None:
    entries = {"b": b"2", "a": b"1"}
    assert submission_file.zipped(entries) == submission_file.zipped(
        dict(reversed(entries.items()))
    )
