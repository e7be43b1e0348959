"""The command line: one document on standard output, one sentence for a user's mistake."""

import fcntl
import json
import math
import os
import pty
import struct
import subprocess
import sys
import termios
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest


def hotloop(*words: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hotloop.cli", *map(str, words)]
    return subprocess.run(command, check=False, capture_output=True, text=True, cwd=cwd)


def document(*words: str | Path, cwd: Path | None = None, code: int = 0) -> Any:
    """Return the one JSON document that the command prints."""
    done = hotloop(*words, "--json", cwd=cwd)
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


def run_python(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )


@pytest.mark.slow
def test_modules_lists_tasks_with_their_points() -> None:
    modules = {module["id"]: module for module in document("modules")["modules"]}
    softmax = modules["fused_softmax"]
    assert {"online_pass", "compiled_chain", "triton_forward"} <= {
        t["id"] for t in softmax["tasks"]
    }
    assert softmax["points"] == sum(task["points"] for task in softmax["tasks"])
    assert all(t["points"] == sum(r["points"] for r in t["checks"]) for t in softmax["tasks"])


@pytest.mark.slow
def test_people_get_a_table() -> None:
    done = hotloop("modules")
    assert done.returncode == 0
    assert "fused_softmax" in done.stdout
    with pytest.raises(json.JSONDecodeError):
        json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("start", "fused_sofmax"), "did you mean fused_softmax"),
        (("check", "fused_softmax.online_pas"), "did you mean online_pass"),
        (("check", "nothing_like_it"), "there are: "),
        (("check", "fused_softmax"), "hotloop start fused_softmax"),
        (("course", "new"), "Name the modules that are released"),
        (("lab", "no_such_folder"), "hotloop start MODULE"),
        (("author", "exploits", "--only", "no/such"), "hotloop author exploits --list"),
        (("author", "evidence", "fused_sofmax"), "did you mean fused_softmax"),
        (("course", "grade"), "hotloop course new MODULE"),
        (("course", "new", "fused_sofmax"), "did you mean fused_softmax"),
    ],
)
def test_a_mistake_gets_a_sentence_and_code_2(
    words: tuple[str, ...], expected: str, tmp_path: Path
) -> None:
    plain = hotloop(*words, cwd=tmp_path)
    assert plain.returncode == 2
    assert plain.stdout == ""
    assert expected in plain.stderr
    assert "Traceback" not in plain.stderr
    assert expected in document(*words, cwd=tmp_path, code=2)["error"]


def test_what_libraries_and_children_print_stays_out_of_the_document() -> None:
    done = run_python(
        "import os, subprocess\n"
        "from hotloop.cli.answer import CommandResult, with_json\n"
        "def command() -> CommandResult:\n"
        "    print('from print')\n"
        "    os.write(1, b'from a C library\\n')\n"
        "    subprocess.run(['echo', 'from a child'])\n"
        "    return CommandResult({'fine': True})\n"
        "with_json(command)(as_json=True)\n"
    )
    assert json.loads(done.stdout) == {"fine": True}
    assert {"from print", "from a C library", "from a child"} <= set(done.stderr.splitlines())


