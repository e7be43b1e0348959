"""Two variants of two tasks, judged for real; tests/benchmarks/variants.py judges many."""

from dataclasses import replace

import pytest

from hotloop.core.record import Record
from hotloop.core.verdict import Verdict
from hotloop.judge.client import JudgeProcess
from hotloop.judge.job import Job
from hotloop.tasks import curriculum, render
from hotloop.tasks.local_judging import judge_submission
from hotloop.tasks.task_spec import task_spec
from hotloop.tasks.variants import Variant, draw

SECRET = b"sixteen bytes or more of secret"
ONLINE = Job(
    "fused_softmax",
    "online_pass",
    task_spec(curriculum.load_module("fused_softmax"), "online_pass"),
)
TASKS = [
    ("fused_softmax", "online_pass", "correct"),
    ("fused_softmax", "cuda_naive", "correct"),
    ("resnet_tensorrt", "slow_builds", "figures"),
    ("triton_ensemble", "read_metrics", "correct"),
]


def _judged(
    judge: JudgeProcess, task: str, check: str, handed_in: Variant, asked: Variant
) -> Record:
    files = render.submission(asked.module, None, handed_in)
    found = judge_submission(files, asked.module, [task], [check], judge=judge, variant=asked)
    return found[task]


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(170)
@pytest.mark.parametrize(("module", "task", "check"), TASKS)
@pytest.mark.parametrize("pseudonym", ["quiet-otter-41", "bold-heron-7"])
def test_only_the_candidates_own_variant_is_an_answer(
    module: str, task: str, check: str, pseudonym: str, judge: JudgeProcess
) -> None:
    mine, other = draw(module, SECRET, pseudonym), draw(module, SECRET, "calm-wren-3")
    record = _judged(judge, task, check, mine, mine)
    assert record.check(check).verdict is Verdict.PASSED, record.check(check).sentence
    assert record.circumstances.variant == mine.digest
    for constants in (other.constants, {}):
        stranger = _judged(judge, task, check, replace(mine, constants=constants), mine)
        assert stranger.check(check).verdict is Verdict.WRONG_ANSWER, stranger.check(check).sentence
    if curriculum.load_module(module).task(task).entry in mine.names:
        unnamed = _judged(judge, task, check, replace(mine, names={}), mine)
        assert unnamed.check(check).earned == 0


@pytest.mark.slow
def test_a_variant_that_is_none_is_the_judges_fault_and_no_zero(judge: JudgeProcess) -> None:
    good = draw("fused_softmax", SECRET, "quiet-otter-41").to_json()
    for bad in (
        {},
        good | {"module": "tvm_passes"},
        good | {"format": 7},
    ):
        record = judge.judge(replace(ONLINE, variant=bad))
        assert record.verdict is Verdict.JUDGE_ERROR
        assert record.circumstances.variant == ""
