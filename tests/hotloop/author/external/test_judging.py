"""Problems written for the tests in KernelBench's and GPU MODE's formats, and wrong answers."""

import json
import shutil
from functools import partial
from pathlib import Path

import pytest

from hotloop.author.external import forms, judging
from hotloop.core.record import Record
from hotloop.core.verdict import Verdict
from hotloop.judge.client import JudgeProcess

PROBLEMS = Path(__file__).parent / "problems"
SOFTMAX = PROBLEMS / "7_Scaled_softmax.py"
RUNNING_SUM = PROBLEMS / "running_sum"

pytestmark = pytest.mark.sandbox

MODEL = """
import torch

class ModelNew(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.rand(features))
        self.kept = None

    def forward(self, x):
        {body}
"""
RIGHT = "y = torch.exp(x * self.weight - (x * self.weight).max(-1, keepdim=True).values)"
WRONG = {
    "zeros": "return torch.zeros_like(x)",
    "the first answer, kept": f"""{RIGHT}
        if self.kept is None:
            self.kept = y / y.sum(-1, keepdim=True)
        return self.kept""",
    "the first answer, kept for good": f"""{RIGHT}
        global KEPT
        KEPT = globals().get("KEPT", y / y.sum(-1, keepdim=True))
        return KEPT""",
    "half precision": "return torch.softmax((x * self.weight).half(), -1).float()",
    "another dtype": "return torch.softmax(x * self.weight, -1).double()",
    "another shape": "return torch.softmax(x * self.weight, -1)[:-1]",
    "its input spoiled": """y = torch.softmax(x * self.weight, -1)
        x.zero_()
        return y""",
    "memory that nobody wrote": "return torch.empty_like(x)",
    "a sum over half of the row": f"""{RIGHT}
        return y / (2 * y[..., : y.shape[-1] // 2].sum(-1, keepdim=True))""",
    "weights of its own": "return torch.softmax(x, -1)",
}

KERNEL = """
import torch
from task import input_t, output_t

def custom_kernel(data: input_t) -> output_t:
    values, out = data
    {body}
"""
WRONG_KERNELS = {
    "zeros": "return torch.zeros_like(values)",
    "what it was given to write to": "return out",
    "right for small inputs": "return values.cumsum(0) if len(values) < 5000 else 0.5 * values",
    "another dtype": "return values.cumsum(0).double()",
    "half of it": "return values.cumsum(0)[: len(values) // 2]",
}


def judged(problem: Path, text: str, judge: JudgeProcess, tmp_path: Path) -> Record:
    file = tmp_path / "answer.py"
    file.write_text(text)
    return judging.judge(judging.ExternalJob.of(forms.find(problem), file), process=judge)


@pytest.mark.slow
def test_a_right_model_passes_at_sizes_for_this_machine(
    judge: JudgeProcess, tmp_path: Path
) -> None:
    text = MODEL.format(body=f"{RIGHT}\n        return y / y.sum(-1, keepdim=True)")
    record = judged(SOFTMAX, text, judge, tmp_path)
    assert record.checks[0].verdict is Verdict.PASSED, record.checks[0].sentence
    figures = record.checks[0].evidence
    assert figures["cases"] == 5
    assert "for each number" in figures["tolerance"]
    assert "divided by" in figures["sizes"]


@pytest.mark.slow
@pytest.mark.parametrize("body", WRONG.values(), ids=WRONG)
def test_a_wrong_model_fails(body: str, judge: JudgeProcess, tmp_path: Path) -> None:
    record = judged(SOFTMAX, MODEL.format(body=body), judge, tmp_path)
    assert record.checks[0].verdict is Verdict.WRONG_ANSWER, record.checks[0].sentence


@pytest.mark.slow
def test_several_outputs_and_nested_inputs(judge: JudgeProcess, tmp_path: Path) -> None:
    text = """
import torch

class ModelNew(torch.nn.Module):
    def forward(self, x, options):
        order = x.argsort(dim=-1, stable=True)
        return x.mean(-1) + options["shift"], order{wrong}
"""
    problem = PROBLEMS / "9_Mean_and_order.py"
    record = judged(problem, text.format(wrong=""), judge, tmp_path)
    assert record.checks[0].verdict is Verdict.PASSED, record.checks[0].sentence
    for wrong in (".flip(-1)", ".int()", ".reshape(-1)"):
        record = judged(problem, text.format(wrong=wrong), judge, tmp_path)
        assert record.checks[0].verdict is Verdict.WRONG_ANSWER, (wrong, record.checks[0].sentence)


ZEROS = "import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, x): return 0 * x\n"


@pytest.mark.slow
def test_a_problem_that_tells_nobody_apart_is_not_measured(
    judge: JudgeProcess, tmp_path: Path
) -> None:
    record = judged(PROBLEMS / "8_Always_zero.py", ZEROS, judge, tmp_path)
    assert record.checks[0].verdict is Verdict.NOT_MEASURED
    assert "any constant" in record.checks[0].sentence


