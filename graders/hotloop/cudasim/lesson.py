"""What a notebook shows of a kernel of the learner's: which line moves how much."""

from __future__ import annotations

import os
import subprocess
import sys
from html import escape
from pathlib import Path

from hotloop.cudasim import build, run, table
from hotloop.cudasim.problem import Problem
from hotloop.cudasim.report import Site

_MAIN = """\
#include <cuda_runtime.h>
#include <vector>

__global__ void {kernel}(const float* x, float* y, int rows, int columns);

int main() {{
  const int rows = {rows}, columns = {columns};
  std::vector<float> values(static_cast<size_t>(rows) * columns);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 101) / 10;
  float *x, *y;
  cudaMalloc(&x, values.size() * sizeof(float));
  cudaMalloc(&y, values.size() * sizeof(float));
  cudaMemcpy(x, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
  {kernel}<<<{blocks}, 256>>>(x, y, rows, columns);
  return cudaDeviceSynchronize();
}}
"""


class Traffic:
    """A table and a picture of what each line moves; a notebook shows both."""

    def __init__(self, sites: list[Site], text: str = "") -> None:
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
        return f"<table><tr>{head}</tr>{rows}</table>{table.svg(self.sites)}"


def show_traffic(file: str, kernel: str, *, rows: int, columns: int) -> Traffic:
    """Launch a softmax kernel of `file` in the simulator and count what its lines move.

    One thread a row for a kernel called `…_naive`, one block of 256 threads a row for others.
    """
    if os.environ.get("HOTLOOP_JUDGE"):
        return Traffic([], "Not counted while the notebook is graded.")
    blocks = f"({rows} + 255) / 256" if kernel.endswith("_naive") else str(rows)
    program = _MAIN.format(kernel=kernel, rows=rows, columns=columns, blocks=blocks)
    main = Path(file).resolve().with_name(f".{kernel}_main.cu")
    try:
        main.write_text(program, encoding="utf-8")
        done = run.run(build.program([Path(file), main], "checked"))
    except (Problem, OSError) as problem:
        return Traffic([], str(problem))
    finally:
        main.unlink(missing_ok=True)
    if done.report.findings:
        found = done.report.findings[0]
        return Traffic([], f"{', '.join(map(str, found.lines))}: {found.text}")
    return Traffic(done.report.sites)


class Told:
    """Plain text that a notebook shows as it is."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def try_operator(file: str) -> Told:
    """Run PyTorch's own checks on the operator of `file`, and compare it with PyTorch's softmax."""
    if os.environ.get("HOTLOOP_JUDGE"):
        return Told("Not tried while the notebook is graded.")
    program = _TRIAL.format(folder=str(Path(file).resolve().parent), module=Path(file).stem)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=300
    )
    return Told((done.stdout + _last_line(done.stderr)).strip())


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return f"\n{lines[-1]}" if lines else ""


_TRIAL = """\
import sys
sys.path.insert(0, {folder!r})
import torch
import {module} as operator

device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(3, 70, device=device, requires_grad=True)
torch.library.opcheck(torch.ops.hotloop_softmax.forward.default, (x,))
print("opcheck: passed")
for shape in ((1, 1), (4, 777), (4, 4096), (2, 20000)):
    x = torch.randn(shape, device=device)
    theirs = torch.nn.functional.softmax(x, dim=-1)
    worst = ((operator.softmax(x) - theirs).abs() / theirs).max().item()
    print(f"{{shape}}: at most {{worst:.1e}} apart, relative to torch.nn.functional.softmax")
"""
