"""A task as a Harbor folder: its test.sh, run as a harness runs it."""

import json
import os
import runpy
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from hotloop.author import harbor
from hotloop.core.record import CheckRecord, Circumstances, Record
from hotloop.core.verdict import Verdict
from hotloop.tasks import curriculum, render

from ...test_cli import document

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


@pytest.mark.slow
@pytest.mark.sandbox
def test_the_reference_is_rewarded(folder: Path, tmp_path: Path) -> None:
    work = work_in(folder, tmp_path, solved=True)
    assert rewarded(folder, work, tmp_path) == (0, 1.0)
    record = json.loads((tmp_path / "verifier" / "record.json").read_text())
    assert record["verdict"] == "passed"


@pytest.mark.slow
@pytest.mark.sandbox
def test_the_exercise_and_a_wrong_answer_are_not(folder: Path, tmp_path: Path) -> None:
    work = work_in(folder, tmp_path, solved=False)
    assert rewarded(folder, work, tmp_path) == (0, 0.0)
    wrong = next(w for w in render.wrong_answers(MODULE) if (w.task, w.check) == (TASK, "correct"))
    for name, content in render.submission(MODULE, wrong.path).items():
        (work / name).write_bytes(content)
    assert rewarded(folder, work, tmp_path) == (0, 0.0)


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.sandbox
def test_strange_names_cost_no_reward_and_lose_no_rollout(folder: Path, tmp_path: Path) -> None:
    work = work_in(folder, tmp_path, solved=False)
    top = os.fsencode(work)
    os.close(os.open(top + b"/\xff.py", os.O_CREAT | os.O_WRONLY))
    fd = os.open(top, os.O_DIRECTORY)
    for _ in range(20):
        os.mkdir(b"d" * 250, dir_fd=fd)
        inner = os.open(b"d" * 250, os.O_DIRECTORY, dir_fd=fd)
        os.close(fd)
        fd = inner
    os.close(os.open(b"deep", os.O_CREAT | os.O_WRONLY, dir_fd=fd))
    os.close(fd)
    assert rewarded(folder, work, tmp_path) == (0, 0.0)


CPU_CHECKS = [r for r in curriculum.load_module("fused_softmax").task("compiled_chain").checks
             if not r.needs_gpu]  # fmt: skip


def judged_as(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, gpu: bool, **verdicts: Verdict
) -> tuple[int, float | None]:
    """Run judge.py with the judge's verdicts on compiled_chain, the same at each look."""
    module, task = "fused_softmax", "compiled_chain"
    checks = tuple(
        CheckRecord(check.id, verdict := verdicts.get(check.id, Verdict.PASSED), "Said.",
                   float(verdict is Verdict.PASSED))
        for check in curriculum.load_module(module).task(task).checks
    )  # fmt: skip
    nothing = Circumstances("", "", "", "", "", {}, "", "", "", 0.0)
    found = Record(module, task, Verdict.PARTIAL, "Said.", checks, nothing)
    path = tmp_path / "judge.py"
    shutil.copy(harbor.PARTS / "tests" / "judge.py", path)
    asked = {"module": module, "task": task, "gpu": gpu}
    (tmp_path / "asked.json").write_text(json.dumps(asked))
    monkeypatch.setattr("hotloop.tasks.local_judging.judge_folder", lambda *_, **__: {task: found})
    monkeypatch.setattr(sys, "argv", ["judge.py", str(tmp_path), str(tmp_path / "reward")])
    code: int = runpy.run_path(str(path))["main"]()
    reward = tmp_path / "reward" / "reward.txt"
    return code, float(reward.read_text()) if reward.is_file() else None


@pytest.mark.parametrize("verdict", [Verdict.UNDECIDED, Verdict.TOO_SLOW, Verdict.TIMEOUT])
def test_an_answer_that_is_hard_to_measure_is_not_rewarded_for_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, verdict: Verdict
) -> None:
    found = judged_as(monkeypatch, tmp_path, False, fast_cpu=verdict, fast_gpu=Verdict.NOT_MEASURED)
    correct, whole = (sum(r.points for r in some) for some in (CPU_CHECKS[:1], CPU_CHECKS))
    assert found == (0, pytest.approx(correct / whole))
    assert found[1] == pytest.approx(0.4)


@pytest.mark.parametrize("verdict", [Verdict.NOT_MEASURED, Verdict.JUDGE_ERROR])
def test_what_the_machine_could_not_judge_gives_no_number(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    verdict: Verdict,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert judged_as(monkeypatch, tmp_path, False, fast_cpu=verdict) == (3, None)
    assert "No reward, as this machine did not judge fast_cpu" in capsys.readouterr().out
    # A check on a GPU is part of the reward only where the folder was written with it.
    assert judged_as(monkeypatch, tmp_path, False, fast_gpu=verdict) == (0, 1.0)
    (tmp_path / "reward" / "reward.txt").unlink()
    assert judged_as(monkeypatch, tmp_path, True, fast_gpu=verdict) == (3, None)


def test_the_instruction_lists_the_checks_that_are_rewarded(tmp_path: Path) -> None:
    module = curriculum.load_module("fused_softmax")
    task = module.task("compiled_chain")
    for gpu in (False, True):
        folder = harbor.write(module, task, tmp_path / str(gpu), gpu=gpu)
        text = (folder / "instruction.md").read_text()
        assert [r.id for r in task.checks if f"- `{r.id}`: " in text] == [
            r.id for r in task.checks if gpu or not r.needs_gpu
        ]
        assert json.loads((folder / "tests" / harbor.ASKED).read_text())["gpu"] is gpu


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


@pytest.mark.slow
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
