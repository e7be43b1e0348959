"""Problems written for the tests in further sets' forms: right and wrong answers to them."""

import importlib
import json
import shutil
from pathlib import Path
from types import ModuleType

import pytest

from hotloop.author.external import (
    PROGRAMS,
    flashinfer,
    forms,
    judging,
    kernelbench_hard,
    robust_kbench,
)
from hotloop.author.new_module import from_problem
from hotloop.core.record import CheckRecord
from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict
from hotloop.judge.client import JudgeProcess

PROBLEMS = Path(__file__).parent / "problems"
FORWARD = PROBLEMS / "robust" / "row_norm" / "func_forward.py"
BACKWARD = FORWARD.with_name("func_backward.py")
HARD = PROBLEMS / "hard" / "scaled_product"
SOL = PROBLEMS / "sol" / "gated_rows"
LEETGPU = PROBLEMS / "challenges" / "easy" / "1_capped_sum"
FACTOR = PROBLEMS / "root_factor"

pytestmark = pytest.mark.sandbox

NORM = """
import torch

def forward_fn(x, weight, eps):
    scale = torch.rsqrt(x.square().sum(-1, keepdim=True) / x.shape[-1] + eps)
    {body}
"""
GRADIENTS = """
import torch

def backward_fn(out_gradient, x, weight, eps):
    scale = torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)
    normal, inner = x * scale, out_gradient * weight
    of_x = scale * (inner - normal * (inner * normal).mean(-1, keepdim=True))
    of_weight = (out_gradient * normal).sum(0)
    {body}
"""
PRODUCT = """
import torch

class Model(torch.nn.Module):
    def __init__(self, M, N, K):
        super().__init__()
        self.register_buffer("weight", torch.zeros(N, K, dtype=torch.float8_e4m3fn))
        self.register_buffer("scale", torch.zeros(N))

    def forward(self, x):
        {body}
"""
ROWS = """
import torch

def run(x, places, norm_weight, eps):
    picked = x.float()[places.long()]
    y = picked / (picked.square().mean(-1, keepdim=True) + eps).sqrt() * norm_weight.float()
    {body}
"""
INTO = """
import torch

def run(x, places, norm_weight, eps, y, total):
    picked = x.float()[places.long()]
    scale = 1 / (picked.square().mean(-1, keepdim=True) + eps).sqrt()
    y.copy_(picked * scale * norm_weight.float())
    total.copy_(places.sum())
"""
SUM = """
import torch

def solve(x, running, capped, cap, n):
    {body}
"""
FACTORED = """
import torch
from reference import ref_kernel

def custom_kernel(data):
    {body}
"""

