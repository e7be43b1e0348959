"""Checks in several orders: what counts as a change of the output, and what ends a run."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.engines.simulate import build, host
from hotloop.engines.simulate import check as checks
from hotloop.engines.simulate.check import check
from hotloop.engines.simulate.problem import SimulatorError, Unsupported

Source = Callable[..., Path]

HEAD = "#include <chrono>\n#include <cstdio>\n#include <cstdlib>\n"
LAST = """
__global__ void last(int* x) { atomicExch(x, static_cast<int>(blockIdx.x)); }
int value() {
  int *x, host = 0;
  cudaMalloc(&x, 4);
  cudaMemset(x, 0, 4);
  last<<<8, 1>>>(x);
  cudaMemcpy(&host, x, 4, cudaMemcpyDeviceToHost);
  return host;
}
"""


def kinds(path: Path) -> list[str]:
    return [f.kind for f in check([path]).report.findings]


@pytest.mark.slow
def test_a_result_that_depends_on_the_order_is_found(source: Source) -> None:
    path = source(HEAD + LAST + 'int main() { std::printf("%d\\n", value()); }')
    (finding,) = check([path]).report.findings
    assert finding.kind == "order"
    assert finding.text.endswith("forward and reverse differ: only the first prints '7'.")


@pytest.mark.slow
def test_it_is_found_beside_a_time_that_differs_always(source: Source) -> None:
    clock = "std::chrono::steady_clock::now().time_since_epoch().count()"
    printed = f'std::printf("took %ld\\n", static_cast<long>({clock}));'
    path = source(HEAD + LAST + f'int main() {{ std::printf("%d\\n", value()); {printed} }}')
    assert kinds(path) == ["order"]
    launched = "__global__ void k() {}\nint main() { k<<<1, 1>>>(); "
    path = source(f"{HEAD}{launched}{printed} }}", "time.cu")
    assert check([path]).clean


@pytest.mark.slow
def test_a_status_that_depends_on_the_order_is_found(source: Source) -> None:
    checked = check([source(HEAD + LAST + "int main() { return value() == 7; }")])
    assert [f.kind for f in checked.report.findings] == ["order"]
    assert not checked.clean


@pytest.mark.slow
def test_lines_in_another_order_are_the_same_output(source: Source) -> None:
    text = '__global__ void k() { printf("%d\\n", threadIdx.x); }\n'
    assert check([source(HEAD + text + "int main() { k<<<1, 40>>>(); }")]).clean


@pytest.mark.slow
def test_a_program_that_fails_is_not_clean(source: Source) -> None:
    checked = check([source("int main() { return 3; }")])
    assert checked.report.findings == []
    assert not checked.clean


@pytest.mark.slow
def test_a_program_that_never_ends_is_ended(source: Source) -> None:
    checked = check([source("int main() { for (volatile int i = 0;;) i = i + 1; }")], timeout_s=1)
    assert not checked.clean
    assert checked.report.ended == "timed out"
    assert len(checked.runs) == 1


@pytest.mark.slow
def test_an_unknown_order_is_refused(source: Source) -> None:
    built = build.program([source("int main() {}")], checked=False)
    with pytest.raises(ValueError, match="random:SEED"):
        host.run(built, order="sideways")


@pytest.mark.slow
def test_arguments_and_folder_reach_the_program(source: Source, tmp_path: Path) -> None:
    text = HEAD + 'int main(int n, char** a) { std::puts(a[n - 1]); std::fopen(a[1], "w"); }'
    built = build.program([source(text)], checked=False)
    done = host.run(built, ["made.txt", "two words"], cwd=tmp_path)
    assert done.output == "two words\n"
    assert (tmp_path / "made.txt").exists()


@pytest.mark.slow
def test_a_lost_device_answers_every_later_call(source: Source) -> None:
    text = (
        HEAD
        + """
__global__ void bad(int* x) { x[1000] = 1; }
__global__ void good(int* x) { x[0] = 1; }
int main() {
  int* x;
  cudaMalloc(&x, 4);
  bad<<<1, 1>>>(x);
  bool lost = cudaDeviceSynchronize() == cudaErrorIllegalAddress;
  good<<<1, 1>>>(x);
  lost &= cudaGetLastError() == cudaErrorIllegalAddress;
  lost &= cudaMemset(x, 0, 4) == cudaErrorIllegalAddress;
  cudaDeviceReset();
  return !(lost && cudaGetLastError() == cudaSuccess);
}
"""
    )
    done = host.run(build.program([source(text)], checked=True))
    assert done.status == 0
    assert [f.kind for f in done.report.findings] == ["out_of_bounds"]
    assert len(done.report.launches) == 1, "a lost device runs nothing"


@pytest.mark.slow
def test_an_error_that_was_peeked_at_was_asked_for(source: Source) -> None:
    text = (
        HEAD
        + """
