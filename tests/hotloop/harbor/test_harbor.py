"""A task as a Harbor folder: its test.sh, run as a harness runs it."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from hotloop import curriculum, harbor, render

from ..test_cli import document

MODULE, TASK = "fused_softmax", "online_pass"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("harbor")
    module = curriculum.load_module(MODULE)
    return harbor.write(module, module.task(TASK), root / "task")


def rewarded(folder: Path, work: Path, tmp_path: Path) -> tuple[int, float | None]:
    """Return exit code and reward.

    As in a harness, the verifier gets a copy of the task's files.
    """
    reward = tmp_path / "verifier"
    variables = {
        "HOTLOOP_WORK": str(work),
        "HOTLOOP_REWARD_DIR": str(reward),
        "HOTLOOP_PYTHON": sys.executable,
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
    }
    done = subprocess.run(
        ["/bin/sh", folder / "tests" / "test.sh"], cwd="/", env=variables, check=False
    )
    found = reward / "reward.txt"
    return done.returncode, float(found.read_text()) if found.is_file() else None


def work_in(folder: Path, tmp_path: Path, *, solved: bool) -> Path:
    """Return the folder that a model leaves: the exercise, untouched or solved by solve.sh."""
    work = tmp_path / "app"
    subprocess.run(["cp", "-R", folder / "environment" / "exercise", work], check=True)
    if solved:
        variables = {**os.environ, "HOTLOOP_WORK": str(work)}
        subprocess.run([folder / "solution" / "solve.sh"], env=variables, check=True)
    return work


@pytest.mark.sandbox
def test_the_reference_is_rewarded(folder: Path, tmp_path: Path) -> None:
    work = work_in(folder, tmp_path, solved=True)
    assert rewarded(folder, work, tmp_path) == (0, 1.0)
    record = json.loads((tmp_path / "verifier" / "record.json").read_text())
    assert record["verdict"] == "passed"


@pytest.mark.sandbox
def test_the_exercise_and_a_wrong_answer_are_not(folder: Path, tmp_path: Path) -> None:
    work = work_in(folder, tmp_path, solved=False)
    assert rewarded(folder, work, tmp_path) == (0, 0.0)
    wrong = next(w for w in render.wrong_answers(MODULE) if (w.task, w.rung) == (TASK, "correct"))
    for name, content in render.submission(MODULE, wrong.path).items():
        (work / name).write_bytes(content)
    assert rewarded(folder, work, tmp_path) == (0, 0.0)


@pytest.mark.sandbox
def test_a_model_cannot_write_its_reward_or_replace_the_judge(folder: Path, tmp_path: Path) -> None:
    """Files in its folder are neither imported nor trusted, and an old reward is removed."""
    work = work_in(folder, tmp_path, solved=False)
    (tmp_path / "verifier").mkdir()
    (tmp_path / "verifier" / "reward.txt").write_text("1.0")
    for name in ("hotloop.py", "sitecustomize.py", "json.py", "judge.py", "asked.json"):
        (work / name).write_text(
            f"open({str(tmp_path / 'verifier' / 'reward.txt')!r}, 'w').write('1')"
        )
    (work / "reward.txt").write_text("1.0")
    assert rewarded(folder, work, tmp_path) == (0, 0.0)


@pytest.mark.sandbox
def test_a_judge_that_cannot_judge_gives_no_reward(folder: Path, tmp_path: Path) -> None:
    work = work_in(folder, tmp_path, solved=True)
    asked = folder / "tests" / harbor.ASKED
    before = asked.read_text()
    asked.write_text(json.dumps({"module": MODULE, "task": "no_such_task"}))
    try:
        code, reward = rewarded(folder, work, tmp_path)
    finally:
        asked.write_text(before)
    assert code != 0
    assert reward is None


def test_the_model_sees_no_solution_and_no_test(folder: Path) -> None:
    told = tomllib.loads((folder / "task.toml").read_text())
    assert told["verifier"]["environment_mode"] == "separate"
    assert told["artifacts"] == ["/app/lab.ipynb"]
    seen = {
        p.relative_to(folder / "environment").as_posix() for p in folder.glob("environment/**/*")
    }
    assert seen == {"Dockerfile", "exercise"} | {f"exercise/{n}" for n in render.render(MODULE)}
    solved = (folder / "solution" / "files" / "lab.ipynb").read_bytes()
    assert (folder / "environment" / "exercise" / "lab.ipynb").read_bytes() != solved
    for text in ("task.toml", "instruction.md", "environment/Dockerfile", "tests/Dockerfile"):
        assert "$" not in (folder / text).read_text()
    assert "online_softmax" in (folder / "instruction.md").read_text()


def test_the_command_writes_a_folder_for_each_task(tmp_path: Path) -> None:
    made = document("author", "export", f"{MODULE}.{TASK}", str(tmp_path))["made"]
    assert made == [str(tmp_path / f"{MODULE}-{TASK}")]
    assert (tmp_path / f"{MODULE}-{TASK}" / "tests" / "test.sh").is_file()


HARBOR = shutil.which("harbor")
needs_harbor = pytest.mark.skipif(
    HARBOR is None,
    reason="no `harbor` on PATH: pip install harbor, in an environment with Python 3.12 or newer",
)


def linted(folder: Path) -> tuple[int, str]:
    """What Harbor's own reader says of a folder: exit code, and the rules that it broke."""
    assert HARBOR is not None
    done = subprocess.run(
        [HARBOR, "lint", "--json", folder], capture_output=True, text=True, check=False
    )
    return done.returncode, " ".join(found["rule"] for found in json.loads(done.stdout))


@needs_harbor
def test_harbors_own_reader_takes_the_folder(folder: Path) -> None:
    assert linted(folder) == (0, "")


@needs_harbor
@pytest.mark.parametrize(
    ("file", "old", "new", "rule"),
    [
        ("task.toml", "environment_mode", "mode_of_environment", "unknown-config-field"),
        ("task.toml", "timeout_sec = 900.0", 'timeout_sec = "soon"', "invalid-task-config"),
        ("task.toml", "/app/lab.ipynb", "/logs/verifier/lab.ipynb", "artifact-log-overlap"),
        ("instruction.md", "", None, "invalid-task-files"),
    ],
)
def test_harbors_own_reader_refuses_a_wrong_one(
    folder: Path, tmp_path: Path, file: str, old: str, new: str | None, rule: str
) -> None:
    wrong = tmp_path / "wrong"
    shutil.copytree(folder, wrong)
    if new is None:
        (wrong / file).unlink()
    else:
        text = (wrong / file).read_text()
        assert old in text
        (wrong / file).write_text(text.replace(old, new))
    code, rules = linted(wrong)
    assert code == 1
    assert rule in rules