RIGHT = {
    "forward, in the problem's own code": (FORWARD, FORWARD.read_text()),
    "forward, in another style": (FORWARD, NORM.format(body="return weight * (x * scale)")),
    "forward, called as a CUDA one": (
        FORWARD,
        NORM.format(body="return [weight * (x * scale)]").replace("forward_fn", "forward"),
    ),
    "forward, with its argument as scratch": (
        FORWARD,
        NORM.format(body="return x.mul_(scale).mul_(weight)"),
    ),
    "backward": (BACKWARD, GRADIENTS.format(body="return of_weight, of_x")),
    "hard, in the problem's own code": (HARD, forms.own_code(forms.find(HARD))),
    "hard, in float32 and then rounded": (
        HARD,
        PRODUCT.format(
            body="return (x.float() @ self.weight.float().T * self.scale).to(torch.bfloat16)"
        ),
    ),
    "rows, in the problem's own code": (SOL, forms.own_code(forms.find(SOL))),
    "rows, in another style": (SOL, ROWS.format(body="return y.bfloat16(), places.sum()[None]")),
    "rows, written into outputs": (SOL, INTO),
    "sums, in the problem's own code": (LEETGPU, forms.own_code(forms.find(LEETGPU))),
    "sums": (
        LEETGPU,
        SUM.format(
            body="running.add_(x)\n    capped.copy_(torch.where(running < cap, running, cap))"
        ),
    ),
    "a factor": (FACTOR, FACTORED.format(body="return ref_kernel(data)")),
    "a factor by columns": (
        FACTOR,
        FACTORED.format(
            body="""l = torch.zeros_like(data)
    for k in range(data.shape[-1]):
        rest = data[..., k:, k] - (l[..., k:, :k] @ l[..., k, :k, None])[..., 0]
        l[..., k:, k] = rest / rest[..., :1].sqrt()
    return l"""
        ),
    ),
}
WRONG = {
    "forward, zeros": (FORWARD, NORM.format(body="return 0 * x")),
    "forward, without its weights": (FORWARD, NORM.format(body="return x * scale")),
    "forward, with one setting's eps": (
        FORWARD,
        NORM.format(
            body="return weight * x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5)"
        ),
    ),
    "forward, in bfloat16": (
        FORWARD,
        NORM.format(body="return (weight * (x * scale)).bfloat16().float()"),
    ),
    "forward, the first answer kept": (
        FORWARD,
        NORM.format(
            body="""global kept
    kept = globals().get("kept", weight * (x * scale))
    return kept"""
        ),
    ),
    "backward, in the inputs' order": (BACKWARD, GRADIENTS.format(body="return of_x, of_weight")),
    "backward, without the mean": (
        BACKWARD,
        GRADIENTS.format(body="return of_weight, scale * inner"),
    ),
    "backward, of half of the rows": (
        BACKWARD,
        GRADIENTS.format(body="return of_weight - (out_gradient * normal)[::2].sum(0), of_x"),
    ),
    "hard, zeros, within the set's tolerance": (
        HARD,
        PRODUCT.format(body="return torch.zeros(len(x), len(self.scale), dtype=x.dtype)"),
    ),
    "hard, without its scales": (
        HARD,
        PRODUCT.format(body="return (x.float() @ self.weight.float().T).to(torch.bfloat16)"),
    ),
    "hard, with half of the sum": (
        HARD,
        PRODUCT.format(
            body="""half = x.shape[1] // 2
        y = x[:, :half].float() @ self.weight[:, :half].float().T
        return (y * self.scale).to(torch.bfloat16)"""
        ),
    ),
    "hard, with weights of its own": (
        HARD,
        PRODUCT.format(body="return x @ torch.randn(len(self.scale), x.shape[1], dtype=x.dtype).T"),
    ),
    "rows, without its weights": (
        SOL,
        ROWS.format(body="return (y / norm_weight.float()).bfloat16(), places.sum()[None]"),
    ),
    "rows, in their order": (
        SOL,
        ROWS.format(body="return y[places.argsort()].bfloat16(), places.sum()[None]"),
    ),
    "rows, one of a hundred left out": (
        SOL,
        ROWS.format(
            body="y[: max(1, len(y) // 200)] = 0\n    return y.bfloat16(), places.sum()[None]"
        ),
    ),
    "rows, another sum": (SOL, ROWS.format(body="return y.bfloat16(), places.sum()[None] + 1")),
    "sums, not capped": (LEETGPU, SUM.format(body="running.add_(x)\n    capped.copy_(running)")),
    "sums, not added": (LEETGPU, SUM.format(body="capped.copy_((running + x).clamp(max=cap))")),
    "a factor, of the mean": (
        FACTOR,
        FACTORED.format(body="return ref_kernel(data.mean(0, keepdim=True).expand_as(data))"),
    ),
    "a factor, in bfloat16": (
        FACTOR,
        FACTORED.format(body="return ref_kernel(data).bfloat16().float()"),
    ),
}


def judged(problem: Path, text: str, judge: JudgeProcess, tmp_path: Path) -> CheckRecord:
    file = tmp_path / "answer.py"
    file.write_text(text)
    asked = judging.ExternalJob.of(forms.find(problem), file)
    return judging.judge(asked, process=judge).checks[0]


@pytest.mark.slow
@pytest.mark.parametrize(("problem", "text"), RIGHT.values(), ids=RIGHT)
def test_a_right_answer_passes(
    problem: Path, text: str, judge: JudgeProcess, tmp_path: Path
) -> None:
    check = judged(problem, text, judge, tmp_path)
    assert check.verdict is Verdict.PASSED, check.sentence


@pytest.mark.slow
@pytest.mark.parametrize(("problem", "text"), WRONG.values(), ids=WRONG)
def test_a_wrong_answer_fails(
    problem: Path, text: str, judge: JudgeProcess, tmp_path: Path
) -> None:
    check = judged(problem, text, judge, tmp_path)
    assert check.verdict is Verdict.WRONG_ANSWER, check.sentence


def test_each_form_is_told_by_its_files() -> None:
    found = {
        path: (each.form, each.title)
        for path in (FORWARD, BACKWARD, HARD, SOL, LEETGPU, FACTOR)
        for each in [forms.find(path)]
    }
    assert found == {
        FORWARD: ("robust_kbench", "row_norm_forward"),
        BACKWARD: ("robust_kbench", "row_norm_backward"),
        HARD: ("kernelbench_hard", "scaled_product"),
        SOL: ("flashinfer", "gated_rows"),
        LEETGPU: ("leetgpu", "1_capped_sum"),
        FACTOR: ("gpu_mode", "root_factor"),
    }


def test_every_setting_is_called_and_the_largest_ones_too() -> None:
    calls = robust_kbench.calls(FORWARD)
    assert [call["kind"] for call in calls] == ["given"] * 3 + ["normal", "integers", "spikes"]
    assert {call["init"]["eps"] for call in calls} == {1e-5, 1e-2}
    assert all(call["init"]["features"] == call["input"]["features"] for call in calls)


