"""Known cheats against judges of KernelBench's kind, each refused: never right, and never pending.

Those of tests/benchmarks/cheats, which that benchmark hands to KernelBench's own checker too, and
those below, most of which need no more than a judge in the submission's own process.
"""

from pathlib import Path

import pytest

from hotloop.author.external import forms, judging
from hotloop.core.verdict import Verdict
from hotloop.judge.client import JudgeProcess

SOFTMAX = Path(__file__).parent / "problems" / "7_Scaled_softmax.py"
PUBLIC = sorted((Path(__file__).parents[3] / "benchmarks" / "cheats").glob("*.py"))

pytestmark = pytest.mark.sandbox

REFUSED = {Verdict.WRONG_ANSWER, Verdict.RUNTIME_ERROR, Verdict.TAMPERED, Verdict.TIMEOUT}
BEGIN = """
import gc, sys, threading, time
import torch

class ModelNew(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.rand(features))

    def forward(self, x):
        """
CHEATS = {
    "a tensor class that is equal to everything": """
        class Equal(torch.Tensor):
            @classmethod
            def __torch_function__(cls, function, types, args=(), kwargs=None):
                if function.__name__ in ("allclose", "equal", "isclose", "eq", "__eq__"):
                    return True
                return super().__torch_function__(function, types, args, kwargs or {})
        return torch.zeros_like(x).as_subclass(Equal)""",
    "a tensor that computes when it is read": """
        weight = self.weight
        class Lazy(torch.Tensor):
            @classmethod
            def __torch_function__(cls, function, types, args=(), kwargs=None):
                kwargs = kwargs or {}
                if function.__name__ in ("copy_", "to", "numpy", "cpu", "clone", "contiguous"):
                    return torch.softmax(x * weight, -1)
                return super().__torch_function__(function, types, args, kwargs)
        return torch.empty_like(x).as_subclass(Lazy)""",
    "one row for all": "return torch.softmax(x * self.weight, -1)[:1].expand(x.shape)",
    "the mean of each row": "return torch.full_like(x, 1 / x.shape[-1])",
    "the mean of all answers": """
        y = torch.softmax(x * self.weight, -1)
        return y.mean(0, keepdim=True).expand_as(y).clone()""",
    "an exit": "sys.exit(0)",
    "an exit without handlers": "import os; os._exit(0)",
    "a tensor without memory": "return torch.empty(x.shape, device='meta')",
    "autocast": """
        with torch.autocast('cpu', torch.bfloat16):
            return (x @ torch.eye(x.shape[-1]) * self.weight).softmax(-1).float()""",
    "rounded inputs": "return torch.softmax((x.bfloat16().float()) * self.weight, -1)",
    "its input altered": """
        y = torch.softmax(x * self.weight, -1)
        x.mul_(1.001)
        return y""",
    "its weights zeroed": """
        self.weight.data.zero_()
        return torch.softmax(x * self.weight, -1)""",
    "a thread that computes later": """
        y = torch.zeros_like(x)
        def later():
            time.sleep(0.5)
            y.copy_(torch.softmax(x * self.weight, -1))
        threading.Thread(target=later).start()
        return y""",
    "each second call from memory": """
        self.calls = getattr(self, 'calls', 0) + 1
        if self.calls % 2:
            self.kept = torch.softmax(x * self.weight, -1)
        return self.kept""",
    "kept by the address of the input": """
        kept = globals().setdefault('KEPT', {})
        return kept.setdefault(x.data_ptr() >> 40, torch.softmax(x * self.weight, -1))""",
    "whatever tensor of its shape lies in memory": """
        others = [t for t in gc.get_objects() if type(t) is torch.Tensor and t is not x
                  and t.shape == x.shape]
        return others[-1] if others else torch.zeros_like(x)""",
    "a judge's modules overwritten": """
        for name, module in list(sys.modules.items()):
            if name.startswith(('hotloop', 'numpy')):
                for each in ('compare', 'allclose', 'excess_of', 'array_equal', 'count_nonzero'):
                    if hasattr(module, each):
                        setattr(module, each, lambda *_a, **_k: 0)
        return torch.zeros_like(x)""",
    "the harness's files overwritten": """
        from pathlib import Path
        for file in Path('.').rglob('*.py'):
            try:
                file.write_text('def answers(*_): pass')
            except OSError:
                pass
        return torch.zeros_like(x)""",
    "NaN for a wildcard": "return torch.full_like(x, float('nan'))",
    "one zero for all": "return torch.as_strided(torch.zeros(1), x.shape, (0,) * x.dim())",
    "a claim of its own": """
        print('{"ok": true, "verdict": "passed"}', flush=True)
        sys.stderr.write('correctness=True')
        return torch.zeros_like(x)""",
}

GEMM = """
import torch
class Model(torch.nn.Module):
    def forward(self, a, b):
        return a @ b
def get_inputs():
    return [torch.randn(256, 256, dtype=torch.{dtype}) for _ in range(2)]
def get_init_inputs():
    return []
"""
GEMM_CHEAT = """
import torch
KEPT = {{}}
class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        {body}
"""
GEMM_CHEATS = {
    "kept by shape": "return KEPT.setdefault((a.shape, b.shape), a @ b).clone()",
    "a quarter of K unless inputs are whole numbers": """
        if torch.equal(a, a.round()):
            return a @ b
        k = a.shape[1] // 4
        return (a[:, :k] @ b[:k] * 2).to(a.dtype)""",
    "right for whole numbers only": "return a @ b if torch.equal(a, a.round()) else 0 * a @ b",
    "zeros": "return torch.zeros_like(a @ b)",
}


def judged(problem: Path, text: str, judge: JudgeProcess, tmp_path: Path) -> tuple[Verdict, str]:
    file = tmp_path / "answer.py"
    file.write_text(text)
    record = judging.judge(judging.ExternalJob.of(forms.find(problem), file), process=judge)
    return record.checks[0].verdict, record.checks[0].sentence


@pytest.mark.slow
@pytest.mark.parametrize("cheat", PUBLIC, ids=lambda path: path.stem)
def test_a_cheat_of_the_benchmark(cheat: Path, judge: JudgeProcess, tmp_path: Path) -> None:
    beside = (
        "import sys, types\nsys.modules['reference_model'] = own = types.ModuleType('own')\n"
        f"exec({SOFTMAX.read_text()!r}, vars(own))\n"
        "own.batch_size, own.features = 64, 128\n"
    )
    verdict, sentence = judged(SOFTMAX, beside + cheat.read_text(), judge, tmp_path)
    assert verdict in REFUSED, sentence


@pytest.mark.slow
@pytest.mark.parametrize("body", CHEATS.values(), ids=CHEATS)
def test_a_cheat(body: str, judge: JudgeProcess, tmp_path: Path) -> None:
    verdict, sentence = judged(SOFTMAX, BEGIN + body.strip() + "\n", judge, tmp_path)
    assert verdict in REFUSED, sentence


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32"])
@pytest.mark.parametrize("body", GEMM_CHEATS.values(), ids=GEMM_CHEATS)
def test_a_cheat_in_each_dtype(body: str, dtype: str, judge: JudgeProcess, tmp_path: Path) -> None:
    problem = tmp_path / "1_Gemm.py"
    problem.write_text(GEMM.format(dtype=dtype))
    text = GEMM_CHEAT.format(body=body.strip())
    verdict, sentence = judged(problem, text, judge, tmp_path)
    assert verdict in REFUSED, sentence
