"""Modules' cases and timed calls on a fake GPU: a right answer passes, a wrong one does not."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.budget import Budget
from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.checks.correct import Correct
from hotloop.judge.gpu.card import Card
from hotloop.judge.gpu.driver import Driver
from hotloop.judge.gpu.window import TimedDeviceWorker
from hotloop.judge.gpu.workload import DeviceWorkload
from hotloop.judge.seeds import Seeds
from hotloop.judge.task import TaskChecks
from hotloop.tasks.modules.control_flow_export import sparse
from hotloop.tasks.modules.control_flow_export.tasks import loop_in_kernel
from hotloop.tasks.modules.llm_serving_frontier import timed as frontier
from hotloop.tasks.modules.mixture_of_experts import timed as experts
from hotloop.tasks.modules.triton_ensemble import pooling
from hotloop.tasks.modules.triton_ensemble.tasks import pool_on_gpu

from ...sessions import judge_on

CANDIDATE = Candidate("softmax", "candidate.py", "destination")

POOL = """
def softmax(hidden, mask, out):
    total = torch.where(mask[:, :, None], hidden.float(), 0.0).sum(1)
    out.copy_(torch.nn.functional.normalize(total, dim=1))
"""
FIRST_TOKEN = """
def softmax(hidden, mask, out):
    out.copy_(torch.nn.functional.normalize(hidden[:, 0].float(), dim=1))
"""
SPARSEMAX = """
def softmax(x, out):
    x = x - x.amax(-1, keepdim=True)
    kept = x > -1.0
    for _ in range({steps}):
        tau = (torch.where(kept, x, 0.0).sum(-1, keepdim=True) - 1.0) / kept.sum(-1, keepdim=True)
        kept = x > tau
    out.copy_((x - tau).clamp_min(0.0))
"""


GROUPED = """
def softmax(x, w, offsets, out):
    cuts = offsets.tolist()
    for matrix, start, end in zip(w, cuts, cuts[1:]):
        out[start:end] = x[start:end].float() @ matrix.float()
"""
EVEN_GROUPS = """
def softmax(x, w, offsets, out):
    for part, matrix, rows in zip(out.chunk(len(w)), w, x.chunk(len(w))):
        part.copy_(rows.float() @ matrix.float())
"""
SAMPLED = """
def softmax(p, top_k, top_p, uniform, out):
    for row in range(len(p)):
        ordered = p[row].sort(descending=True).values
        kept = torch.where(p[row] >= ordered[top_k[row] - 1], p[row], 0)
        ordered = kept.sort(descending=True).values
        short = int((ordered.cumsum(0) < top_p[row] * ordered.sum()).sum())
        kept = torch.where(kept >= ordered[{place}], kept, 0)
        out[row] = int((kept.cumsum(0) <= uniform[row] * kept.sum()).sum())
"""


@dataclass(frozen=True)
class Timed:
    """Timed calls that are shrunk so that the fake GPU holds several."""

    workload: DeviceWorkload
    spec: CallSpec
    right: str
    wrong: str

    def small(self) -> DeviceWorkload:
        return replace(self.workload, spec=lambda _rng, _index: self.spec)


@dataclass(frozen=True)
class Fit(Timed):
    """Timed calls of a task that has functions of PyTorch on a GPU."""

    task: TaskChecks

    def correct(self) -> Correct:
        check = self.task.checks["gpu_correct"]
        assert isinstance(check, Correct)
        return check


def _like(spec: CallSpec, *shapes: tuple[int, ...]) -> CallSpec:
    *inputs, out = shapes
    tensors = [a for a in spec.arguments if isinstance(a, TensorSpec)]
    smaller = (replace(t, shape=shape) for t, shape in zip(tensors, inputs, strict=True))
    return CallSpec(tuple(smaller), replace(spec.out, shape=out))


def _timed(workload: DeviceWorkload) -> CallSpec:
    return workload.spec(np.random.default_rng(), 0)


FITS = {
    "pool_on_gpu": Fit(
        pooling.on_gpu(),
        _like(_timed(pooling.on_gpu()), (12, 20, 64), (12, 20), (12, 64)),
        POOL,
        FIRST_TOKEN,
        pool_on_gpu,
    ),
    "loop_in_kernel": Fit(
        sparse.on_gpu(),
        _like(_timed(sparse.on_gpu()), (12, 512), (12, 512)),
        SPARSEMAX.format(steps=200),
        SPARSEMAX.format(steps=2),
        loop_in_kernel,
    ),
}
TIMED: dict[str, Timed] = {
    **FITS,
    "grouped_gemm": Timed(
        experts.ON_GPU,
        _like(_timed(experts.ON_GPU), (40, 16), (6, 16, 24), (7,), (40, 24)),
        GROUPED,
        EVEN_GROUPS,
    ),
    "sample_kernel": Timed(
        frontier.ON_GPU,
        _like(_timed(frontier.ON_GPU), (24, 512), (24,), (24,), (24,), (24,)),
        SAMPLED.format(place="short"),
        SAMPLED.format(place="max(short - 1, 0)"),
    ),
}


@pytest.fixture(params=sorted(FITS))
def fit(request: pytest.FixtureRequest) -> Fit:
    return FITS[request.param]


@pytest.mark.slow
def test_right_on_all_hidden_cases(fit: Fit, driver: Driver, start: Any) -> None:
    assert judge_on(fit.correct(), driver, start(fit.right), CANDIDATE) > 5


def test_wrong_on_one_of_them(fit: Fit, driver: Driver, start: Any) -> None:
    with pytest.raises(Ruling) as ruling:
        judge_on(fit.correct(), driver, start(fit.wrong), CANDIDATE)
    assert ruling.value.verdict is Verdict.WRONG_ANSWER


def _windows(fit: Timed, card: Card, worker: Any) -> None:
    free = card.driver.memory()[0]
    small = fit.small()
    side = TimedDeviceWorker(worker.connection, CANDIDATE, small, card, Seeds(), free, Budget(300))
    side.plan([fit.spec] * 4)
    for _ in range(5):
        side.window([False, True, True, False])


@pytest.mark.slow
@pytest.mark.parametrize("name", TIMED)
def test_right_in_timed_calls(name: str, card: Card, start: Any) -> None:
    _windows(TIMED[name], card, start(TIMED[name].right))


@pytest.mark.parametrize("name", TIMED)
def test_wrong_in_a_timed_call(name: str, card: Card, start: Any) -> None:
    with pytest.raises(Ruling, match="In a timed call"):
        _windows(TIMED[name], card, start(TIMED[name].wrong))
