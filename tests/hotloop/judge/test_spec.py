"""A task's description in module.yaml reaches the judge unchanged."""

import json
from dataclasses import asdict

import pytest

from hotloop.judge.job import Job
from hotloop.judge.levels import CountLimit, Level
from hotloop.judge.spec import TaskSpec
from hotloop.tasks import curriculum
from hotloop.tasks.task_spec import task_spec


def test_every_task_of_the_curriculum_arrives_unchanged() -> None:
    for module in curriculum.modules():
        for task in module.tasks:
            spec = task_spec(module, task.id)
            assert TaskSpec.from_message(json.loads(json.dumps(asdict(spec)))) == spec


def test_levels_and_needs_are_those_of_module_yaml() -> None:
    chain = task_spec(curriculum.load_module("fused_softmax"), "compiled_chain")
    assert chain.file is None
    assert chain.checks["correct"].needs == ("compiler",)
    assert chain.checks["fast_cpu"].levels == (Level(1.2, 0.5), Level(1.3, 1.0), Level(1.6, 0.0))
    warp = task_spec(curriculum.load_module("fused_softmax"), "cuda_warp")
    assert warp.file == "softmax.cu"
    assert warp.checks["correct"].needs == ("cuda",)
    assert warp.checks["traffic"].limits == (CountLimit(1.05, 1.0), CountLimit(1.6, 0.5))
    step = task_spec(curriculum.load_module("transformer_compilation"), "decode_step")
    assert step.checks["launches"].limits == (CountLimit(10, 1.0, 8), CountLimit(14, 0.5, 10))
    scheduler = task_spec(curriculum.load_module("llm_serving_engine"), "scheduler")
    wanted = (Level(0.97, 0.4), Level(1.2, 0.7), Level(1.4, 1.0))
    assert scheduler.checks["goodput"].levels == wanted


@pytest.mark.parametrize("message", [{}, {"entry": "f"}, [], {"entry": "f", "files": 3}])
def test_what_is_no_description_is_refused(message: object) -> None:
    with pytest.raises(ValueError, match="no description of a task"):
        TaskSpec.from_message(message)  # type: ignore[arg-type]


def test_a_job_carries_it() -> None:
    spec = task_spec(curriculum.load_module("profile_training_loop"), "augment")
    job = Job("profile_training_loop", "augment", spec)
    assert Job.from_message(json.loads(json.dumps(job.to_message()))) == job