__global__ void k() {}
int main() {
  k<<<0, 1>>>();
  return cudaPeekAtLastError() != cudaErrorInvalidConfiguration;
}
"""
    )
    checked = check([source(text)])
    assert checked.report.findings == []
    assert not checked.clean, "nothing was launched"


@pytest.mark.slow
def test_a_program_that_starts_a_thread_says_that_it_cannot(source: Source) -> None:
    text = "#include <pthread.h>\nvoid* f(void* x) { return x; }\n"
    main = "int main() { pthread_t t; pthread_create(&t, nullptr, f, nullptr); }"
    done = host.run(build.program([source(text + main)], checked=False))
    assert done.status
    (finding,) = done.report.findings
    assert finding.kind == "unsupported"
    assert "starts a thread" in finding.text


ALLOCATES = """
__global__ void k(int* x) { *x = 1; }
int main() {
  int *x = nullptr, host = 0;
  const bool fits = cudaMalloc(&x, 1500u << 20) == cudaSuccess;
  if (!fits && RETRIES) {
    cudaGetLastError();
    cudaMalloc(&x, sizeof *x);
  }
  k<<<1, 1>>>(x);
  cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost);
  return 1 - host;
}
"""


@pytest.mark.slow
def test_a_program_that_retries_with_less_memory_is_clean(source: Source) -> None:
    assert check([source(f"{HEAD}#define RETRIES true\n{ALLOCATES}")]).clean


@pytest.mark.slow
def test_an_allocation_that_does_not_fit_is_reported_with_its_size(source: Source) -> None:
    (finding,) = check([source(f"{HEAD}#define RETRIES false\n{ALLOCATES}")]).report.findings
    assert finding.kind == "out_of_memory"
    assert "cudaMalloc of 1,572,864,000 bytes failed" in finding.text


@pytest.mark.slow
@pytest.mark.parametrize(
    "call",
    [
        "calloc(3, 1u << 29)",
        "realloc(std::malloc(8), 3u << 29)",
        "mmap(nullptr, 3u << 29, 0, 0, -1, 0)",
    ],
)
def test_a_failed_allocation_of_host_code_is_reported(source: Source, call: str) -> None:
    text = f"int main() {{ char* volatile x = static_cast<char*>({call}); return x[5] = 1; }}"
    (finding,) = check([source(f"{HEAD}#include <sys/mman.h>\n{text}")]).report.findings
    assert finding.kind == "out_of_memory"
    assert "1,610,612,736 bytes failed" in finding.text


SUM = """
__global__ void sum(float* x) { atomicAdd(x, 0.1f + threadIdx.x * 0.37f); }
__global__ void last(float* x) {
  if (threadIdx.x % 32 == 0) atomicExch(x, STEP * threadIdx.x + 100);
}
int main() {
  float *x, host;
  cudaMalloc(&x, 4);
  cudaMemset(x, 0, 4);
  KERNEL<<<1, 1024>>>(x);
  cudaMemcpy(&host, x, 4, cudaMemcpyDeviceToHost);
  std::printf("sum FORMAT\\n", host);
}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kernel", "step", "form", "kinds_"),
    [
        ("sum", 0.0, "%.6f", []),
        ("sum", 0.0, "%.9g", []),
        ("sum", 0.0, "%a", ["order"]),
        ("last", 0.1, "%.6f", ["order"]),
        ("last", 0.1, "%.0f", ["order"]),
        ("last", 0.0000001, "%.6f", []),
    ],
)
def test_rounding_is_no_order(
    source: Source, kernel: str, step: float, form: str, kinds_: list[str]
) -> None:
    text = SUM.replace("KERNEL", kernel).replace("STEP", f"{step:.9f}f").replace("FORMAT", form)
    assert kinds(source(HEAD + text)) == kinds_


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("342.989532", "342.989502", True),
        ("342.99", "343.00", True),
        ("1.0", "1.1", False),
        ("0.001", "0.002", False),
        ("1e-3", "2e-3", False),
        ("-1.00001", "1.00001", False),
        ("123", "124", False),
        ("x 1.0000 2", "x 1.0001 3", False),
        ("1.2345e+06 nan", "1.2346e+06 nan", True),
    ],
)
def test_what_rounding_explains(one: str, other: str, same: bool) -> None:
    left = checks._without_rounding(Counter([one]), Counter([other]))  # pyright: ignore[reportPrivateUsage]
    assert (not left) == same


def test_a_rounded_line_explains_one_other(source: Source) -> None:
    left = checks._without_rounding(  # pyright: ignore[reportPrivateUsage]
        Counter({"1.00000": 2}), Counter({"1.00001": 1})
    )
    assert left == Counter({"1.00000": 1})


