"""What a notebook shows about the learner's kernel: the memory traffic of each line."""

import subprocess
import sys
from html import escape
from pathlib import Path

from hotloop.core import extras
from hotloop.core.graded_run import while_graded
from hotloop.engines.simulate import table
from hotloop.engines.simulate.problem import SimulatorError
from hotloop.engines.simulate.report import TrafficLine

THREADS = 256
"""Threads per block."""


class TrafficTable:
    """A table and a chart of the memory traffic of each line, or a message `text` instead."""

    def __init__(self, sites: list[TrafficLine], text: str = "") -> None:
        self.sites = sites
        self.text = text

    def __repr__(self) -> str:
        lines = [f"{s.line} {s.space} {s.did}: {table.sentence(s)}" for s in self.sites]
        return "\n".join([self.text, *lines]).strip()

    def _repr_html_(self) -> str:
        if self.text:
            return f"<pre>{escape(self.text)}</pre>"
        rows = "".join(
            f"<tr><td>{escape(str(s.line))}</td><td>{s.space} {s.did}</td>"
            f"<td style='text-align:right'>{s.bytes:,}</td><td>{s.width}</td>"
            f"<td style='text-align:right'>{table.efficiency(s):.0%}</td>"
            f"<td>{escape(table.sentence(s))}</td></tr>"
            for s in self.sites
        )
        head = "".join(
            f"<th>{name}</th>"
            for name in ("line", "memory", "bytes", "width", "efficiency", "what it means")
        )
        return f"<table><tr>{head}</tr>{rows}</table>{table.picture(self.sites)}"


