"""Does `hotloop judge` tell right from wrong in bfloat16, float16 and float32?

    python tests/benchmarks/judge_mutants.py --keep

Problems in KernelBench's form, each with right answers in several styles and with wrong ones: some
for every problem, such as rounded inputs or a kept answer, and some of its own, such as another
epsilon. The oracle of `hotloop judge` makes the calls and the bounds; the answers are computed in
this process, as no submission here attacks the judge.

An answer is refused if one of the calls that decide refuses it.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import torch
from torch.nn import functional

from hotloop.author.external import PROGRAMS
from hotloop.author.external.checks import KINDS, LEAST_CALLS
from hotloop.judge.device import device_name

RESULTS = Path(__file__).parent / "results" / "judge_mutants.json"
DTYPES = (torch.bfloat16, torch.float16, torch.float32)

Tensor = torch.Tensor
Answer = Callable[..., Tensor]

FILE = """
import torch
from torch.nn import functional as F

class Model(torch.nn.Module):
    def forward(self, {names}):
        d = {first}.dtype
        return {model}

def get_inputs():
    return [{made}]

def get_init_inputs():
    return []
"""


@dataclass(frozen=True)
class Problem:
    """inputs: expressions by name. model: the problem's own code, an expression.

    right, wrong: answers as expressions; `d` is the dtype. The own code is also a right answer.
    """

    inputs: dict[str, str]
    model: str
    right: dict[str, str]
    wrong: dict[str, str] = field(default_factory=dict[str, str])

    def text(self, dtype: torch.dtype) -> str:
        """Return the problem's file."""
        made = ", ".join(f"({each}).to({dtype})" for each in self.inputs.values())
        names = [*self.inputs]
        return FILE.format(names=", ".join(names), first=names[0], model=self.model, made=made)

    def answer(self, expression: str) -> Answer:
        """Return the function of an expression."""
        names = ", ".join(self.inputs)
        code = f"lambda {names}: (lambda d: {expression})({next(iter(self.inputs))}.dtype)"
        return eval(code, {**globals(), "F": functional})


def in_order(x: Tensor, dim: int = -1, dtype: torch.dtype = torch.float32) -> Tensor:
    """Sum with one accumulator, in order."""
    total = torch.zeros_like(x.select(dim, 0), dtype=dtype)
    for at in range(x.shape[dim]):
        total = total + x.select(dim, at).to(dtype)
    return total


def in_parts(a: Tensor, b: Tensor, parts: int = 4, dtype: torch.dtype = torch.float32) -> Tensor:
    """Multiply matrices in parts of K, added in `dtype`."""
    pairs = zip(a.chunk(parts, -1), b.chunk(parts, -2), strict=True)
    total: Any = 0
    for x, y in pairs:
        total = total + (x.float() @ y.float()).to(dtype)
    return total


def by_columns(a: Tensor, b: Tensor, dtype: torch.dtype = torch.float32) -> Tensor:
    """Multiply matrices with one accumulator for each element, in order."""
    total = torch.zeros(a.shape[0], b.shape[1], dtype=dtype)
    for k in range(a.shape[1]):
        total = total + (a[:, k : k + 1].to(dtype) * b[k : k + 1].to(dtype))
    return total


def online(x: Any) -> Tensor:
    """Softmax of rows in blocks, with a running maximum and sum."""
    high: Any = torch.full((*x.shape[:-1], 1), -torch.inf)
    total: Any = torch.zeros_like(high)
    for part in x.float().split(64, -1):
        new = torch.maximum(high, part.amax(-1, keepdim=True))
        total = total * (high - new).exp() + (part - new).exp().sum(-1, keepdim=True)
        high = new
    return (x.float() - high).exp() / total


def norm(x: Tensor, w: Tensor, b: Tensor, eps: float = 1e-5, correction: int = 0) -> Tensor:
    """Layer normalization in the dtype of `x`."""
    off = x - x.mean(-1, keepdim=True)
    variance = off.square().sum(-1, keepdim=True) / (x.shape[-1] - correction)
    return off * torch.rsqrt(variance + eps) * w + b