@pytest.mark.slow
def test_a_refused_launch_is_reported_with_its_line(source: Source) -> None:
    text = (
        "__global__ void k() {}\nint main() {\n  k<<<1, 2048>>>();\n  return cudaGetLastError();\n}"
    )
    report = check([source(text)]).report
    assert report.findings == []
    (refused,) = report.refused
    assert (str(refused.line), refused.block) == ("program.cu:3", (2048, 1, 1))
    assert "cudaErrorInvalidConfiguration" in refused.error


@pytest.mark.slow
def test_launches_with_spaces_are_launches_and_nothing_else_is(source: Source) -> None:
    text = """
template <class T> struct Of { T value; };
struct Out { template <class T> Out& operator<<(T) { return *this; } };
template <int N> __global__ void k(int* x) { Of<Of<int> > o{{N}}; *x = o.value.value; }
int main() {
  int *x, host;
  Out out;
  out.operator<< <int>(3);
  cudaMalloc(&x, 4);
  k<7> << <1, 1 >> > (x);
  cudaMemcpy(&host, x, 4, cudaMemcpyDeviceToHost);
  return host != 7;
}
"""
    assert check([source(text)]).clean


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "line", "said"),
    [
        ('asm volatile("mov.u32 %0, %%laneid;" : "=r"(*x));', 3, "inline PTX is not simulated"),
        ('asm("ex2.approx.f32 %0, %1;" : "=f"(*(float*)x) : "f"(1.f));', 3, "inline PTX is not"),
        ("unsigned long a = *x;\n*x = a >> 32;", 4, "use `unsigned long long`"),
        ("union { float4 v; float f[4]; } a;\nauto b = a;", 4, "copy a member, `a.v = b.v`"),
    ],
)
def test_what_is_not_there_is_refused_with_its_line(
    source: Source, code: str, line: int, said: str
) -> None:
    text = f"#include <cstdio>\n__global__ void k(int* x) {{\n{code}\n}}\nint main() {{}}"
    with pytest.raises(SimulatorError) as caught:
        build.program([source(text)], checked=True)
    assert f"program.cu:{line}:" in str(caught.value)
    assert said in str(caught.value)


MAPS = """#include <cuda.h>
struct Maps { CUtensorMap of[2]; };
__global__ void k(PARAMETER, CUtensorMap* out) { *out = MAP; }
int main() {}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("parameter", "named", "is_refused"),
    [
        ("const __grid_constant__ CUtensorMap map", "map", False),
        ("const __grid_constant__ Maps map", "map.of[1]", False),
        ("CUtensorMap map", "map", True),
        ("const __grid_constant__ CUtensorMap map, const Maps maps", "maps.of[1]", True),
    ],
)
def test_a_tensor_map_is_a_parameter_that_nobody_copies(
    source: Source, parameter: str, named: str, is_refused: bool
) -> None:
    text = MAPS.replace("PARAMETER", parameter).replace("MAP;", f"{named};")
    if not is_refused:
        build.program([source(text)], checked=True)
        return
    with pytest.raises(Unsupported, match=r"program.cu:3: a CUtensorMap parameter"):
        build.program([source(text)], checked=True)


@pytest.mark.slow
def test_clusters_are_refused_by_name(source: Source) -> None:
    text = "__global__ void __cluster_dims__(2) k() {}\nint main() { k<<<2, 1>>>(); }"
    with pytest.raises(SimulatorError, match="thread block clusters are not simulated"):
        build.program([source(text)], checked=True)


@pytest.mark.slow
def test_a_kernel_is_launched_by_a_configuration(source: Source) -> None:
    text = """
__global__ void k(int* x, float y) { x[blockIdx.x * blockDim.x + threadIdx.x] = y; }
int main() {
  int *x, host[64];
  cudaMalloc(&x, sizeof host);
  cudaLaunchAttribute a[1];
  a[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  cudaLaunchConfig_t c = {};
  c.gridDim = 2, c.blockDim = 32, c.attrs = a, c.numAttrs = 1;
  bool right = cudaLaunchKernelEx(&c, k, x, 3) == cudaSuccess;
  right &= cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess;
  for (int v : host) right &= v == 3;
  a[0].id = cudaLaunchAttributeClusterDimension;
  a[0].val.clusterDim = {2, 1, 1};
  right &= cudaLaunchKernelEx(&c, k, x, 3.0f) == cudaErrorNotSupported;
  cudaGetLastError();
  return !right;
}
"""
    assert check([source(text)]).clean


@pytest.mark.slow
def test_eight_bytes_across_a_size_t_are_explained(source: Source) -> None:
    text = """
__device__ size_t counter[2];
__global__ void k() { atomicAdd((unsigned long long*)&counter[1], 1ULL); }
int main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }
"""
    findings = check([source(text)]).report.findings
    assert findings
    assert all("they have 32 bits in the simulator" in f.text for f in findings)