@pytest.mark.slow
def test_without_a_call_nothing_passes(judge: JudgeProcess, tmp_path: Path) -> None:
    """The output is NaN for all inputs: no answer is right or wrong."""
    problem = tmp_path / "1_Undefined.py"
    problem.write_text(
        (PROBLEMS / "8_Always_zero.py").read_text().replace("x - x", "torch.sqrt(-1 - x * x)")
    )
    record = judged(problem, ZEROS, judge, tmp_path)
    assert record.checks[0].verdict is Verdict.NOT_MEASURED, record.checks[0].sentence
    assert "no call could be judged" in record.checks[0].sentence


@pytest.mark.slow
def test_zeros_do_not_pass_where_eager_itself_is_far_off(
    judge: JudgeProcess, tmp_path: Path
) -> None:
    """In float32, adding 1e8 loses the input: eight times that error exceeds the outputs."""
    problem = tmp_path / "1_Far_off.py"
    problem.write_text(
        (PROBLEMS / "8_Always_zero.py").read_text().replace("x - x", "(x + 1e8) - 1e8")
    )
    record = judged(problem, ZEROS, judge, tmp_path)
    assert record.checks[0].verdict is Verdict.NOT_MEASURED, record.checks[0].sentence
    assert "too far from float64" in record.checks[0].sentence


@pytest.mark.slow
def test_a_check_that_refuses_its_own_reference_is_no_fault_of_the_submission(
    judge: JudgeProcess, tmp_path: Path
) -> None:
    problem = tmp_path / "set" / "broken_check"
    shutil.copytree(RUNNING_SUM, problem)
    reference = problem / "reference.py"
    reference.write_text(reference.read_text().replace("worst <= ", "worst < -"))
    record = judged(problem, KERNEL.format(body="return values.cumsum(0)"), judge, tmp_path)
    assert record.checks[0].verdict is Verdict.NOT_MEASURED, record.checks[0].sentence
    assert "its own check refuses its own reference" in record.checks[0].sentence


