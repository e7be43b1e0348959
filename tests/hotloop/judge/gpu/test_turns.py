"""Several judges on one GPU: each uses it in its turn only, and exits to release its context."""

from dataclasses import replace
from pathlib import Path

import pytest

from hotloop.core.verdict import Verdict
from hotloop.judge.client import JudgeProcess
from hotloop.judge.gpu import nvml
from hotloop.judge.job import Job
from hotloop.tasks import render
from hotloop.tasks.curriculum import load_module
from hotloop.tasks.task_spec import task_spec
from hotloop.worker.device import LIBRARY_VARIABLE

MODULE = "fused_softmax"
JOB = Job(
    MODULE,
    "triton_forward",
    task_spec(load_module(MODULE), "triton_forward"),
    isolation="none",
    checks=("gpu_correct",),
)


@pytest.fixture
def job(tmp_path: Path) -> Job:
    folder = tmp_path / "submission"
    folder.mkdir()
    for name, content in render.submission(MODULE).items():
        (folder / name).write_bytes(content)
    return replace(JOB, files=str(folder))


def events(fake) -> list[str]:
    return fake.log.read_text().splitlines() if fake.log.exists() else []


@pytest.mark.slow
def test_a_judge_that_was_on_the_card_ends_with_its_answer(
    fake, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LIBRARY_VARIABLE, fake.cuda)
    monkeypatch.setenv(nvml.LIBRARY_VARIABLE, fake.nvml)
    with JudgeProcess() as judge:
        for _ in range(2):
            record = judge.judge(job)
            assert record.checks[0].verdict is Verdict.NOT_MEASURED
            assert "PyTorch cannot use the GPU" in record.checks[0].sentence
            assert judge._process is None


@pytest.mark.slow
def test_a_judge_starts_without_touching_the_card(fake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another judge may be measuring: a context would disturb it, and a calibration even more."""
    monkeypatch.setenv(LIBRARY_VARIABLE, fake.cuda)
    with JudgeProcess() as judge:
        judge.judge(Job("no_such_module", "task", JOB.spec))
        assert judge._process is not None
        assert judge._process.poll() is None
    assert events(fake) == []


@pytest.mark.slow
def test_a_judge_that_found_no_gpu_goes_on(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LIBRARY_VARIABLE, "/nowhere/libcuda.so")
    with JudgeProcess() as judge:
        assert "No NVIDIA GPU here" in judge.judge(job).checks[0].sentence
        assert judge._process is not None


def test_the_judge_knows_which_tasks_use_a_gpu() -> None:
    assert JOB.spec.uses_gpu()
    assert JOB.spec.uses_gpu(["gpu_fast"])
    assert not JOB.spec.uses_gpu(["correct", "traffic"])
