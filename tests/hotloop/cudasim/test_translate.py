"""CUDA's constructs become C++, each on its own line; what cannot be is refused, with its line."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.cudasim import build
from hotloop.cudasim.launches import DEDUCED, kernels
from hotloop.cudasim.problem import CompileError, Unsupported
from hotloop.cudasim.tokens import tokenize
from hotloop.cudasim.translate import rewrite, translate
from hotloop.cudasim.variables import declared_names

HEAD = '# 1 "user.cu"\n'
Source = Callable[..., Path]


def rewritten(text: str) -> str:
    """Without the linemarker, and with every run of blanks as one."""
    return re.sub(r"\s+", " ", rewrite(HEAD + text).removeprefix(HEAD)).strip()


@pytest.mark.parametrize(
    ("launch", "becomes"),
    [
        ("k<<<1, 2>>>(x);", '::cudasim::launch("k", k, 1, 2)(x);'),
        (
            "a::k<T, 3><<<g, b, 4, s>>>();",
            '::cudasim::launch("a::k<T, 3>", a::k<T, 3>, g, b, 4, s)();',
        ),
        ("return k<<<1, 2>>>(x);", 'return ::cudasim::launch("k", k, 1, 2)(x);'),
        ("if (f(x)) k<<<1, 2>>>(x);", 'if (f(x)) ::cudasim::launch("k", k, 1, 2)(x);'),
        ("t[i]<<<1, 2>>>(x);", '::cudasim::launch("t[i]", t[i], 1, 2)(x);'),
        ("p->q.k<<<1, 2>>>(x);", '::cudasim::launch("p->q.k", p->q.k, 1, 2)(x);'),
        ("(c ? a : b)<<<1, 2>>>(x);", '::cudasim::launch("(c ? a : b)", (c ? a : b), 1, 2)(x);'),
        ("k<<<dim3{1, 2}, f(3, 4)>>>(x);", '::cudasim::launch("k", k, dim3{1, 2}, f(3, 4))(x);'),
        ("k<A<B<1>>><<<1, 2>>>(x);", '::cudasim::launch("k<A<B<1>>>", k<A<B<1>>>, 1, 2)(x);'),
    ],
)
def test_a_launch_becomes_a_call(launch: str, becomes: str) -> None:
    assert rewritten(f"void f() {{ {launch} }}") == f"void f() {{ {becomes} }}"


@pytest.mark.parametrize(
    ("definition", "count"),
    [
        ("__global__ void k(int x) {}", 0),
        ("__global__ void k(int x); __global__ void k(int y) {}", 0),
        ("__global__ void k(int x, int n = 3) {}", DEDUCED),
        ("__global__ void k(int x) {} __global__ void k(float x) {}", DEDUCED),
        ("template <class T, int N> __global__ void k(T x) {}", 2),
        ("template <class T, class U = A<T, 1>> __global__ void k(T x);", 2),
        ("template <class... T> __global__ void k(T... x) {}", DEDUCED),
        ("template <class T> static __global__ void __launch_bounds__(64, 2) k(T x) {}", 1),
        ("__global__ __attribute__((used)) void k(int x) {}", 0),
    ],
)
def test_kernels_and_the_arguments_that_name_them(definition: str, count: int) -> None:
    assert kernels(tokenize(HEAD + definition)) == {"k": count}


def test_a_template_without_its_arguments_is_called_through_a_lambda() -> None:
    text = (
        "template <class T> __global__ void k(T x) {}"
        "void f() { k<<<1, 2>>>(3); k<int><<<1, 2>>>(3); }"
    )
    result = rewritten(text)
    assert (
        'launch("k", [&](auto... cudasim_arguments) { k(cudasim_arguments...); }, 1, 2)' in result
    )
    assert 'launch("k<int>", k<int>, 1, 2)(3)' in result


@pytest.mark.parametrize(
    ("declaration", "names"),
    [
        ("float a", ["a"]),
        ("float a[4], *b, c[2][3]", ["a", "b", "c"]),
        ("std::pair<int, int> a, b", ["a", "b"]),
        ("alignas(16) float a[4]", ["a"]),
        ("int a = f(1, 2), b{3}, c[] = {4, 5}", ["a", "b", "c"]),
        ("struct { int x, y; } a, b[2]", ["a", "b"]),
        ("struct S a", ["a"]),
        ("unsigned long long a __attribute__((aligned(16)))", ["a"]),
    ],
)
def test_names_that_a_declaration_declares(declaration: str, names: list[str]) -> None:
    assert declared_names(tokenize(declaration)) == names


def test_shared_variables_are_told_of() -> None:
    result = rewritten("__global__ void k() { __shared__ int a[2], b; }")
    assert result == (
        'void k() { static int a[2], b; cudasim_shared((void*)&a, sizeof(a), "a");'
        ' cudasim_shared((void*)&b, sizeof(b), "b"); }'
    )


def test_dynamic_shared_memory_is_a_reference() -> None:
    result = rewritten("__global__ void k() { extern __shared__ alignas(16) float4 s[]; }")
    assert "float4 (&s)[] = *reinterpret_cast<float4 (*)[]>(cudasim_dynamic_shared)" in result


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("__device__ int a, b[2] = {1, 2};", ["a", "b"]),
        ("static __device__ int a;", ["a"]),
        ("__device__ __attribute__((aligned(16))) float a[4];", ["a"]),
        ("__constant__ struct { int x; } a = {1};", ["a"]),
        ("namespace n { __managed__ int a{3}; }", ["a"]),
        ("__device__ float f(float x) { return x; } __constant__ int a;", ["a"]),
        ("extern __device__ int a;", []),
        ("struct S { __device__ int f; };", []),
        ("__device__ S operator+(S a, S b);", []),
        ("__device__ void f() { int a; }", []),
    ],
)
def test_symbols_are_registered(text: str, symbols: list[str]) -> None:
    assert re.findall(r"::cudasim::Symbol cudasim_symbol_(\w+)", rewritten(text)) == symbols


def test_every_line_stays_where_it_is() -> None:
    text = (
        "__global__ void\n__launch_bounds__(\n  128)\nk(int* x)\n{\n  __shared__\n  int s[4];\n}\n"
        "void f() {\n  k\n  <<<\n  1,\n  2\n  >>>\n  (nullptr);\n}\n"
    )
    result = rewrite(HEAD + text)
    assert result.count("\n") == (HEAD + text).count("\n")
    assert "cudasim_launch_bounds(128, 0)" in result.splitlines()[5]
    assert '"s"' in result.splitlines()[7]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('asm volatile("mov.u32 %0, %laneid;" : "=r"(x));', "inline PTX"),
        ('__asm__("nop;");', "inline PTX"),
        ("float v = tex2D<float>(t, 1, 2);", "textures"),
        ("cudaTextureObject_t t;", "textures"),
        ("cudaLaunchKernel(k, 1, 1, nullptr, 0, 0);", "<<<…>>>"),
        ("cudaLaunchCooperativeKernel(k, 1, 1, nullptr);", "one after the other"),
        ("cudaGraphLaunch(g, s);", "graphs"),
        ("__shared__ int s = 3;", "initial value"),
        ("extern __shared__ int s;", "name[]"),
        ("k<<<1, 2(x);", "no >>>"),
    ],
)
def test_what_cannot_run_is_refused_with_file_and_line(
    source: Source, line: str, what: str
) -> None:
    path = source(f"#include <cuda_runtime.h>\n\nvoid f() {{\n  {line}\n}}\n")
    with pytest.raises(Unsupported) as refused:
        translate(path)
    assert (refused.value.file, refused.value.line) == (str(path), 4)
    assert what in refused.value.what
    assert str(refused.value).startswith(f"{path}:4: ")


@pytest.mark.parametrize(
    ("header", "what"),
    [
        ("mma.h", "matrix instructions"),
        ("cuda_pipeline.h", "cp.async"),
        ("cooperative_groups/memcpy_async.h", "cp.async"),
        ("cuda/barrier", ""),
        ("cuda/pipeline", ""),
        ("cuda_fp8.h", "8-bit"),
        ("cub/cub.cuh", ""),
    ],
)
def test_a_header_that_is_not_simulated_is_refused(source: Source, header: str, what: str) -> None:
    path = source(f"#include <cstdio>\n#include <{header}>\nint main() {{}}\n")
    with pytest.raises(Unsupported) as refused:
        translate(path)
    assert (refused.value.file, refused.value.line) == (str(path), 2)
    assert what in refused.value.what


@pytest.mark.parametrize(
    "marker",
    [
        '# 1 "/usr/include/stdio.h" 3',
        '# 1 "/usr/include/stdio.h" 1 3 4',
        '  %: /* x */ 1 "/usr/include/stdio.h" 3',
        '#\\\n7 "x.h" 3',
        '/*\n*/ # 7 "x.h" 3',
    ],
)
def test_a_source_cannot_pass_for_a_system_header(source: Source, marker: str) -> None:
    ignored = '#pragma GCC diagnostic ignored "-Wpedantic"\n'
    path = source(f'{ignored}int a;\n{marker}\nvoid f() {{ asm("nop"); }}\n')
    with pytest.raises(Unsupported, match="only a preprocessor writes") as refused:
        translate(path)
    assert refused.value.file == str(path)
    assert 3 <= refused.value.line <= 4


def test_words_in_strings_and_comments_are_left_alone(source: Source) -> None:
    path = source('// asm("x") <<<\nconst char* s = "asm <<<1, 2>>> __shared__";\n')
    assert '"asm <<<1, 2>>> __shared__"' in translate(path)


def test_a_shared_variable_outside_of_functions_is_refused() -> None:
    with pytest.raises(Unsupported, match="in the kernel that uses them"):
        rewrite(HEAD + "__shared__ int s[4];")


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("x[0] = undefined_name;", "undefined_name"),
        ('int y = "text";', "invalid conversion"),
        ("__shared__ float s[4]; s.size();", "size"),
        ("atomicMax(reinterpret_cast<float*>(x), 1.0f);", "CUDA has no atomicMax for this type"),
    ],
)
def test_a_compile_error_is_the_compilers_own_at_the_users_line(
    source: Source, statement: str, message: str
) -> None:
    text = (
        "#include <cuda_runtime.h>\n__global__ void k(int* x) {\n"
        f"  {statement}\n}}\nint main() {{ k<<<1, 1>>>(nullptr); }}\n"
    )
    path = source(text)
    with pytest.raises(CompileError) as error:
        build.program([path], "checked")
    assert message in str(error.value)
    assert f"{path}:3:" in str(error.value)


def test_a_wrong_launch_is_a_compile_error_at_its_line(source: Source) -> None:
    path = source(
        "#include <cuda_runtime.h>\n__global__ void k(int* x) {}\nint main() {\n"
        '  k<<<1, 1>>>("text");\n}\n'
    )
    with pytest.raises(CompileError, match="no known conversion") as error:
        build.program([path], "plain")
    assert f"{path}:4:" in str(error.value)
