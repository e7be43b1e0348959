"""One kernel, launched by its name: its arguments, and which kernels are refused."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from hotloop.engines.simulate import build, host
from hotloop.engines.simulate.build import Built
from hotloop.engines.simulate.launch import Array, launch
from hotloop.engines.simulate.problem import SimulatorError, Unsupported

KERNELS = """
__global__ void scale(const float* x, float* y, int count, float by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = by * x[i];
}
__global__ void spoils(const float* x, float* y, int count, float by) {
  const_cast<float*>(x)[threadIdx.x] = by;
  y[threadIdx.x] = by;
}
__global__ void reads_its_output(const float* x, float* y, int count, float by) {
  y[threadIdx.x] += x[threadIdx.x];
}
__global__ void of_other_types(const float* x, float* y, float by, long long count) {}
__global__ void __launch_bounds__(32) for_one_warp(const float* x, float* y, int count, float by) {}
namespace inner { __global__ void twice(float* y) { y[0] = 1; } }
__global__ void twice(float* y, int) { y[0] = 2; }
"""


@pytest.fixture
def kernels(source: Callable[..., Path]) -> Built:
    return build.kernels([source(KERNELS)], checked=True)


def arrays() -> tuple[Array, Array]:
    x, y = np.arange(64, dtype=np.float32), np.full(64, np.nan, np.float32)
    return Array("x", x.data.cast("B")), Array("y", y.data.cast("B"), is_output=True)


@pytest.mark.slow
def test_the_output_comes_back(kernels: Built) -> None:
    x, y = arrays()
    done = launch(kernels, "scale", (2, 1, 1), (32, 1, 1), [x, y, 64, 0.5])
    assert (done.error, done.report.findings) == (0, [])
    assert np.array_equal(np.frombuffer(y.data, np.float32), np.arange(64) / 2)


@pytest.mark.slow
def test_what_is_not_written_stays(kernels: Built) -> None:
    x, y = arrays()
    launch(kernels, "scale", (1, 1, 1), (32, 1, 1), [x, y, 64, 0.5])
    assert np.isnan(np.frombuffer(y.data, np.float32)[32:]).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "kind", "text"),
    [
        ("spoils", "input_written", "Writes to `x`, which is an input"),
        ("reads_its_output", "uninitialized_global", "`y`, which nobody has written"),
    ],
)
def test_what_is_found(kernels: Built, name: str, kind: str, text: str) -> None:
    x, y = arrays()
    done = launch(kernels, name, (1, 1, 1), (64, 1, 1), [x, y, 64, 0.5])
    assert any(f.kind == kind and text in f.text for f in done.report.findings)


@pytest.mark.slow
def test_an_array_ends_where_it_ends(kernels: Built) -> None:
    x, y = arrays()
    done = launch(kernels, "scale", (3, 1, 1), (32, 1, 1), [x, y, 65, 0.5])
    assert done.error == 700
    assert "just past the end of the" in done.report.findings[0].text


@pytest.mark.slow
def test_a_launch_that_the_driver_refuses(kernels: Built) -> None:
    assert launch(kernels, "for_one_warp", (1, 1, 1), (64, 1, 1), [*arrays(), 64, 0.5]).error == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("scales", "there is no kernel `scales`"),
        ("of_other_types", "must take .pointer x, pointer y, integer, float., and it takes"),
    ],
)
def test_kernels_that_are_not_what_was_asked_for(kernels: Built, name: str, said: str) -> None:
    with pytest.raises(SimulatorError, match=said):
        launch(kernels, name, (1, 1, 1), (32, 1, 1), [*arrays(), 64, 0.5])


@pytest.mark.slow
def test_of_two_kernels_of_a_name_the_one_that_fits(kernels: Built) -> None:
    _, y = arrays()
    launch(kernels, "twice", (1, 1, 1), (1, 1, 1), [y, 7])
    assert np.frombuffer(y.data, np.float32)[0] == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('printf("%s", (const char*)0xfffffff0u);', "there is no memory"),
        ("printf((const char*)0xfffffff0u);", "there is no memory"),
        ("assert(!(y + 1)); y[0] = 0;", "assert"),
        ("y[((int*)0xfffffff0u)[0]] = 0;", "memory of the host"),
        ("((float(*)(float))(size_t)rows)(1.0f);", "must not be reached"),
        ("memset(y, 0, 0xfffffff0u);", "memory of the host"),
    ],
)
def test_a_kernels_own_fault_is_told_as_one(
    source: Callable[..., Path], body: str, said: str
) -> None:
    """None of these may end as a failure of the simulator."""
    text = f"#include <assert.h>\n__global__ void k(float* y, int rows) {{ {body} }}"
    _, y = arrays()
    built = build.kernels([source(text)], checked=True)
    done = launch(built, "k", (1, 1, 1), (1, 1, 1), [y, 64])
    assert done.error in {700, 710, 719}
    assert any(said in finding.text or said == finding.kind for finding in done.report.findings)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "printed"),
    [
        ('printf("%.*f|%-*d|%*d", -5, 1.5, -4, 7, 4, 7)', "1.500000|7   |   7"),
        ('printf("%c%c%c", 65, -1, 300)', "A\xff,"),
        ('printf("%zd %hhd %hs %lls", 1, 2, "a", "b")', "1 2 a b"),
        (
            'printf("%5.1s|%05d|%+d|%x|%u", "abc", 42, 5, -1, -1)',
            "    a|00042|+5|ffffffff|4294967295",
        ),
        ('printf("%hhd %hhu %hd %#x %#x", 300, 300, 70000, 0, 255)', "44 44 4464 0 0xff"),
        ('printf("100%% %", 1)', "100% "),
    ],
)
def test_print(source: Callable[..., Path], call: str, printed: str) -> None:
    text = f"#include <cuda_runtime.h>\n__global__ void k() {{ {call}; }}\n"
    text += "int main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }"
    assert host.run(build.program([source(text)], checked=False)).output == printed


@pytest.mark.slow
def test_widths_of_a_billion_cost_nothing(source: Callable[..., Path]) -> None:
    text = '__global__ void k() { printf("%999999999d %.999999999f", 1, 1.0); }\n'
    text += "int main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }"
    assert len(host.run(build.program([source(text)], checked=False)).output) < 5000


@pytest.mark.slow
def test_the_number_that_printf_gives_is_no_way_to_read_memory(source: Callable[..., Path]) -> None:
    text = """
