"""A run's findings: figures at the program's lines, without duplicates."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.engines.simulate import build, host
from hotloop.engines.simulate.report import Finding, ReportLine, SimulatorReport, Witness, merge

PROGRAM = """\
#include <cuda_runtime.h>
__device__ float shift(float x) { return x + 1; }
__global__ void k(float* x) {
  const float v = shift(x[threadIdx.x]);
  x[threadIdx.x] = v;
}
int main() {
  float* x;
  cudaMalloc(&x, 128);
  cudaMemset(x, 0, 128);
  k<<<1, 32>>>(x);
  k<<<1, 32>>>(x);
  return cudaDeviceSynchronize();
}
"""


def found(kind: str, *lines: int, kernel: str = "k") -> Finding:
    witnesses = tuple(Witness(ReportLine("a.cu", line), "reads") for line in lines)
    return Finding(kind, "text", kernel, witnesses)


@pytest.mark.slow
def test_figures_are_those_of_the_programs_lines(source: Callable[..., Path]) -> None:
    path = source(PROGRAM)
    done = host.run(build.program([path], checked=True)).report
    sites = {(s.line, s.space, s.did): s for s in done.sites}
    assert set(sites) == {
        (ReportLine(str(path), 4), "global", "read"),
        (ReportLine(str(path), 5), "global", "write"),
    }
    read = sites[ReportLine(str(path), 4), "global", "read"]
    assert (read.accesses, read.bytes, read.width, read.requests) == (64, 256, 4, 2)
    assert (read.moved, read.fewest) == (256, 256)
    assert done.bytes("read") == done.bytes("write", "k") == 256
    assert done.bytes("read", "other") == 0
    assert [(x.kernel, x.grid, x.block, x.launches) for x in done.launches] == [
        ("k", (1, 1, 1), (32, 1, 1), 2)
    ]


def test_what_several_runs_found_is_said_once() -> None:
    first = SimulatorReport("exited", [found("race", 3, 4)])
    second = SimulatorReport(
        "exited", [found("race", 4, 3), found("race", 5, 6), found("trap", 3, 4)]
    )
    merged = merge([first, second])
    assert [(f.kind, {x.line for x in f.lines}) for f in merged.findings] == [
        ("race", {3, 4}),
        ("race", {5, 6}),
        ("trap", {3, 4}),
    ]


def test_merged_reports_tell_how_the_worst_one_ended() -> None:
    assert (
        merge(
            [SimulatorReport("exited"), SimulatorReport("timed out"), SimulatorReport("exited")]
        ).ended
        == "timed out"
    )
    assert merge([SimulatorReport("exited"), SimulatorReport("exited")]).ended == "exited"


def test_a_read_before_its_write_is_the_race_and_nothing_else() -> None:
    race, early, other = found("race", 8, 9), found("uninitialized_shared", 9), found("trap", 9)
    elsewhere = found("uninitialized_shared", 20)
    merged = merge(
        [SimulatorReport("exited", [early, elsewhere]), SimulatorReport("exited", [race, other])]
    )
    assert [f.kind for f in merged.findings] == ["uninitialized_shared", "race", "trap"]
    assert merged.findings[0].lines == elsewhere.lines