def show_traffic(file: str, kernel: str, *, rows: int, columns: int) -> TrafficTable:
    """Launch a softmax kernel of `file` in the simulator and count the traffic of each line.

    A kernel called `…_naive` is launched with one thread per row, any other with one block of 256
    threads per row. Problems are returned as the text of the result, not raised.
    """
    if while_graded():
        return TrafficTable([], "Not counted while the notebook is graded.")
    if extras.missing("cuda"):
        return TrafficTable([], f"The simulator is not installed: {extras.remedy('cuda')}")
    import numpy as np

    from hotloop.engines.simulate import build, toolchain
    from hotloop.engines.simulate.launch import Array, launch

    if not toolchain.has_libraries():
        print(toolchain.step())
    x = (np.arange(rows * columns) * 37 % 101 / 10).astype(np.float32)
    arrays = Array("x", x.data.cast("B")), Array("y", np.empty_like(x).data.cast("B"), True)
    blocks = -(-rows // THREADS) if kernel.endswith("_naive") else rows
    try:
        built = build.kernels([Path(file)], checked=True)
        launched = launch(built, kernel, (blocks, 1, 1), (THREADS, 1, 1), [*arrays, rows, columns])
    except (SimulatorError, OSError) as problem:
        return TrafficTable([], str(problem))
    if launched.report.findings:
        finding = launched.report.findings[0]
        lines = ", ".join(map(str, finding.lines))
        return TrafficTable([], f"{lines}: {finding.text}" if lines else finding.text)
    if launched.error:
        return TrafficTable([], f"The launch of {kernel} failed with error {launched.error}.")
    if not launched.report.sites:
        return TrafficTable([], f"{kernel} reads and writes no memory yet.")
    return TrafficTable(launched.report.sites)


class PlainText:
    """Plain text that a notebook shows unchanged."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def try_operator(file: str) -> PlainText:
    """Run torch.library.opcheck on the operator of `file` in a separate process."""
    return _run_on_operators(_OPCHECK, file)


def compare_operators(*files: str, sharpness: float = 1.0, total: float = 1.0) -> PlainText:
    """Compare each file's `softmax` with torch.nn.functional.softmax, and time both on a GPU.

    sharpness: factor on x before softmax. total: factor on the result.
    """
    return _run_on_operators(f"sharpness, total = {sharpness!r}, {total!r}\n{_COMPARISON}", *files)


def _run_on_operators(program: str, *files: str) -> PlainText:
    """Run a program on operators in a separate process and return what it prints."""
    if while_graded():
        return PlainText("Not tried while the notebook is graded.")
    command = [sys.executable, "-c", program, *(str(Path(file).resolve()) for file in files)]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    errors = result.stderr.strip().splitlines() if result.returncode else []
    return PlainText("\n".join([result.stdout, *errors[-1:]]).strip())


_LOAD = """\
import importlib
import os
import sys
from pathlib import Path

import torch

from hotloop.worker.triton_compat import correct_interpreter

device = "cuda" if torch.cuda.is_available() else "cpu"
if device == "cpu":
    os.environ["TRITON_INTERPRET"] = "1"
correct_interpreter()
sys.path.insert(0, str(Path(sys.argv[1]).parent))
operators = {Path(name).stem: importlib.import_module(Path(name).stem) for name in sys.argv[1:]}
"""

_OPCHECK = (
    _LOAD
    + """
for name, operator in operators.items():
    library = getattr(torch.ops, name.replace("softmax_op", "hotloop_softmax"))
    x = torch.randn(3, 70, device=device, requires_grad=True)
    tests = torch.library.opcheck(library.forward.default, (x,), raise_exception=False)
    for test, outcome in tests.items():
        if not isinstance(outcome, str):
            outcome = f"fails, {type(outcome).__name__}: {str(outcome).splitlines()[0]}"
        print(f"{name}, {test}: {outcome.lower() if outcome == 'SUCCESS' else outcome}")
"""
)

_COMPARISON = (
    _LOAD
    + """
import torch.nn.functional as F

torch.manual_seed(7)
empty = torch.full((2, 100), -torch.inf)
inputs = {
    "4 x 777": torch.randn(4, 777),
    "4 x 4096": torch.randn(4, 4096),
    "2 x 20000": torch.randn(2, 20000),
    "numbers of 10000": 1e4 * torch.randn(4, 777),
    "transposed": torch.randn(777, 4).t(),
    "rows of -inf": empty,
    "bfloat16": torch.randn(4, 777).bfloat16(),
}

def difference(mine, theirs):
    if mine.isnan().any() != theirs.isnan().any():
        return f"{mine.flatten()[0].item():g}, not {theirs.flatten()[0].item():g}"
    apart = (mine.double() - theirs.double()).abs() / theirs.double().clamp_min(1e-30)
    return f"{apart.max().item():.1e} apart"

def written(name):
    library = getattr(torch.ops, name.replace("softmax_op", "hotloop_softmax"))
    return hasattr(library, "forward")

def print_row(label, cells):
    print(f"{label:18}" + "".join(f"{cell:20}" for cell in cells).rstrip())

usual = F.softmax
if (sharpness, total) != (1.0, 1.0):
    usual = lambda x, dim: total * F.softmax(sharpness * x, dim)
print("apart: the largest difference from torch.nn.functional.softmax, relative to it")
print_row("", operators)
for label, x in inputs.items():
    x = x.to(device)
    cells = []
    for name, operator in operators.items():
        try:
            cell = difference(operator.softmax(x), usual(x, dim=-1))
        except (AttributeError, RuntimeError) as problem:
            cell = "refused" if isinstance(problem, RuntimeError) else str(problem)
            if not written(name) or "not written yet" in str(problem):
                cell = "not written yet"
        cells.append(cell)
    print_row(label, cells)

def microseconds(function, x):
    for _ in range(5):
        function(x)
    first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    first.record()
    for _ in range(20):
        function(x)
    last.record()
    torch.cuda.synchronize()
    return first.elapsed_time(last) * 1e3 / 20

if device == "cpu":
    print("times: not measured, there is no GPU here")
else:
    x = torch.randn(8192, 8192, device=device)
    functions = {name: operator.softmax for name, operator in operators.items()}
    functions["torch.nn.functional.softmax"] = lambda x: F.softmax(x, dim=-1)
    for name, function in functions.items():
        print(f"8192 x 8192, {name}: {microseconds(function, x):.0f} us")
"""
)