def test_settings_in_another_form_are_refused(tmp_path: Path) -> None:
    shutil.copy(FORWARD, tmp_path)
    (tmp_path / "config_forward.json").write_text("{}")
    with pytest.raises(UserError, match="robust-kbench's form"):
        robust_kbench.calls(tmp_path / FORWARD.name)


def test_a_hard_problem_has_shapes_and_says_what_is_forbidden(tmp_path: Path) -> None:
    assert kernelbench_hard.forbidden(HARD) == ("torch._scaled_mm",)
    calls = kernelbench_hard.calls(HARD)
    assert [call["shape"]["K"] for call in calls[:2]] == [2048, 4097]
    folder = tmp_path / "written"
    folder.mkdir()
    forms.write(forms.find(HARD), folder)
    written = (folder / forms.GIVEN / kernelbench_hard.FORBIDDEN).read_text()
    assert json.loads(written) == ["torch._scaled_mm"]


def test_shapes_are_read_and_not_run(tmp_path: Path) -> None:
    shutil.copytree(HARD, tmp_path / "hard")
    (tmp_path / "hard" / "shapes.py").write_text("SHAPES = [{'M': __import__('os').getpid()}]\n")
    with pytest.raises(UserError, match="expected a list `SHAPES`"):
        kernelbench_hard.calls(tmp_path / "hard")


def test_no_module_is_made_of_a_form_that_is_judged_only() -> None:
    with pytest.raises(UserError, match="`hotloop judge` takes it"):
        from_problem.adapted(forms.find(HARD), Path("module.yaml"), "")


def test_a_workload_keeps_its_tolerance() -> None:
    shares = [
        call["tolerance"]["required_matched_ratio"]
        for call in flashinfer.calls(SOL / flashinfer.SOL_DEFINITION)
    ]
    assert shares == [0.99] * 3


@pytest.fixture
def near(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(PROGRAMS))
    return importlib.import_module("hotloop_near")


def test_a_sets_tolerance_is_kept_where_it_tells_right_from_wrong(near: ModuleType) -> None:
    torch = pytest.importorskip("torch")
    want = torch.linspace(1, 2, 100)
    assert not near.far(want + 0.009, want, 0.01, 0.0)
    assert near.far(want + 0.011, want, 0.01, 0.0).startswith("100 of 100 elements differ")
    small = want / 1000
    assert near.far(0 * small, small, 0.01, 0.01)  # which the set's own tolerance takes
    assert not near.far(small * 1.009, small, 0.01, 0.01)


def test_a_share_may_be_off_a_little(near: ModuleType) -> None:
    torch = pytest.importorskip("torch")
    want = torch.ones(100)
    for off, share, right in ((0.03, 0.01, True), (0.03, 0.0, False), (0.2, 0.01, False)):
        got = want.clone()
        got[7] += off
        assert (near.far(got, want, 0.01, 0.0, share) == "") is right, off


def test_what_is_not_finite_is_right_where_both_are_alike(near: ModuleType) -> None:
    torch = pytest.importorskip("torch")
    inf, nan = float("inf"), float("nan")
    want = torch.tensor([1.0, inf, -inf])
    assert not near.far(want, want, 0.1, 0.1)
    for other in ([1.0, 5.0, -inf], [1.0, -inf, -inf], [nan, inf, -inf], [inf, inf, -inf]):
        assert near.far(torch.tensor(other), want, 0.1, 0.1), other


def test_a_module_is_handed_over_with_its_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(PROGRAMS))
    structure = importlib.import_module("hotloop_structure")
    x = torch.randn(4, 3)
    for module in (torch.nn.Linear(3, 2, bias=False), torch.nn.BatchNorm1d(3).eval()):
        tensors: list[object] = []
        told = json.loads(json.dumps(structure.flatten({"model": module}, tensors)))
        assert torch.equal(structure.rebuilt(told, tensors)["model"](x), module(x))
    with pytest.raises(TypeError, match="a Sequential is neither"):
        structure.flatten(torch.nn.Sequential(module), [])


def test_small_sizes_are_divided_last_and_odd_ones_stay_odd(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(PROGRAMS))
    form = importlib.import_module("hotloop_kernelbench")
    assert [form.shrunk(32, 8, least) for least in (64, 16, 8)] == [32, 8, 4]
    assert [form.smaller(size, 4, 64) for size in (4096, 4097, 63)] == [1024, 1025, 63]


def test_sizes_are_not_divided_for_what_weights_need(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(PROGRAMS))
    form = importlib.import_module("hotloop_kernelbench")

    class Weighty:
        def __init__(self, factor: int = 1, least: int = 0) -> None:
            self.size = form.shrunk(4096, factor, least)

        def ready(self) -> object:
            weights, x = torch.empty(8 << 20), torch.empty(self.size, self.size)
            return lambda: x.sum() + weights.sum(), (weights, x)

    assert form.fitting(16 << 20, 1e9, Weighty) == (4, 64)