def norm_in_one_pass(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    """Layer normalization from the sums of x and of its squares."""
    mean = x.mean(-1, keepdim=True)
    variance = x.square().mean(-1, keepdim=True) - mean.square()
    return (x - mean) / (variance + 1e-5).sqrt() * w + b


def rms(x: Tensor, w: Tensor, eps: float = 1e-6) -> Tensor:
    """RMS normalization."""
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * w


def tf32(x: Tensor) -> Tensor:
    """Return x rounded to TF32's ten bits after the point, in float32."""
    bits = (x.float().view(torch.int32) + (1 << 12)) & ~((1 << 13) - 1)
    return bits.view(torch.float32)


def int8(x: Tensor) -> Tensor:
    """Return x rounded to 8 bits, with one scale."""
    scale = x.abs().amax().clamp(min=1e-30) / 127
    return (x / scale).round() * scale


def lower(dtype: torch.dtype) -> torch.dtype:
    """Return the dtype that a cheat computes in."""
    coarser = {torch.float32: torch.float16, torch.float16: torch.bfloat16}
    return coarser.get(dtype, torch.float8_e4m3fn)


X = "torch.randn(96, 512)"
PROBLEMS = {
    "gemm": Problem(
        {"a": "torch.randn(128, 512)", "b": "torch.randn(512, 96)"},
        "a @ b",
        {
            "exact": "(a.double() @ b.double()).to(d)",
            "split over K": "in_parts(a, b).to(d)",
            "one accumulator": "by_columns(a, b).to(d)",
            "transposed": "(b.float().t().contiguous() @ a.float().t().contiguous()).t().to(d)",
        },
        {
            "a quarter of K": "(4 * a[:, :128] @ b[:128]).to(d)",
            "K off by one": "a[:, :-1] @ b[:-1]",
            "TF32 or less": "(tf32(a).to(lower(d)).float() @ tf32(b).to(lower(d)).float()).to(d)",
            "the accumulator in bfloat16": "by_columns(a, b, torch.bfloat16).to(d)",
        },
    ),
    "linear_relu": Problem(
        {"x": "torch.randn(64, 256)", "w": "torch.randn(128, 256) / 16", "b": "torch.randn(128)"},
        "torch.relu(F.linear(x, w, b))",
        {
            "exact": "torch.relu(x.double() @ w.double().t() + b.double()).to(d)",
            "bias last": "torch.relu(x.float() @ w.float().t() + b.float()).to(d)",
            "bias first": "torch.relu(b.float() + in_parts(x, w.t())).to(d)",
        },
        {
            "no bias": "torch.relu(F.linear(x, w))",
            "no relu": "F.linear(x, w, b)",
            "gelu": "F.gelu(F.linear(x, w, b))",
        },
    ),
    "softmax": Problem(
        {"x": X},
        "torch.softmax(x, -1)",
        {
            "exact": "torch.softmax(x.double(), -1).to(d)",
            "another layout": "torch.softmax(x.t().contiguous(), 0).t()",
            "online": "online(x).to(d)",
            "powers of two": "(lambda e: (e / in_order(e).unsqueeze(-1)).to(d))("
            "torch.exp2((x.float() - x.float().amax(-1, True)) * 1.4426950408889634))",
        },
        {
            "without the maximum": "(lambda e: e / e.sum(-1, True))(x.half().exp()).to(d)",
            "over half of the row": "(lambda e: e / (2 * e[:, :256].sum(-1, True)))("
            "(x.float() - x.float().amax(-1, True)).exp()).to(d)",
            "other dimension": "torch.softmax(x, 0)",
            "exp in bfloat16": "(lambda e: e / e.sum(-1, True))((x.float() - x.float().amax(-1, "
            "True)).bfloat16().exp()).to(d)",
        },
    ),
    "layer_norm": Problem(
        {"x": X, "w": "torch.randn(512)", "b": "torch.randn(512)"},
        "F.layer_norm(x, (512,), w, b)",
        {
            "exact": "norm(x.double(), w.double(), b.double()).to(d)",
            "in float32": "norm(x.float(), w.float(), b.float()).to(d)",
            "one pass": "norm_in_one_pass(x.float(), w.float(), b.float()).to(d)",
        },
        {
            "epsilon 0.1": "norm(x.float(), w.float(), b.float(), 0.1).to(d)",
            "no mean": "(rms(x.float(), w.float()) + b.float()).to(d)",
            "no bias": "F.layer_norm(x, (512,), w)",
            "over all rows": "F.layer_norm(x, x.shape) * w + b",
        },
    ),
    "rms_norm": Problem(
        {"x": X, "w": "torch.randn(512)"},
        "(x.float() * torch.rsqrt(x.float().square().mean(-1, keepdim=True) + 1e-6)).to(d) * w",
        {
            "exact": "rms(x.double(), w.double()).to(d)",
            "rounded once": "rms(x.float(), w.float()).to(d)",
            "divided": "(x.float() / (in_order(x.float().square()).unsqueeze(-1) / 512 + 1e-6)"
            ".sqrt() * w.float()).to(d)",
        },
        {
            "epsilon 0.1": "rms(x.float(), w.float(), 0.1).to(d)",
            "sum, not mean": "(x * torch.rsqrt(x.square().sum(-1, True)) * w).to(d)",
            "half of the row": "(x.float() * torch.rsqrt(x.float()[:, :256].square().mean(-1, True)"
            ") * w.float()).to(d)",
        },
    ),
    "row_sum": Problem(
        {"x": "torch.rand(64, 2048)"},
        "x.sum(-1)",
        {
            "exact": "x.double().sum(-1).to(d)",
            "one accumulator": "in_order(x).to(d)",
            "reversed": "in_order(x.flip(-1)).to(d)",
            "by halves": "(x[:, :1024].float().sum(-1) + x[:, 1024:].float().sum(-1)).to(d)",
        },
        {
            "a quarter": "4 * x[:, :512].sum(-1)",
            "the accumulator in bfloat16": "in_order(x, dtype=torch.bfloat16).to(d)",
            "mean": "x.mean(-1)",
        },
    ),
    "gelu": Problem(
        {"x": X},
        "F.gelu(x)",
        {
            "exact": "F.gelu(x.double()).to(d)",
            "by erf": "(0.5 * x.float() * (1 + torch.erf(x.float() * 0.7071067811865476))).to(d)",
        },
        {"sigmoid": "x * torch.sigmoid(1.702 * x)", "relu": "torch.relu(x)"},
    ),
    "swiglu": Problem(
        {"x": X, "y": X},
        "F.silu(x) * y",
        {
            "exact": "(F.silu(x.double()) * y.double()).to(d)",
            "rounded once": "(x.float() / (1 + (-x.float()).exp()) * y.float()).to(d)",
        },
        {
            "sides swapped": "F.silu(y) * x",
            "gelu": "F.gelu(x) * y",
            "no gate": "torch.sigmoid(x) * y",
        },
    ),
    "residual": Problem(
        {"a": X, "b": X, "c": X},
        "torch.relu(a * b + c)",
        {
            "exact": "torch.relu(a.double() * b.double() + c.double()).to(d)",
            "rounded once": "torch.relu(a.float() * b.float() + c.float()).to(d)",
            "in steps": "torch.clamp(torch.addcmul(c, a, b), min=0)",
        },
        {
            "minus": "torch.relu(a * b - c)",
            "shifted by one": "torch.relu(a * b + c.roll(1, -1))",
            "a hundredth off": "torch.relu(a * b + c) * 1.03",
        },
    ),
    "conv": Problem(
        {"x": "torch.randn(2, 16, 20, 20)", "w": "torch.randn(24, 16, 3, 3) / 12"},
        "F.conv2d(x, w, padding=1)",
        {
            "exact": "F.conv2d(x.double(), w.double(), padding=1).to(d)",
            "as a matrix product": "(w.float().reshape(24, -1) @ F.unfold(x.float(), 3, padding=1))"
            ".reshape(2, 24, 20, 20).to(d)",
            "channels last": "F.conv2d(x.float().contiguous(memory_format=torch.channels_last), "
            "w.float(), padding=1).contiguous().to(d)",
        },
        {
            "flipped": "F.conv2d(x, w.flip(-1), padding=1)",
            "half of the channels": "F.conv2d(x[:, :8], w[:, :8], padding=1) * 2",
            "TF32 or less": "F.conv2d(tf32(x).to(lower(d)).float(), tf32(w).to(lower(d)).float(), "
            "padding=1).to(d)",
            "border": "F.pad(F.conv2d(x, w), (1, 1, 1, 1))",
        },
    ),
    "attention": Problem(
        dict.fromkeys("qkv", "torch.randn(2, 4, 64, 32)"),
        "F.scaled_dot_product_attention(q, k, v)",
        {
            "exact": "(torch.softmax(q.double() @ k.double().mT / 32**0.5, -1) @ v.double()).to(d)",
            "in float32": "(torch.softmax(q.float() @ k.float().mT / 32**0.5, -1)"
            " @ v.float()).to(d)",
            "divided last": "(lambda e: ((e @ v.float()) / e.sum(-1, True)).to(d))((lambda s: "
            "(s - s.amax(-1, True)).exp())((q.float() * 32**-0.5) @ k.float().mT))",
        },
        {
            "no scale": "torch.softmax(q @ k.mT, -1) @ v",
            "causal": "F.scaled_dot_product_attention(q, k, v, is_causal=True)",
            "half of the keys": "F.scaled_dot_product_attention(q, k[:, :, :32], v[:, :, :32])",
        },
    ),
    "cumsum": Problem(
        {"x": "torch.randn(32, 1024)"},
        "x.cumsum(-1)",
        {
            "exact": "x.double().cumsum(-1).to(d)",
            "in blocks": "(lambda p: (p + F.pad(p[:, :, -1:].cumsum(1), (0, 0, 1, 0))[:, :-1])"
            ".reshape(x.shape).to(d))(x.float().reshape(32, 16, 64).cumsum(-1))",
        },
        {
            "exclusive": "x.cumsum(-1) - x",
            "blocks not joined": "x.reshape(32, 16, 64).cumsum(-1).reshape(x.shape)",
            "reversed": "x.flip(-1).cumsum(-1).flip(-1)",
        },
    ),
    "cross_entropy_rows": Problem(
        {"x": X},
        "torch.logsumexp(x, -1) - x[:, 0]",
        {
            "exact": "(torch.logsumexp(x.double(), -1) - x[:, 0].double()).to(d)",
            "in float32": "(in_order((x.float() - x.float().amax(-1, True)).exp()).log() + "
            "x.float().amax(-1) - x[:, 0].float()).to(d)",
        },
        {
            "the other class": "torch.logsumexp(x, -1) - x[:, 1]",
            "no logarithm": "x.amax(-1) - x[:, 0]",
            "half of the row": "torch.logsumexp(x[:, :256], -1) - x[:, 0]",
        },
    ),
    "max_pool": Problem(
        {"x": "torch.randn(4, 8, 32, 32)"},
        "F.max_pool2d(x, 3, 2)",
        {"unfolded": "x.unfold(2, 3, 2).unfold(3, 3, 2).amax((-1, -2))"},
        {"mean": "F.avg_pool2d(x, 3, 2)", "smaller": "F.max_pool2d(x, 2, 2)[:, :, :15, :15]"},
    ),
}


def for_all(own: Answer) -> dict[str, Answer]:
    """Return wrong answers that every problem has. own: the problem's own code."""
    kept: list[Tensor] = []

    def keeping(*given: Tensor) -> Tensor:
        kept.append(own(*given))
        return kept[0].clone()

    def on(change: Callable[[Tensor], Tensor]) -> Answer:
        return lambda *given: own(*(change(each).to(each.dtype) for each in given))

    def one_off(*given: Tensor) -> Tensor:
        out = own(*given).clone()
        out.view(-1)[out.numel() // 2] *= 1.25
        out.view(-1)[out.numel() // 3] += 0.1 * out.float().abs().max().to(out.dtype)
        return out

    return {
        "zeros": lambda *given: torch.zeros_like(own(*given)),
        "its first answer, kept": keeping,
        "inputs rounded to integers": on(torch.round),
        "inputs in 8 bits": on(int8),
        "inputs in the next coarser dtype": on(lambda each: each.to(lower(each.dtype))),
        "two elements off": one_off,
        "half of the output missing": lambda *given: _half(own(*given)),
        "three percent too large": lambda *given: own(*given) * 1.03,
        "the mean everywhere": lambda *given: _mean(own(*given)),
    }


def _half(out: Tensor) -> Tensor:
    out = out.clone()
    out.view(-1)[out.numel() // 2 :] = 0
    return out


def _mean(out: Tensor) -> Tensor:
    return torch.full_like(out, float(out.float().mean()))


@dataclass(frozen=True)
class Row:
    """One answer to one problem. refused: by how many of the calls that decide."""

    problem: str
    dtype: str
    answer: str
    right: bool
    decided: int
    refused: int

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is what the answer deserves."""
        return self.decided >= LEAST_CALLS and (self.refused == 0) == self.right


def rows(name: str, problem: Problem, dtype: torch.dtype) -> Iterator[Row]:
    """Judge all answers to a problem in one dtype."""
    oracle: Any = _oracle(problem.text(dtype))
    own = problem.answer(problem.model)
    right = {"its own code": own} | {k: problem.answer(v) for k, v in problem.right.items()}
    wrong = for_all(own) | {k: problem.answer(v) for k, v in problem.wrong.items()}
    counts = dict.fromkeys([*right, *wrong], 0)
    decided = 0
    with torch.no_grad():
        for number, kind in enumerate(KINDS):
            call = oracle.Call(0, 1000 + number, 7, kind)
            call.require_fit()
            if not call.decides():
                continue
            decided += 1
            (limits,) = call.bounds
            for answer, function in {**right, **wrong}.items():
                got = function(*(each.clone() for each in call.tensors))
                inside = oracle.within(got.double(), *limits).all()
                fits = got.dtype is dtype and got.shape == limits[0].shape
                counts[answer] += not (inside and fits)
    for answer, refused in counts.items():
        yield Row(name, str(dtype), answer, answer in right, decided, refused)


def _oracle(text: str) -> Any:
    """Return the oracle's module for a problem's text."""
    names = [f"hotloop_{each}" for each in ("oracle", "form", "kernelbench")]
    for name in names:
        sys.modules.pop(name, None)
    if str(PROGRAMS) not in sys.path:
        sys.path.append(str(PROGRAMS))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "problem.py"
        file.write_text(text)
        import hotloop_kernelbench as form  # pyright: ignore[reportMissingImports]

        form.FILE = str(file)
        sys.modules["hotloop_form"] = form
        import hotloop_oracle as oracle  # pyright: ignore[reportMissingImports]

        cast(Any, form).problem(0)
    return oracle


def summary(found: list[Row]) -> dict[str, Any]:
    """Return by dtype how many wrong answers are caught, and how many right ones are refused."""
    told: dict[str, Any] = {}
    for dtype in dict.fromkeys(row.dtype for row in found):
        mine = [row for row in found if row.dtype == dtype]
        wrong, right = ([row for row in mine if row.right is which] for which in (False, True))
        told[dtype.removeprefix("torch.")] = {
            "problems": len({row.problem for row in mine}),
            "wrong": len(wrong),
            "caught": sum(row.as_expected for row in wrong),
            "right": len(right),
            "refused": sum(not row.as_expected for row in right),
        }
    return told


def main() -> None:
    """Judge and print; with --keep, write results/judge_mutants.json."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="name of one problem")
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    found: list[Row] = []
    for name, problem in PROBLEMS.items():
        if arguments.only in ("", name):
            for dtype in DTYPES:
                found += rows(name, problem, dtype)
            print(name, file=sys.stderr)
    missed = [row for row in found if not row.as_expected]
    for row in missed:
        print("not as expected:", row)
    print(json.dumps(summary(found), indent=1))
    if arguments.keep:
        document = {
            "device": device_name(),
            "date": datetime.now(UTC).date().isoformat(),
            "summary": summary(found),
            "not_as_expected": [f"{r.problem}, {r.dtype}: {r.answer}" for r in missed],
        }
        RESULTS.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