def test_a_bug_is_not_hidden_as_a_mistake_of_the_user() -> None:
    done = run_python(
        "from hotloop.cli.answer import CommandResult, with_json\n"
        "def command() -> CommandResult:\n"
        "    raise RuntimeError('a bug')\n"
        "with_json(command)(as_json=True)\n"
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert "RuntimeError: a bug" in done.stderr


# --- start ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_start_copies_the_exercise(tmp_path: Path, clone: Path) -> None:
    said = document("start", "fused_softmax", cwd=tmp_path)
    source = clone / "exercises" / "fused_softmax"
    assert said["folder"] == str(tmp_path / "fused_softmax")
    assert sorted(said["files"]) == sorted(p.name for p in source.iterdir() if p.is_file())
    for name in said["files"]:
        assert (tmp_path / "fused_softmax" / name).read_bytes() == (source / name).read_bytes()


@pytest.mark.slow
def test_start_gives_no_solutions(tmp_path: Path) -> None:
    document("start", "fused_softmax", cwd=tmp_path)
    started = (tmp_path / "fused_softmax").rglob("*")
    texts = [path.read_text() for path in started if path.is_file()]
    assert texts
    assert not any("BEGIN SOLUTION" in text for text in texts)
    assert not (tmp_path / "fused_softmax" / "wrong").exists()


@pytest.mark.slow
def test_start_again_without_work_is_fine(tmp_path: Path) -> None:
    document("start", "fused_softmax", "here", cwd=tmp_path)
    (tmp_path / "here" / "notes.txt").write_text("mine")
    assert document("start", "fused_softmax", "here", cwd=tmp_path)["backup"] is None
    assert (tmp_path / "here" / "notes.txt").read_text() == "mine"


@pytest.mark.slow
def test_start_does_not_overwrite_work(tmp_path: Path) -> None:
    document("start", "fused_softmax", "here", cwd=tmp_path)
    worked_on = tmp_path / "here" / "lab.ipynb"
    worked_on.write_text("an hour of work")
    refused = document("start", "fused_softmax", "here", cwd=tmp_path, code=2)
    assert "lab.ipynb" in refused["error"]
    assert "--force" in refused["error"]
    assert worked_on.read_text() == "an hour of work"


@pytest.mark.slow
def test_start_over_keeps_a_backup(tmp_path: Path, clone: Path) -> None:
    document("start", "fused_softmax", "here", cwd=tmp_path)
    notebook = tmp_path / "here" / "lab.ipynb"
    for work in ("first try", "second try"):
        notebook.write_text(work)
        said = document("start", "fused_softmax", "here", "--force", cwd=tmp_path)
        assert (Path(said["backup"]) / "lab.ipynb").read_text() == work
    fresh = clone / "exercises" / "fused_softmax" / "lab.ipynb"
    assert notebook.read_bytes() == fresh.read_bytes()


@pytest.mark.slow
def test_start_does_not_replace_a_file_by_a_folder(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine")
    refused = document("start", "fused_softmax", "taken", cwd=tmp_path, code=2)
    assert "is a file" in refused["error"]
    assert (tmp_path / "taken").read_text() == "mine"


# --- the others -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_lab_says_what_it_would_start(tmp_path: Path) -> None:
    document("start", "fused_softmax", cwd=tmp_path)
    said = json.loads(
        hotloop("lab", "fused_softmax", "--json", "--", "--no-browser", cwd=tmp_path).stdout
    )
    assert said["command"][1:] == ["-m", "jupyterlab", "lab.ipynb", "--no-browser"]


@pytest.mark.slow
def test_lab_opens_a_classrooms_guide(tmp_path: Path) -> None:
    made = document("course", "new", "--trial", "fused_softmax", "--course", "room", cwd=tmp_path)
    assert made["released"] == ["fused_softmax"]
    assert made["course"] == str(tmp_path / "room" / "course")
    said = document("lab", "room", cwd=tmp_path)
    assert said["command"][1:] == ["-m", "jupyterlab", "START.md"]
    guide = (tmp_path / "room" / "START.md").read_text()
    assert "Assignment List" in guide
    assert "Formgrader" in guide


@pytest.mark.slow
def test_render_check_finds_the_clone_current() -> None:
    assert document("author", "render", "--check") == {"stale": []}


@pytest.mark.slow
def test_check_judges_in_the_sandbox(tmp_path: Path) -> None:
    document("start", "fused_softmax", cwd=tmp_path)
    said = document("check", "fused_softmax.online_pass", "fused_softmax", cwd=tmp_path, code=1)
    [task] = said["tasks"]
    assert task["points"] == 0
    assert task["verdict"] not in {"passed", "partial", "judge_error"}
    assert task["record"]["circumstances"]["isolation"] == "bubblewrap"


@pytest.mark.slow
def test_check_says_what_only_a_person_can_grade(tmp_path: Path) -> None:
    document("start", "fused_softmax", cwd=tmp_path)
    refused = document("check", "fused_softmax.explain", "fused_softmax", cwd=tmp_path, code=2)
    assert "by a person" in refused["error"]


@pytest.mark.slow
def test_a_course_is_made_and_has_nothing_to_grade_yet(tmp_path: Path) -> None:
    made = document("course", "new", "fused_softmax", "--course", "here", cwd=tmp_path)
    assert made["released"] == ["fused_softmax"]
    assert made["problems"] == []
    assert made["exchange"] == str(tmp_path / "here-exchange")
    assert (tmp_path / "here-exchange" / "hotloop" / "outbound" / "fused_softmax").is_dir()
    assert (tmp_path / "here" / "release" / "fused_softmax" / "lab.ipynb").is_file()
    refused = document("course", "grade", "--course", "here", cwd=tmp_path, code=2)
    assert "no submissions" in refused["error"]


@pytest.mark.slow
def test_the_demo_does_not_touch_a_folder_that_holds_something_else(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    refused = document("demo", "--course", str(tmp_path), code=2)
    assert "not empty" in refused["error"]
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.slow
def test_exploits_lists_what_there_is() -> None:
    listed = document("author", "exploits", "--list", "--only", "replay")["exploits"]
    assert listed
    assert all(entry["name"].startswith("replay/") for entry in listed)
    assert all(entry["verdict"] is None and entry["seen_in"] for entry in listed)


def test_version() -> None:
    from hotloop import __version__

    assert hotloop("--version").stdout.strip() == __version__


# --- on a screen ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("command", "rows"), [("doctor", 24), ("modules", 28), ("progress", 24)])
def test_a_listing_fits_a_terminal(command: str, rows: int, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 80, 0, 0))
    kept = {k: v for k, v in os.environ.items() if k not in {"COLUMNS", "LINES"}}
    with subprocess.Popen(
        [sys.executable, "-m", "hotloop.cli", command],
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env={**kept, "TERM": "dumb", "XDG_DATA_HOME": str(tmp_path)},
    ):
        os.close(theirs)
        said = b""
        with suppress(OSError):  # at its end
            while part := os.read(ours, 4096):
                said += part
    os.close(ours)
    lines = said.decode().splitlines()
    assert len(lines) > 5
    assert sum(max(1, math.ceil(len(line) / 80)) for line in lines) < rows
