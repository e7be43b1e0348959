"""Modules' own GPU checks on the fake GPU: the solution passes, another answer does not.

This does not show what a real GPU computes, but that cases, layouts and references fit.
"""

from dataclasses import dataclass

import pytest

from hotloop.core import paths
from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.candidate import Candidate
from hotloop.judge.checks.correct import Correct
from hotloop.judge.gpu.driver import Driver
from hotloop.judge.task import TaskChecks
from hotloop.tasks.modules.sparse_attention_op import tasks as sparse
from hotloop.tasks.modules.transformer_compilation import tasks as transformer

from ...sessions import judge_on


@dataclass(frozen=True)
class GpuCheck:
    """A check, the solution's function that it calls, and another one that it must refuse."""

    module: str
    task: TaskChecks
    check: str
    right: str
    wrong: str

    @property
    def judged_by(self) -> Correct:
        found = self.task.checks[self.check]
        assert isinstance(found, Correct)
        return found

    def candidate(self, file: str) -> Candidate:
        return Candidate("softmax", file, self.task.style)

    def source(self, function: str) -> str:
        folders = paths.beside_notebook(self.module)
        return f"import sys\nsys.path[:0] = {folders}\n{function}\n"


GPU_CHECKS = [
    pytest.param(
        GpuCheck(
            "sparse_attention_op",
            sparse.reference,
            "gpu_correct",
            "from reference import attention as softmax",
            "from reference import attention\n"
            "def softmax(q, k, v, threshold, block, causal):\n"
            "    return attention(q, k, v, threshold, block, False)",
        ),
        id="reference",
    ),
    pytest.param(
        GpuCheck(
            "sparse_attention_op",
            sparse.operator,
            "gpu_correct",
            "from sparse_op import attention as softmax",
            "from sparse_op import attention\n"
            "def softmax(*given):\n"
            "    return attention(*given).cpu().to('meta')",
        ),
        id="operator",
    ),
    pytest.param(
        GpuCheck(
            "sparse_attention_op",
            sparse.operator,
            "gpu_gradient",
            "from sparse_op import gradient as softmax",
            "from sparse_op import gradient\n"
            "def softmax(*given):\n"
            "    return gradient(*given)[[1, 0, 2]]",
        ),
        id="gradient",
    ),
    pytest.param(
        GpuCheck(
            "sparse_attention_op",
            sparse.operator,
            "gpu_compiled",
            "from sparse_op import compiled_gradient as softmax",
            "from sparse_op import gradient as softmax",
        ),
        id="compiled gradient",
    ),
    pytest.param(
        GpuCheck(
            "transformer_compilation",
            transformer.tiled_attention,
            "gpu_correct",
            "from tiled import all_heads_at_once\n"
            "def softmax(q, k, v, causal, cap, out):\n"
            "    ahead = k.shape[1] - q.shape[1] if causal else None\n"
            "    scaled = q * (q.shape[2] ** -0.5 / (cap or 1.0))\n"
            "    all_heads_at_once(scaled, k, v, ahead, cap, out)",
            "from tiled import attention\n"
            "def softmax(q, k, v, causal, cap, out):\n"
            "    attention(q, k, v, causal, 0.0, out)",
        ),
        id="tiled attention",
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize("gpu_check", GPU_CHECKS)
def test_the_solution_is_right(gpu_check: GpuCheck, driver: Driver, start) -> None:
    worker = start(gpu_check.source(gpu_check.right))
    candidate = gpu_check.candidate(worker.file)
    assert judge_on(gpu_check.judged_by, driver, worker, candidate) > 0


@pytest.mark.slow
@pytest.mark.parametrize("gpu_check", GPU_CHECKS)
def test_another_answer_is_refused(gpu_check: GpuCheck, driver: Driver, start) -> None:
    worker = start(gpu_check.source(gpu_check.wrong))
    candidate = gpu_check.candidate(worker.file)
    with pytest.raises(Ruling) as ruling:
        judge_on(gpu_check.judged_by, driver, worker, candidate)
    assert ruling.value.verdict is Verdict.WRONG_ANSWER