__global__ void k(const float* x, float* y) {
  y[0] = printf("%d %d", 1, 2);
  y[1] = printf(reinterpret_cast<const char*>(x));
}
"""
    x = Array("x", memoryview(bytearray(b"%d%d%d%d" + bytes(56))))
    _, y = arrays()
    launch(build.kernels([source(text)], checked=True), "k", (1, 1, 1), (1, 1, 1), [x, y])
    assert np.frombuffer(y.data, np.float32)[:2].tolist() == [2.0, -1.0]


@pytest.mark.slow
def test_no_variable_is_a_constant_by_its_name(source: Callable[..., Path]) -> None:
    text = """
__device__ char format[16] asm(".rodata");
__global__ void k(float* y) { format[0] = '%'; format[1] = 'd'; y[0] = printf(format); }
"""
    _, y = arrays()
    launch(build.kernels([source(text)], checked=True), "k", (1, 1, 1), (1, 1, 1), [y])
    assert np.frombuffer(y.data, np.float32)[0] == -1.0


@pytest.mark.slow
def test_more_parameters_than_a_module_may_have(source: Callable[..., Path]) -> None:
    text = f"__global__ void k({', '.join(f'int p{n}' for n in range(1100))}) {{}}"
    with pytest.raises(Unsupported, match="params"):
        build.kernels([source(text)], checked=True)


@pytest.mark.slow
def test_local_memory_begins_as_nan_in_the_first_block_too(source: Callable[..., Path]) -> None:
    text = (
        "__global__ void k(const float* x, float* y, int count, float by) {"
        " float mine[32]; if (count == 65) for (int i = 0; i < 32; ++i) mine[i] = by;"
        " mine[(count * 7) % 32] += by; y[threadIdx.x] = mine[count % 32]; }"
    )
    x, y = arrays()
    launch(build.kernels([source(text)], checked=True), "k", (1, 1, 1), (64, 1, 1), [x, y, 33, 0.5])
    assert np.isnan(np.frombuffer(y.data, np.float32)).all()


@pytest.mark.slow
def test_a_parameter_with_too_little_room_is_a_problem(source: Callable[..., Path]) -> None:
    text = "__global__ void k(const float* x, float* y, short count, float by) { y[0] = count; }"
    built = build.kernels([source(text)], checked=True)
    with pytest.raises(SimulatorError, match="2 bytes has no room for 100003"):
        launch(built, "k", (1, 1, 1), (1, 1, 1), [*arrays(), 100003, 0.5])


@pytest.mark.slow
def test_a_name_of_thousands_of_digits_is_no_fault_of_ours(source: Callable[..., Path]) -> None:
    text = f'extern "C" __global__ void _ZN{"9" * 5000}(float* y) {{ y[0] = 1; }}'
    assert len(build.kernels([source(text)], checked=True).kernels) == 1


@pytest.mark.slow
def test_no_thread_sees_how_often_another_one_asks_for_the_time(
    source: Callable[..., Path],
) -> None:
    text = (
        "__global__ void k(const float* x, float* y) {"
        " for (int i = 0; i < 100 * threadIdx.x; ++i) clock64();"
        " long long before = clock64(); y[threadIdx.x] = clock64() - before; y[2] = before; }"
    )
    x, y = arrays()
    built = build.kernels([source(text)], checked=True)
    launch(built, "k", (1, 1, 1), (2, 1, 1), [x, y], order="reverse")
    assert np.frombuffer(y.data, np.float32)[:3].tolist() == [32.0, 32.0, 32.0]
