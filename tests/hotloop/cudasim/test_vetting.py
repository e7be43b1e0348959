"""What a learner's file may be made of, and that nothing it calls stores where nobody looks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.cudasim import build, run
from hotloop.cudasim.check import check
from hotloop.cudasim.problem import Unsupported
from hotloop.cudasim.report import Report
from hotloop.cudasim.vetting import Refused, vet

Source = Callable[..., Path]

HEAD = "#include <cuda_runtime.h>\n#include <cmath>\n#include <cstdio>\n"
MAIN = """
int main() {
  TYPE *x, *second;
  cudaMalloc(&x, 32 * sizeof(TYPE));
  cudaMalloc(&second, 64 * sizeof(TYPE));
  cudaMemset(x, 0, 32 * sizeof(TYPE));
  k<<<1, 32>>>(x, second);
  return cudaDeviceSynchronize();
}
"""
STORING = [
    ("modff(x[t], &second[t])", "float", 4),
    ("modf(x[t], &second[t])", "double", 8),
    ("frexpf(x[t], reinterpret_cast<int*>(second) + t)", "float", 4),
    ("frexp(x[t], reinterpret_cast<int*>(second) + t)", "double", 4),
    ("sincosf(x[t], &second[t], &second[t + 32])", "float", 8),
    ("sincos(x[t], &second[t], &second[t + 32])", "double", 16),
]


def kernel(call: str, type_name: str = "float") -> str:
    body = f"const int t = threadIdx.x; {call};"
    return HEAD + f"__global__ void k({type_name}* x, {type_name}* second) {{ {body} }}\n"


def checked(source: Source, call: str, type_name: str = "float") -> Report:
    main = MAIN.replace("TYPE", type_name)
    return check([source(kernel(call, type_name) + main)]).report


@pytest.mark.parametrize(("call", "type_name", "stored"), STORING, ids=[s[0] for s in STORING])
def test_what_mathematics_stores_through_pointers_is_counted(
    source: Source, call: str, type_name: str, stored: int
) -> None:
    report = checked(source, call, type_name)
    assert report.findings == []
    assert report.bytes("write") == 32 * stored
    vet(source(kernel(call, type_name), "vetted.cu"))


@pytest.mark.parametrize(
    "call", ["modff(x[t], &second[t + 64])", "frexpf(x[t], (int*)&second[99])"]
)
def test_what_mathematics_stores_out_of_bounds_is_found(source: Source, call: str) -> None:
    assert [f.kind for f in checked(source, call).findings] == ["out_of_bounds"]


def test_two_threads_that_let_mathematics_store_at_one_place_race(source: Source) -> None:
    found = checked(source, "x[t] = t; modff(x[t] / 2, &second[0])").findings
    assert "race" in {f.kind for f in found}


@pytest.mark.parametrize("form", ["%n", "%hhn", "%*d%n", "%1$n", "%Zn", "%w8n", "100%"])
def test_a_kernels_printf_stores_nothing(source: Source, form: str) -> None:
    call = f'if (t == 0) printf("{form}", 7, 7, reinterpret_cast<int*>(second))'
    assert [f.kind for f in checked(source, call).findings] == ["unsupported"]


def test_a_kernels_printf_tells_how_many_values_it_printed(source: Source) -> None:
    call = 'if (t == 0) second[0] = printf("%d of %5.1f%%, %s\\\\n", 3, 2.5, "a long text")'
    text = kernel(call).replace("\\\\n", "\\n") + MAIN.replace("TYPE", "float")
    text = text.replace(
        "return cudaDeviceSynchronize();",
        "float host; cudaMemcpy(&host, second, 4, cudaMemcpyDeviceToHost);"
        ' return host != 3 || printf("four") != 4;',
    )
    done = run.run(build.program([source(text)], "checked"))
    assert done.status == 0
    assert done.output == "3 of   2.5%, a long text\nfour"


def test_a_linemarker_of_ones_own_is_refused(source: Source) -> None:
    text = kernel("x[t] = 1.0f") + '# 1 "/usr/include/math.h" 3\nvoid hidden() {}\n'
    with pytest.raises(Unsupported) as refused:
        vet(source(text, "marked.cu"))
    assert refused.value.line == text.count("\n", 0, text.index("# 1")) + 1


@pytest.mark.parametrize(
    "line",
    [
        "__attribute__((constructor)) static void early() {}",
        "struct Early { Early(); };\nEarly::Early() { early_was_here(); }\nEarly early;",
        'extern "C" int system(const char*);',
        "static void first() { throw 1; }",
        "#include <cstdlib>",
    ],
)
def test_more_than_kernels_is_refused(source: Source, line: str) -> None:
    declared = "static int calls;\nstatic void early_was_here() { ++calls; }\n"
    with pytest.raises(Refused):
        vet(source(HEAD + declared + line + "\n" + kernel("x[t] = 1.0f").removeprefix(HEAD)))
