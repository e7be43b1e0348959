"""The check that a submission's own kernels do the work, on submissions that run."""

import json
from pathlib import Path

import pytest

from hotloop.author.external import forms
from hotloop.author.external.own_work.check import FORBIDDEN
from hotloop.core.record import CheckRecord
from hotloop.core.verdict import Verdict
from hotloop.judge.client import JudgeProcess
from hotloop.judge.files import lay_out
from hotloop.tasks.local_judging import judge_folder

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]

PROBLEM = """
import torch

class Model(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(n, n))

    def forward(self, x):
        return torch.relu(x @ self.weight)

n = 32

def get_inputs():
    return [torch.rand(48, n)]

def get_init_inputs():
    return [n]
"""
BEGIN = """
import torch
import triton
import triton.language as tl

@triton.jit
def product(x, w, y, n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at = tl.arange(0, BLOCK)
    left = tl.load(x + row[:, None] * n + at[None, :])
    right = tl.load(w + at[:, None] * n + at[None, :])
    out = tl.dot(left, right, input_precision="ieee")
    tl.store(y + row[:, None] * n + at[None, :], tl.maximum(out, 0.0))

@triton.jit
def by_pointer(x, w, places, n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at = tl.arange(0, BLOCK)
    y = tl.load(places).to(tl.pointer_type(tl.float32))
    left = tl.load(x + row[:, None] * n + at[None, :])
    right = tl.load(w + at[:, None] * n + at[None, :])
    out = tl.dot(left, right, input_precision="ieee")
    tl.store(y + row[:, None] * n + at[None, :], tl.maximum(out, 0.0))

@triton.jit
def nothing(x, y, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    total = tl.sum(tl.load(x + at), 0)
    tl.store(y + at, tl.where(at < 0, total, 0.0), mask=at < 0)

def launch(x, w):
    y = torch.empty_like(x)
    product[(x.shape[0] // 16,)](x, w, y, x.shape[1], ROWS=16, BLOCK=32)
    return y

class ModelNew(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(n, n))
        self.kept = {}

    def forward(self, x):
"""
HONEST = {
    "its kernel": "return launch(x, self.weight)",
    "glue, and PyTorch's operations on a part": """
        bias = x[:2].float().contiguous() @ self.weight[:, :2]
        out = launch(torch.cat([x[:16], x[16:]]).view(48, -1), self.weight)
        return out + 0 * bias.sum()""",
    "weights prepared once": """
        if "weight" not in self.kept:
            self.kept["weight"] = (self.weight @ torch.eye(32)).contiguous()
        return launch(x, self.kept["weight"])""",
}
POINTERS = """
        y = torch.empty_like(x)
        places = torch.tensor([y.data_ptr()], dtype=torch.int64)
        by_pointer[(x.shape[0] // 16,)](x, self.weight, places, x.shape[1], ROWS=16, BLOCK=32)
        return y"""
HACKS = {
    "PyTorch's product": "return torch.relu(x @ self.weight)",
    "a kernel whose result nobody reads": """
        nothing[(1,)](x, torch.empty_like(x), x.shape[1], BLOCK=32)
        return getattr(torch, "re" + "lu")(getattr(torch, "mat" + "mul")(x, self.weight))""",
    "a kernel that does the work for nobody": """
        launch(x, self.weight)
        return torch.relu(x @ self.weight)""",
    "an answer kept by which tensor it is": """
        key = str(id(x))
        self.kept[key] = self.kept[key] if key in self.kept else launch(x, self.weight)
        return self.kept[key]""",
}


@pytest.mark.parametrize("body", HONEST.values(), ids=HONEST)
def test_honest_code_does_the_work(body: str, judge: JudgeProcess, tmp_path: Path) -> None:
    check = judged(body, judge, tmp_path)
    assert check.verdict is Verdict.PASSED, check.sentence
    assert check.evidence["launched"] == ["product"]
    assert check.evidence["library_share"] < 0.5
    assert check.instrumented


def test_a_kernel_that_stores_by_a_pointer_it_has_loaded(
    judge: JudgeProcess, tmp_path: Path
) -> None:
    check = judged(POINTERS, judge, tmp_path)
    assert check.verdict is Verdict.PASSED, check.sentence


@pytest.mark.parametrize("body", HACKS.values(), ids=HACKS)
def test_a_librarys_work_is_not_its_own(body: str, judge: JudgeProcess, tmp_path: Path) -> None:
    check = judged(body, judge, tmp_path)
    assert check.verdict is Verdict.WRONG_ANSWER, check.sentence
    assert "not its own" in check.sentence


def test_half_of_it_is_not_decided(judge: JudgeProcess, tmp_path: Path) -> None:
    half = "return launch(x, self.weight) + 0 * (x @ self.weight) + 0 * (x @ self.weight)"
    check = judged(half, judge, tmp_path)
    assert check.verdict is Verdict.NOT_MEASURED, check.sentence
    assert "67 % of the multiplications" in check.sentence


def test_what_cannot_run_here_is_not_decided(judge: JudgeProcess, tmp_path: Path) -> None:
    graph = "torch.cuda.CUDAGraph().replay()\n        return launch(x, self.weight)"
    check = judged(graph, judge, tmp_path)
    assert check.verdict is Verdict.NOT_MEASURED, check.sentence
    assert "`product`" in check.sentence


def test_what_the_problem_forbids(judge: JudgeProcess, tmp_path: Path) -> None:
    body = "return launch(x, self.weight) + 0 * torch.topk(x, 1).values"
    check = judged(body, judge, tmp_path, forbids=["torch.topk"])
    assert check.verdict is Verdict.WRONG_ANSWER, check.sentence
    assert "forbids" in check.sentence


def judged(
    body: str, judge: JudgeProcess, folder: Path, forbids: list[str] | None = None
) -> CheckRecord:
    (folder / "1_product.py").write_text(PROBLEM)
    (folder / "mine.py").write_text(f"{BEGIN}        {body.strip()}\n")
    problem = forms.find(folder / "1_product.py")
    lay_out(forms.submission(problem, folder / "mine.py"), folder / "work")
    with forms.own_form(problem) as source:
        (source / forms.GIVEN / FORBIDDEN).write_text(json.dumps(forbids or []))
        name = problem.name
        record = judge_folder(
            folder / "work", name, [name], [forms.OWN], judge=judge, source=source
        )[name]
    return record.check(forms.OWN)
