"""The figures of each line: bytes, sectors of global memory, passes over the banks."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.engines.simulate import build, host
from hotloop.engines.simulate.report import TrafficLine
from hotloop.engines.simulate.table import efficiency

PROGRAM = """\
#include <cuda_runtime.h>
struct Chunk {{ float of[16]; }};
struct Three {{ float x, y, z; }};
struct alignas(2) Pair {{ short a, b; }};
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
LINE = 11


def measured(source: Callable[..., Path], line: str) -> TrafficLine:
    done = host.run(build.program([source(PROGRAM.format(line=line))], checked=True)).report
    assert done.findings == []
    (site,) = [s for s in done.sites if s.line and s.line.line == LINE]
    return site


@pytest.mark.slow
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
        ("Chunk c = reinterpret_cast<const Chunk*>(x + 1024)[t]; sum += c.of[3];", 4, 128, 1024),
        ("Three c = reinterpret_cast<const Three*>(x + 1024)[t]; sum += c.y;", 4, 128, 384),
        ("Pair c = reinterpret_cast<const Pair*>(x + 1024)[t]; sum += c.b;", 2, 64, 128),
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


@pytest.mark.slow
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


def sites_of(text: str, source: Callable[..., Path]) -> dict[tuple[str, str], TrafficLine]:
    done = host.run(build.program([source(text)], checked=True)).report
    assert done.findings == []
    return {(site.space, site.did): site for site in done.sites if site.line and site.line.line < 5}


@pytest.mark.slow
def test_a_line_has_figures_for_each_memory_that_it_uses(source: Callable[..., Path]) -> None:
    """Otherwise a first call with shared memory would hide what the others move."""
    found = sites_of(
        """\
#include <cuda_runtime.h>
__device__ __noinline__ float load(const float* p) {
  return *p;
}
__global__ void k(const float* x, float* y) {
  __shared__ float s[32];
  s[threadIdx.x] = 1;
  float sum = load(s + threadIdx.x);
  for (int i = 0; i < 4; ++i) sum += load(x + 32 * i + threadIdx.x);
  y[threadIdx.x] = sum;
}
int main() {
  float* x;
  cudaMalloc(&x, 1024);
  cudaMemset(x, 0, 1024);
  k<<<1, 32>>>(x, x + 128);
  return cudaDeviceSynchronize();
}
""",
        source,
    )
    assert (found["shared", "read"].bytes, found["shared", "read"].moved) == (128, 1)
    assert (found["global", "read"].bytes, found["global", "read"].moved) == (512, 512)


LOCAL = """\
__device__ float at(int n) {
  float t[COUNT]; for (int i = 0; i < COUNT; ++i) t[i * n % COUNT] = i;
  float s = 0; for (int i = 0; i < COUNT; ++i) s += t[(i + n) % COUNT]; return s;
}
__global__ void k(float* y, int n) { y[threadIdx.x] = at(n); }
int main() {
  float* y;
  cudaMalloc(&y, 128);
  k<<<1, 32>>>(y, 3);
  return cudaDeviceSynchronize();
}
"""


@pytest.mark.slow
def test_local_memory_is_told_apart(source: Callable[..., Path]) -> None:
    found = sites_of(LOCAL.replace("COUNT", "64"), source)
    assert found["local", "read"].bytes == found["local", "write"].bytes == 32 * 64 * 4


@pytest.mark.slow
def test_local_memory_beyond_all_registers_moves(source: Callable[..., Path]) -> None:
    read = sites_of(LOCAL.replace("COUNT", "512"), source)["local", "read"]
    assert read.bytes == 32 * 512 * 4
    assert read.bytes - read.moved == 32 * 255 * 4


@pytest.mark.slow
def test_figures_above_two_gibibytes_of_the_checkers_memory(source: Callable[..., Path]) -> None:
    text = """\
__device__ char large[200 << 20];
__global__ void k(float* y, int n) {
  y[threadIdx.x] = large[n];
}
int main() {
  float* y;
  cudaMalloc(&y, 128);
  k<<<1, 32>>>(y, 3);
  return cudaDeviceSynchronize();
}
"""
    found = sites_of(text, source)
    assert (found["global", "read"].moved, found["global", "write"].moved) == (32, 128)
