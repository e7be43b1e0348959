"""What a notebook shows of a kernel of the learner's: which line moves how much."""

from __future__ import annotations

import os
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
