"""PyTorch operators in CUDA C++: right results, and messages about wrong kernels."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from hotloop.engines.simulate import extension, operators, pytorch
from hotloop.engines.simulate.problem import CompileError, SimulatorError, ToolMissing

OPERATORS = Path(__file__).parent / "operators"
WRONG = OPERATORS / "wrong.cu"

pytestmark = pytest.mark.skipif(
    torch.cuda.is_available(), reason="with a GPU, operators are compiled for it"
)


@pytest.fixture(scope="module")
def right() -> Any:
    """The operators of right.cu."""
    extension.load(OPERATORS / "right.cu")
    return torch.ops.hotloop_right


@pytest.fixture(scope="module")
def loaded() -> Any:
    """The operators of wrong.cu."""
    extension.load(WRONG)
    return torch.ops.hotloop_wrong


@pytest.fixture
def wrong(loaded: Any) -> Any:
    """As `loaded`, without an error that another test has left."""
    loaded.reset(torch.zeros(1))
    return loaded


def line_of(mark: str) -> str:
    """Return a position in wrong.cu, in the format of messages."""
    rows = WRONG.read_text(encoding="utf-8").splitlines()
    return f"wrong.cu:{1 + next(n for n, row in enumerate(rows) if f'// LINE: {mark}' in row)}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "x",
    [
        torch.arange(100.0),
        torch.arange(300.0)[7::3],
        torch.arange(40.0).reshape(5, 8)[:, 3],
        torch.arange(12.0)[4:4],
    ],
    ids=["contiguous", "offset and stride", "column", "empty"],
)
def test_a_view_of_a_storage(right: Any, x: torch.Tensor) -> None:
    if x.numel():
        torch.testing.assert_close(right.scale(x, 2.5), 2.5 * x)
    else:  # a grid of 0 blocks
        with pytest.raises(RuntimeError, match="invalid configuration argument"):
            right.scale(x, 2.5)


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
def test_two_outputs_of_a_template(right: Any, dtype: torch.dtype) -> None:
    x = torch.arange(64).to(dtype) * (1 << 20)
    first, second = right.split(x)
    torch.testing.assert_close(first, x[::2])
    torch.testing.assert_close(second, x[1::2])


def test_pointers_into_one_storage_share_it(right: Any) -> None:
    x = torch.arange(33.0)
    right.shift_left(x[1:])
    assert list(x) == [0.0, *range(2, 33), 32.0]


def test_memory_of_the_operators_own(right: Any) -> None:
    x = torch.randn(500, dtype=torch.float64)
    assert right.sum(x) == pytest.approx(x.sum().item())


def test_variables_of_the_device_stay(right: Any) -> None:
    x = torch.zeros(1)
    assert right.weighed(x).tolist() == [1, 2, 3, 4, 11, 101]
    right.set_weights(torch.tensor([5.0, 6.0, 7.0, 8.0]))
    assert right.weighed(x).tolist() == [5, 6, 7, 8, 1, 102]
    assert right.count_calls(x) == 1


@pytest.mark.slow
def test_loading_it_again_changes_nothing(right: Any) -> None:
    before = right.count_calls(torch.zeros(1))
    right.weighed(torch.zeros(1))
    extension.load(OPERATORS / "right.cu")
    assert right.count_calls(torch.zeros(1)) == before + 1


def test_a_struct_of_numbers_is_passed(right: Any) -> None:
    x = torch.arange(8.0)
    right.line(x)
    assert list(x) == [2 * i + 1 for i in range(8)]


def test_what_a_kernel_prints(right: Any, capsys: pytest.CaptureFixture[str]) -> None:
    right.greet(torch.zeros(1))
    assert capsys.readouterr().out == "hello from 0\nhello from 1\n"


def test_a_launch_by_functions_of_the_runtime(right: Any) -> None:
    x = torch.zeros(100)
    right.launched_by_functions(x)
    assert x.tolist() == [18.0] * 100
    with pytest.raises(RuntimeError, match=r"CUDA error: invalid configuration argument"):
        right.checked_by_pytorch(x)
    with pytest.raises(RuntimeError, match="long or size_t among its parameters: launch it by"):
        right.sized_otherwise(x)


def test_every_function_that_only_pytorch_for_cuda_has_is_simulated() -> None:
    include = pytorch.headers()[0] / "torch" / "csrc"
    simulated = Path(pytorch.__file__).with_name("operator.c").read_text(encoding="utf-8")
    missing: list[str] = []
    for header in ("stable/c/shim.h", "inductor/aoti_torch/c/shim.h"):
        text = (include / header).read_text(encoding="utf-8")
        for block in re.findall(r"#ifdef USE_CUDA\n(.*?)#endif", text, re.DOTALL):
            names = re.findall(r"AOTI_TORCH_EXPORT\s+\w+\s+(\w+)\(", block)
            assert names
            missing += [name for name in names if f" {name}(" not in simulated]
    assert missing == []


@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")
def test_memory_that_is_only_read_may_be_read_only(right: Any, tmp_path: Path) -> None:
    np.arange(64, dtype=np.float32).tofile(tmp_path / "numbers")
    x = torch.as_tensor(np.memmap(tmp_path / "numbers", np.float32, "r"))
    torch.testing.assert_close(right.scale(x, 1.0), torch.arange(64.0))


def test_host_code_may_ask_for_memory_of_the_cpus(right: Any) -> None:
    assert right.on_cpu(torch.zeros(3)).tolist() == [7.0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "mark", "text"),
    [
        (
            "beyond",
            "fill",
            "bytes, just past the end of the tensor's storage of 64 bytes",
        ),
        (
            "of_host",
            "fill",
            "Out-of-bounds write of 4 bytes, in memory of the host, which a kernel cannot reach",
        ),
        ("null", "fill", "Out-of-bounds write of 4 bytes, at the null pointer"),
        (
            "freed",
            "fill",
            "Out-of-bounds write of 4 bytes, in memory of the host, which a kernel cannot reach",
        ),
        ("fails", "stop", "assert"),
        ("forever", "turn", "The kernel did not end within 0.5 s"),
    ],
)
def test_an_error_tells_the_line(
    wrong: Any, name: str, mark: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operators, "TIMEOUT_S", 0.5)
    x = torch.zeros(16)
    with pytest.raises(RuntimeError) as raised:
        getattr(wrong, name)(x)
    assert text in str(raised.value)
    assert line_of(mark) in str(raised.value)
    with pytest.raises(RuntimeError, match="nothing: "):  # as on a GPU, nothing works after it
        wrong.nothing(x)


def test_what_a_gpu_would_not_notice_is_told_once(
    wrong: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    x = torch.ones(128)
    wrong.race(x)
    wrong.race(x)
    said = capsys.readouterr().err
    assert said.startswith(f"{line_of('race')}: ")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("too_large", "8589934592 does not fit into the 32 bits"),
        ("other_layout", "a struct has 16 bytes in host code and 8 in the simulator"),
        ("too_many", "invalid configuration argument"),
        ("copies_too_much", "invalid argument"),
        ("texture", "no textures and surfaces in PyTorch operators"),
    ],
)
def test_a_launch_that_cannot_begin(wrong: Any, name: str, text: str) -> None:
    with pytest.raises(RuntimeError, match=text):
        getattr(wrong, name)(torch.zeros(16))
    wrong.nothing(torch.zeros(16))  # this error does not stay


@pytest.mark.slow
def test_a_struct_with_a_pointer_is_refused(source: Callable[..., Path]) -> None:
    text = """