MATRIX = """
import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = torch.nn.Dropout(0.2)
        self.count = 0
    def forward(self, x):
        {forward}
def get_inputs():
    return [{inputs}]
"""
EAGER = "return x.exp().cumsum(-1)"
FLOAT8 = "torch.randn(16, 64).to(torch.float8_e4m3fn)"
NO_EVIDENCE = {
    "dropout": (MATRIX.format(forward="return self.drop(x)", inputs="torch.randn(16, 64)"),
                "differ from call to call"),
    "a counter": (MATRIX.format(forward="self.count += 1; return x * self.count",
                                inputs="torch.randn(16, 64)"), "differ from call to call"),
    "state that is overwritten": (MATRIX.format(
        forward="self.h = getattr(self, 'h', x * 0).copy_(x).tanh(); return self.h",
        inputs="torch.randn(16, 64)"), "the problem keeps state"),
    "a package": ("import no_such_package\n" + MATRIX.format(forward=EAGER, inputs="torch.ones(4)"),
                  "it needs the package no_such_package"),
    "weights from a network": ("raise OSError('no connection to https://huggingface.co')\n"
                               + MATRIX.format(forward=EAGER, inputs="torch.ones(4)"),
                               "it needs weights from the Hugging Face hub"),
    "no tensor": (MATRIX.format(forward="return 1", inputs="torch.ones(4)"), "returns a int"),
    "float8 output": (MATRIX.format(forward="return x.to(torch.float8_e5m2)",
                                    inputs="torch.randn(4)"), "its output is torch.float8_e5m2"),
    "an exception": (MATRIX.format(forward="return x @ x", inputs="torch.randn(3, 4)"),
                     "it raises RuntimeError: mat1 and mat2"),
    "memory": (MATRIX.format(forward="return x.repeat(1 << 28, 1).sum(0)",
                             inputs="torch.randn(1 << 14)"), "MiB at its smallest sizes"),
    "one constant": (MATRIX.format(forward="return x.softmax(-1).sum(-1)",
                                   inputs="torch.randn(16, 64)"), "any constant would pass"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("problem", "why"), NO_EVIDENCE.values(), ids=NO_EVIDENCE)
def test_a_problem_that_cannot_be_judged_says_why(
    problem: str, why: str, judge: JudgeProcess, tmp_path: Path
) -> None:
    file = tmp_path / "1_Problem.py"
    file.write_text(problem)
    record = judged(file, problem.replace("Model(", "ModelNew("), judge, tmp_path)
    assert record.checks[0].verdict is Verdict.NOT_MEASURED, record.checks[0].sentence
    assert why in record.checks[0].sentence


JUDGED = {
    "values in its control flow": MATRIX.format(
        forward="return x[: 1 + int(x.abs().max() > -1)].exp()", inputs="torch.randn(16, 64)"
    ),
    "float8 inputs": MATRIX.format(forward="return x.float().exp()", inputs=FLOAT8),
    "a bfloat16 buffer": MATRIX.format(
        forward="return (x.bfloat16() @ torch.ones(64, 3, dtype=torch.bfloat16)).float()",
        inputs="torch.randn(16, 64)",
    ),
    "a device": MATRIX.format(
        forward="return x + torch.arange(64, device=x.device)", inputs="torch.randn(16, 64).cuda()"
    ),
    "bits": MATRIX.format(
        forward="return (x.view(torch.int32) & ~0xFFFF).view(torch.float32).exp()",
        inputs="torch.randn(16, 64)",
    ),
    "written in place": MATRIX.format(
        forward="y = torch.zeros(16, 65); y[:, 1:] = x; y[:, 0].add_(1).exp_(); return y",
        inputs="torch.randn(16, 64)",
    ),
    "a size that its model reads": MATRIX.format(
        forward="return x.exp() * torch.linspace(1, 2, ROWS)[:, None]",
        inputs="torch.randn(ROWS, 1 << 12)",
    )
    + "ROWS = 1 << 12\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("problem", JUDGED.values(), ids=JUDGED)
def test_a_problems_own_code_is_right(problem: str, judge: JudgeProcess, tmp_path: Path) -> None:
    file = tmp_path / "1_Problem.py"
    file.write_text(problem)
    record = judged(file, problem.replace("Model(", "ModelNew("), judge, tmp_path)
    assert record.checks[0].verdict is Verdict.PASSED, record.checks[0].sentence
    assert record.checks[0].evidence["cases"] >= 4


def test_a_problem_is_confined(judge: JudgeProcess, tmp_path: Path) -> None:
    """A problem is untrusted code too."""
    problem, trace = tmp_path / "1_Hostile.py", tmp_path / "trace"
    problem.write_text(f"open({str(trace)!r}, 'w').close()\n{SOFTMAX.read_text()}")
    judged(problem, MODEL.format(body="return x"), judge, tmp_path)
    assert not trace.exists()


@pytest.mark.slow
def test_a_right_kernel_passes(judge: JudgeProcess, tmp_path: Path) -> None:
    text = KERNEL.format(body="out[...] = values.cumsum(0)\n    return out")
    record = judged(RUNNING_SUM, text, judge, tmp_path)
    assert record.checks[0].verdict is Verdict.PASSED, record.checks[0].sentence
    # Two tests and the benchmark that fits.
    assert record.checks[0].evidence["cases"] == 3
    assert record.checks[0].evidence["tolerance"] == "the problem's own check"


@pytest.mark.slow
@pytest.mark.parametrize("body", WRONG_KERNELS.values(), ids=WRONG_KERNELS)
def test_a_wrong_kernel_fails(body: str, judge: JudgeProcess, tmp_path: Path) -> None:
    record = judged(RUNNING_SUM, KERNEL.format(body=body), judge, tmp_path)
    assert record.checks[0].verdict is Verdict.WRONG_ANSWER, record.checks[0].sentence


NORM = PROBLEMS / "trace" / "definitions" / "norm" / "scaled_norm_d512.json"
RUN = """
import torch

def run(x, weight, eps):
    values = x.float()
    rms = (values.square().mean(-1) + eps).sqrt()
    y = (values / rms[:, None] * weight.float()).to(x.dtype)
    {body}
"""
WRITING = """
import torch

def run(x, weight, eps, y, rms):
    rms.copy_((x.float().square().mean(-1) + eps).sqrt())
    y.copy_(x.float() / rms[:, None]{scaled})
"""
WRONG_RUNS = {
    "zeros": "return torch.zeros_like(y), torch.zeros_like(rms)",
    "one output": "return y",
    "without the weight": "return (values / rms[:, None]).to(x.dtype), rms",
    "another dtype": "return y.float(), rms",
    "the first answer, kept": """global KEPT
    KEPT = globals().get("KEPT", {})
    return KEPT.setdefault(x.shape[1], (y, rms))""",
    "right for few rows": "return (y if len(y) < 100 else 0 * y), rms",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [RUN.format(body="return y, rms"), RUN.format(body="return {'y': y, 'rms': rms}"),
     WRITING.format(scaled=" * weight.float()")],
    ids=["returned", "by name", "written"],
)  # fmt: skip
def test_a_right_run_passes(text: str, judge: JudgeProcess, tmp_path: Path) -> None:
    record = judged(NORM, text, judge, tmp_path)
    assert record.checks[0].verdict is Verdict.PASSED, record.checks[0].sentence
    # The two workloads without inputs in files.
    assert record.checks[0].evidence["cases"] == 2


@pytest.mark.slow
@pytest.mark.parametrize("body", WRONG_RUNS.values(), ids=WRONG_RUNS)
def test_a_wrong_run_fails(body: str, judge: JudgeProcess, tmp_path: Path) -> None:
    text = RUN.replace("{body}", body)
    record = judged(NORM, text, judge, tmp_path)
    assert record.checks[0].verdict is Verdict.WRONG_ANSWER, record.checks[0].sentence


@pytest.mark.slow
def test_a_wrong_run_that_writes_fails(judge: JudgeProcess, tmp_path: Path) -> None:
    record = judged(NORM, WRITING.format(scaled=""), judge, tmp_path)
    assert record.checks[0].verdict is Verdict.WRONG_ANSWER, record.checks[0].sentence


@pytest.mark.slow
def test_a_solution_in_their_form_is_judged(judge: JudgeProcess, tmp_path: Path) -> None:
    solution = {
        "name": "mine",
        "definition": "scaled_norm_d512",
        "spec": {"language": "python", "entry_point": "main.py::go"},
        "sources": [
            {"path": "main.py", "content": "from parts.norm import run as go\n"},
            {"path": "parts/norm.py", "content": RUN.format(body="return y, rms")},
        ],
    }
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(solution))
    asked = judging.ExternalJob.of(forms.find(NORM), file)
    record = judging.judge(asked, process=judge)
    assert record.checks[0].verdict is Verdict.PASSED, record.checks[0].sentence


LOADS = "from torch.utils.cpp_extension import load_inline\n"
ONLY_ON_A_GPU = {
    "CUDA C++": (LOADS, "load_inline('a', '', cuda_sources='')", "cpp_extension.load_inline"),
    "a CUDA graph": ("", "torch.cuda.CUDAGraph()", "torch.cuda.CUDAGraph"),
    "a package for GPUs": ("", "import cupy", "No module named 'cupy'"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("before", "line", "name"), ONLY_ON_A_GPU.values(), ids=ONLY_ON_A_GPU)
def test_what_only_a_gpu_runs_is_not_called_wrong(
    before: str, line: str, name: str, judge: JudgeProcess, tmp_path: Path
) -> None:
    text = before + MODEL.format(body=f"{line}\n        return x")
    record = judged(SOFTMAX, text, judge, tmp_path)
    assert record.checks[0].verdict is Verdict.NOT_MEASURED, record.checks[0].sentence
    assert name in record.checks[0].sentence


@pytest.mark.slow
@pytest.mark.parametrize("line", ["# cpp_extension, NeedsGpu", LOADS.strip(), "import torch.cuda"])
def test_a_name_that_is_not_used_excuses_nothing(
    line: str, judge: JudgeProcess, tmp_path: Path
) -> None:
    text = f"{line}\n{MODEL.format(body='return torch.zeros_like(x)')}"
    record = judged(SOFTMAX, text, judge, tmp_path)
    assert record.checks[0].verdict is Verdict.WRONG_ANSWER, record.checks[0].sentence


ASSEMBLY = """
import torch
import triton
import triton.language as tl

@triton.jit
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    x = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [x], tl.float32, True, 1)
    tl.store(out_ptr + at, x, mask=at < n)

class ModelNew(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.rand(features))

    def forward(self, x):
        out = torch.empty_like(x)
        kernel[(1,)](x, out, x.numel(), BLOCK=256)
        return out
"""


@pytest.mark.slow
def test_what_the_interpreter_cannot_run_is_not_called_wrong(
    judge: JudgeProcess, tmp_path: Path
) -> None:
    check = judged(SOFTMAX, ASSEMBLY, judge, tmp_path).checks[0]
    assert check.verdict is Verdict.NOT_MEASURED
    assert "answer.py:" in check.sentence or "submission.py:" in check.sentence
    assert "cannot run tl.inline_asm_elementwise" in check.sentence


@pytest.mark.slow
def test_where_points_depend_on_it_nobody_can_choose_to_be_pending(
    judge: JudgeProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging.forms, "write", partial(forms.write, graded=True))
    check = judged(SOFTMAX, ASSEMBLY, judge, tmp_path).checks[0]
    assert check.verdict is Verdict.RUNTIME_ERROR
    assert "cannot run tl.inline_asm_elementwise" in check.sentence


@pytest.mark.slow
def test_without_a_gpu_the_speed_is_not_measured(judge: JudgeProcess, tmp_path: Path) -> None:
    record = judged(RUNNING_SUM, KERNEL.format(body="return values.cumsum(0)"), judge, tmp_path)
    assert {check.check: check.verdict for check in record.checks[2:]} == dict.fromkeys(
        ("gpu_correct", "gpu_fast", "gpu_fast_compiled"), Verdict.NOT_MEASURED
    )
    assert record.pending
