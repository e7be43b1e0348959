"""The figures of each line: bytes, sectors of global memory, passes over the banks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.cudasim import build, run
from hotloop.cudasim.report import Site
from hotloop.cudasim.table import efficiency

PROGRAM = """\
#include <cuda_runtime.h>
__global__ void k(float* x, const float4* v) {{
  __shared__ float s[2048];
  const int t = threadIdx.x;
  for (int i = t; i < 2048; i += 32) s[i] = i;
  __syncwarp();
  float sum = 0;
  {line}
  x[t] = sum;
}}
int main() {{
  float* x;
  cudaMalloc(&x, 65536);
  cudaMemset(x, 0, 65536);
  k<<<1, 32>>>(x, reinterpret_cast<float4*>(x + 64));
  return cudaDeviceSynchronize();
}}
"""
LINE = 8


def measured(source: Callable[..., Path], line: str) -> Site:
    done = run.run(build.program([source(PROGRAM.format(line=line))], "checked")).report
    assert done.findings == []
    (site,) = [s for s in done.sites if s.line and s.line.line == LINE]
    return site


@pytest.mark.parametrize(
    ("line", "width", "asked", "moved"),
    [
        ("sum += x[64 + t];", 4, 128, 128),
        ("sum += x[64 + t * 8];", 4, 128, 1024),
        ("sum += x[64 + t * 2];", 4, 128, 256),
        ("sum += x[65 + t];", 4, 128, 160),
        ("sum += x[64];", 4, 128, 32),
        ("sum += x[64 + (31 - t)];", 4, 128, 128),
        ("const float4 f = v[t]; sum += f.x;", 16, 512, 512),
        ("const float4 f = v[2 * t]; sum += f.x;", 16, 512, 1024),
        ("if (t < 8) sum += x[64 + t];", 4, 32, 32),
        ("for (int i = 0; i < 4; ++i) sum += x[64 + 32 * i + t];", 4, 512, 512),
    ],
)
def test_sectors_of_global_memory(
    source: Callable[..., Path], line: str, width: int, asked: int, moved: int
) -> None:
    site = measured(source, line)
    assert (site.space, site.did, site.width) == ("global", "read", width)
    assert (site.bytes, site.moved) == (asked, moved)


@pytest.mark.parametrize(
    ("line", "passes"),
    [
        ("sum += s[t];", 1),
        ("sum += s[2 * t];", 2),
        ("sum += s[32 * t];", 32),
        ("sum += s[33 * t];", 1),
        ("sum += s[0];", 1),
        ("sum += s[16 * t];", 16),
        ("s[2 * t] = 1;", 2),
        ("const float4 f = reinterpret_cast<float4*>(s)[t]; sum += f.x;", 4),
    ],
)
def test_passes_over_the_banks(source: Callable[..., Path], line: str, passes: int) -> None:
    site = measured(source, line)
    assert site.space == "shared"
    assert (site.requests, site.moved) == (1, passes)
    wide = 4 if site.width == 16 else 1
    assert efficiency(site) == pytest.approx(wide / passes)
