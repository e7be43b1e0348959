"""Reads that the source makes under a condition do not happen while the condition is false.

The optimizer likes to read first and to choose afterwards, where it knows that an address is
valid. In a simulator that would be a race, an uninitialized read, and bytes that nobody moves.
"""

from functools import cache
from itertools import product
from pathlib import Path

import pytest

from hotloop.engines.simulate import build
from hotloop.engines.simulate.build import Built
from hotloop.engines.simulate.host import ProgramRun, run

MEMORIES = {
    "shared_scalar": "s",
    "shared_element": "t[5]",
    "shared_of_thread": "t[threadIdx.x]",
    "shared_member": "o.second",
    "device_scalar": "d",
    "device_element": "e[3]",
    "constant_scalar": "c",
    "constant_element": "k[7]",
    "global_first": "*x",
    "global_of_thread": "x[threadIdx.x]",
    "restricted": "r[threadIdx.x & 7]",
}
"""Expressions that read memory, by name."""

FORMS = {
    "ternary": "v = n > 0 ? {} : 1;",
    "ternary_of_two": "v = n > 0 ? {0} * {0} : n;",
    "if_else": "if (n > 0) v = {}; else v = 2;",
    "if_only": "if (n > 0) v += {};",
    "nested": "if (n > 0) {{ if (threadIdx.x < 8) v += {}; }}",
    "and": "v = n > 0 && {} != 0;",
    "or": "v = n == 0 || {} != 0;",
    "and_of_reads": "v = (n > 0 && {0} > 1) || (n > 1 && {0} < 5);",
    "minimum": "v = n > 0 ? min(v, {}) : v;",
    "switch": "switch (n) {{ case 1: v = {0}; break; case 2: v = {0} + 1; break; default: ++v; }}",
    "early_return": "if (n <= 0) {{ y[threadIdx.x] = 3; return; }} v = {};",
    "loop": "for (int i = 0; i < n; ++i) v += {};",
    "loop_with_condition": "for (int i = 0; i < 4; ++i) if (n > i) v += {};",
    "while_and": "for (int i = 0; i < 4 && n > 0 && {} > i; ++i) ++v;",
    "conditional_store": "if (n > 0) y[threadIdx.x + 32] = {};",
    "chain": "v = n == 1 ? {0} : n == 2 ? {0} + 1 : n == 3 ? {0} * 3 : 7;",
    "lambda": "auto f = [&] {{ return {}; }}; v = n > 0 ? f() : 1;",
    "divergent": "v = threadIdx.x >= 64 + n ? {} : 1;",
}
"""Statements with such a read, none of which reads when n is 0."""

CASES = list(product(FORMS, MEMORIES))
HEAD = """\
#include <cstdlib>
__device__ int d, e[8];
__constant__ int c, k[8];
struct Two { int first, second; };
#define MEMORY __shared__ int s, t[32]; __shared__ Two o; int v = n;
"""
KERNEL = """\
__global__ void k{number}(const int* x, const int* __restrict__ r, int* y, int n) {{
  MEMORY
  if (n > 0) s = t[threadIdx.x] = o.second = 1;
  {statement}
  y[threadIdx.x] = v;
}}
"""
MAIN = """\
int main(int, char** a) {{
  const int n = std::atoi(a[1]);
  int *x, *y;
  cudaMalloc(&x, 128);
  cudaMalloc(&y, 256);
  if (n) cudaMemset(x, 1, 128);
{launches}
  return cudaDeviceSynchronize();
}}
"""


@cache
def built(folder: Path) -> Built:
    """One program with a kernel for each form and memory."""
    path = folder / "speculation.cu"
    statements = [FORMS[form].format(MEMORIES[memory]) for form, memory in CASES]
    kernels = [KERNEL.format(number=n, statement=s) for n, s in enumerate(statements)]
    launches = "\n".join(f"  k{n}<<<1, 32>>>(x, x, y, n);" for n in range(len(CASES)))
    path.write_text(HEAD + "".join(kernels) + MAIN.format(launches=launches), encoding="utf-8")
    return build.program([path], checked=True)


@cache
def ran(folder: Path, n: int) -> ProgramRun:
    return run(built(folder), [str(n)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("speculation")


@pytest.mark.slow
def test_nothing_is_read_and_nothing_found_while_the_condition_is_false(folder: Path) -> None:
    done = ran(folder, 0)
    assert done.status == 0
    assert done.report.findings == []
    read = {s.kernel for s in done.report.sites if s.did == "read" and s.space != "local"}
    assert {CASES[int(kernel[1:])] for kernel in read} == set()


@pytest.mark.slow
def test_the_same_statements_do_read_where_it_is_true(folder: Path) -> None:
    """Otherwise the test above would look at kernels from which the reads are gone."""
    read = {s.kernel for s in ran(folder, 1).report.sites if s.did == "read" and s.space != "local"}
    missing = {case for n, case in enumerate(CASES) if f"k{n}" not in read}
    known = {case for case in CASES if case[0] == "divergent" or case[1].startswith("shared")}
    assert missing <= known
    assert len(missing) < len(CASES) / 2
