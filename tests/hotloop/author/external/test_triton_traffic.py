"""The bytes that a Triton submission moves are those of its kernels, whatever else it says."""

from pathlib import Path

import pytest

from hotloop.author.external import forms, judging
from hotloop.core.record import CheckRecord
from hotloop.core.verdict import Verdict
from hotloop.judge.client import JudgeProcess

PROBLEMS = Path(__file__).parent / "problems"
DOUBLED = PROBLEMS / "doubled"

pytestmark = pytest.mark.sandbox

KERNEL = """
import torch
import triton
import triton.language as tl

@triton.jit
def doubled(x_ptr, out_ptr, n, TIMES: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    for _ in range(TIMES - 1):
        x = tl.minimum(x, tl.load(x_ptr + at, mask=at < n, other=0.0))
    tl.store(out_ptr + at, 2 * x, mask=at < n)

def launch(x, out, times=1):
    n = x.numel()
    doubled[(triton.cdiv(n, 256),)](x, out, n, TIMES=times, BLOCK=256)
    return out

def custom_kernel(data):
    values, out = data
"""
MODEL = """
import torch
import triton
import triton.language as tl

@triton.jit
def rows(x_ptr, weight_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    x = tl.load(x_ptr + row * n + at, mask=at < n, other=0.0)
    x *= tl.load(weight_ptr + at, mask=at < n, other=0.0)
    e = tl.exp(x - tl.max(tl.where(at < n, x, -float("inf")), 0))
    e = tl.where(at < n, e, 0.0)
    tl.store(out_ptr + row * n + at, e / tl.sum(e, 0), mask=at < n)

class ModelNew(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.rand(features))

    def forward(self, x):
        out = torch.empty_like(x)
        n = x.shape[1]
        rows[(x.shape[0],)](x, {weight}, out, n, BLOCK=triton.next_power_of_2(n))
        return out
"""
FORGED = """
from hotloop.worker import triton_launches
honest = triton_launches.record

def record(launcher, calls):
    plans = honest(launcher, calls)
    {claim}

triton_launches.record = record
"""


def judged(text: str, judge: JudgeProcess, folder: Path, problem: Path = DOUBLED) -> CheckRecord:
    file = folder / "answer.py"
    file.write_text(text)
    return judging.judge(judging.ExternalJob.of(forms.find(problem), file), process=judge).checks[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "factor"),
    [
        ("return launch(values, out)", 1.0),
        ("return launch(values, torch.empty_like(values))", 1.0),
        ("return launch(values, out, 3)", 2.0),
        ("return launch(values, launch(values, torch.empty_like(values)))", 2.0),
    ],
    ids=["one pass", "memory of its own", "its input three times", "twice"],
)
def test_what_its_kernels_move_is_reported(
    body: str, factor: float, judge: JudgeProcess, tmp_path: Path
) -> None:
    """The output is among the inputs, and counts once."""
    check = judged(f"{KERNEL}    {body}\n", judge, tmp_path)
    assert check.verdict is Verdict.PASSED, check.sentence
    assert check.evidence["factor"] == factor, check.sentence
    assert check.evidence["fewest_bytes"] in (8 * 1000, 8 * 3000)
    assert check.evidence["moved_bytes"] == factor * check.evidence["fewest_bytes"]
    assert check.evidence["counted_cases"] == 2
    assert f"its kernels move {factor:.2f}× the bytes" in check.sentence


@pytest.mark.slow
def test_a_models_parameters_are_read_too(judge: JudgeProcess, tmp_path: Path) -> None:
    """Each of 40 rows reads the weights again: as many bytes as the row has."""
    problem = tmp_path / "7_Scaled_softmax.py"
    large = (PROBLEMS / problem.name).read_text()
    problem.write_text(large.replace("= 4096", "= 40").replace("= 65536", "= 1000"))
    check = judged(MODEL.format(weight="self.weight"), judge, tmp_path, problem)
    assert check.verdict is Verdict.PASSED, check.sentence
    assert check.evidence["factor"] == round((3 * 40) / (2 * 40 + 1), 4), check.sentence
    computed = MODEL.format(weight="2.0 * self.weight").replace("](x,", "](0.5 * x,")
    check = judged(computed, judge, tmp_path, problem)
    assert check.verdict is Verdict.PASSED, check.sentence
    assert "what the launcher computes in PyTorch does not count" in check.evidence["not_counted"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def custom_kernel(data):\n    return 2 * data[0]\n", "has no Triton kernel"),
        (f"{KERNEL}    return 2 * values\n", "launches no Triton kernel"),
        (f"{KERNEL}    return launch(0.5 * values, out).mul(2)\n", "computes in PyTorch"),
        (f"{KERNEL}    return launch(values, out).clone()\n", "give another answer"),
        (
            KERNEL.replace("@triton.jit", "@triton.jit\n@other", 1).replace(
                "@triton.jit", "def other(function):\n    return function\n\n@triton.jit", 1
            )
            + "    return launch(values, out)\n",
            "the decorator next to a kernel's `def` is @triton.jit",
        ),
    ],
    ids=["eager", "an idle kernel", "partly eager", "the result copied", "another decorator"],
)
def test_what_cannot_be_counted_says_why(
    text: str, reason: str, judge: JudgeProcess, tmp_path: Path
) -> None:
    check = judged(text, judge, tmp_path)
    assert check.verdict is Verdict.PASSED, check.sentence
    assert reason in check.evidence["not_counted"]
    assert "bytes not counted: " in check.sentence
    assert "factor" not in check.evidence


@pytest.mark.slow
@pytest.mark.parametrize(
    ("claim", "verdict", "said"),
    [
        ("return ['nothing']", Verdict.TAMPERED, "does not keep to the protocol"),
        ("return []", Verdict.TAMPERED, ""),
        (
            "plans[0]['launches'][0]['grid'] = [1]; return plans",
            Verdict.PASSED,
            "its kernels alone give another answer",
        ),
        (
            "plans[0]['returned'][0]['offset'] = 1 << 20; return plans",
            Verdict.PASSED,
            "bytes not counted",
        ),
        (
            "plans[0]['moved_bytes'] = plans[0]['traffic'] = 1; return plans",
            Verdict.PASSED,
            "its kernels move 2.00×",
        ),
    ],
    ids=["no plan", "no claim", "one program", "an answer elsewhere", "a figure"],
)
def test_a_forged_claim_gains_nothing(
    claim: str, verdict: Verdict, said: str, judge: JudgeProcess, tmp_path: Path
) -> None:
    text = f"{FORGED.format(claim=claim)}{KERNEL}    return launch(values, out, 3)\n"
    check = judged(text, judge, tmp_path)
    assert (check.verdict, said in check.sentence) == (verdict, True), check.sentence