struct Inner { int count; float* data; };
struct Outer { int more; Inner inner; };
__global__ void scale(Outer of, float by) { of.inner.data[threadIdx.x] *= by; }
void host(Outer of) { scale<<<1, of.inner.count>>>(of, 2); }
"""
    with pytest.raises(SimulatorError, match="`scale` takes a struct with a pointer in it"):
        extension.load(source(text))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["long*", "const unsigned long*", "size_t*"])
def test_a_pointer_to_numbers_of_another_size_is_refused(
    kind: str, source: Callable[..., Path]
) -> None:
    text = f"""
template <int N> __global__ void PlN({kind} from, int64_t* to) {{ to[N] = from[threadIdx.x]; }}
void host({kind} from, int64_t* to) {{ PlN<12><<<1, 1>>>(from, to); }}
"""
    with pytest.raises(
        SimulatorError, match=r"`PlN<12>` takes a pointer to long or size_t.*use int64_t"
    ):
        extension.load(source(text))


@pytest.mark.slow
def test_a_variable_of_another_size_is_refused(source: Callable[..., Path]) -> None:
    text = """
__device__ float* where;
__global__ void scale() { where[threadIdx.x] *= 2; }
void host(float* data) { cudaMemcpyToSymbol(where, &data, sizeof data); scale<<<1, 1>>>(); }
"""
    with pytest.raises(
        SimulatorError, match="`where` has 8 bytes in host code and 4 in the simulator"
    ):
        extension.load(source(text))


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["__global__ void f(int* x) { x[0] = y; }\n", "void host() { unknown(); }\n"],
    ids=["kernel", "host code"],
)
def test_the_compilers_own_message(text: str, source: Callable[..., Path]) -> None:
    with pytest.raises(CompileError, match=r"program\.cu:1:\d+: error"):
        extension.load(source(text))


@pytest.mark.slow
def test_without_a_linker(source: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ToolMissing, match="apt-get install g"):
        extension.load(source("void host() {}\n"))


def test_a_gpu_needs_nothing_of_the_simulator() -> None:
    code = "import sys, hotloop.engines.simulate.extension; sys.exit('wasmtime' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
