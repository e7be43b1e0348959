"""A judge that dies, hangs up or gets an invalid request is our fault and never gives a zero."""

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

import hotloop
from hotloop.core.verdict import Verdict
from hotloop.judge.client import JudgeProcess
from hotloop.judge.job import Job
from hotloop.judge.spec import TaskSpec
from hotloop.tasks import render
from hotloop.tasks.curriculum import load_module
from hotloop.tasks.task_spec import task_spec

SPEC = TaskSpec("f", ("f.py",))
MODULE = "profile_training_loop"
AUGMENT = Job(MODULE, "augment", task_spec(load_module(MODULE), "augment"), isolation="none")


@pytest.mark.slow
def test_an_unknown_module_is_a_judge_error_with_no_points_lost() -> None:
    with JudgeProcess() as judge:
        record = judge.judge(Job("no_such_module", "task", SPEC))
        assert record.verdict is Verdict.JUDGE_ERROR
        assert record.pending
        assert (
            judge.judge(Job("fused_softmax", "no_such_task", SPEC)).verdict is Verdict.JUDGE_ERROR
        )


@pytest.mark.slow
def test_a_module_name_is_never_a_path_out_of_checks() -> None:
    with JudgeProcess() as judge:
        for name in ("..cli", "fused_softmax.baselines", "../x", "__init__"):
            assert judge.judge(Job(name, "copy", SPEC)).verdict is Verdict.JUDGE_ERROR


@pytest.mark.slow
def test_a_killed_judge_is_replaced() -> None:
    with JudgeProcess() as judge:
        judge.judge(Job("no_such_module", "task", SPEC))
        assert judge._process is not None
        os.kill(judge._process.pid, signal.SIGKILL)
        judge._process.wait()
        assert judge.judge(Job("no_such_module", "task", SPEC)).verdict is Verdict.JUDGE_ERROR


@pytest.mark.slow
def test_nobody_of_the_same_account_reads_the_judges_memory() -> None:
    with JudgeProcess() as judge:
        judge.judge(Job("no_such_module", "task", SPEC))
        assert judge._process is not None
        owner = Path(f"/proc/{judge._process.pid}/mem").stat().st_uid
        assert owner == 0  # not dumpable: its /proc files belong to root


@pytest.mark.slow
def test_the_parent_says_when_the_judge_may_measure(tmp_path: Path) -> None:
    for name, content in render.submission("profile_training_loop").items():
        (tmp_path / name).write_bytes(content)
    job = replace(AUGMENT, files=str(tmp_path), turns=True)
    told: list[str] = []
    with JudgeProcess() as judge:
        record = judge.judge(job, told.append, turn=lambda: told.append("may measure"))
    assert record.checks[0].verdict is Verdict.PASSED
    assert told.count("may measure") == 1
    assert told.index("warming up") < told.index("may measure")
    assert told.index("may measure") < told.index("control: the baseline against itself")


@pytest.mark.slow
def test_who_did_not_say_that_there_are_others_is_not_asked(tmp_path: Path) -> None:
    job = replace(AUGMENT, files=str(tmp_path))
    asked: list[None] = []
    with JudgeProcess() as judge:
        judge.judge(job, turn=lambda: asked.append(None))
    assert asked == []


@pytest.mark.slow
def test_files_in_the_current_folder_are_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An instructor may grade from a learner's folder."""
    for name in ("numpy", "secrets"):
        (tmp_path / f"{name}.py").write_text("open('imported', 'w')")
    monkeypatch.setenv("PYTHONPATH", str(Path(hotloop.__file__).parents[1]))
    monkeypatch.chdir(tmp_path)
    with JudgeProcess() as judge:
        judge.judge(Job("no_such_module", "task", SPEC))
    assert not (tmp_path / "imported").exists()
