"""Builds a PyTorch operator in CUDA C++ and loads it: for a GPU, or for the simulator without one.

The source is the same. It uses PyTorch's stable ABI, so that it compiles in seconds. In the
simulator the CPU is the device: `is_cuda()` is true of its tensors, and what registers for the key
CUDA registers for the CPU. Kernels are checked as they run: what is found is printed, and ends in
an error of the CUDA runtime where a GPU's memory would have been left.
"""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path
from typing import Any, cast

from hotloop.simulate import build, operators, toolchain
from hotloop.simulate import cache as store
from hotloop.simulate.problem import CompileError, Problem, ToolMissing
from hotloop.worker.cuda_extension import CompileFailed, nvcc
from hotloop.worker.cuda_tools import architecture

_NVCC_TIMEOUT_S = 200

_SUPPORT = Path(__file__).with_name("operator.c")
_TARGET = f"{platform.machine()}-unknown-linux-gnu"
_HOST = (
    f"--target={_TARGET}", "-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib",
    "-std=c++17", "-O2", "-fPIC", "-fdeclspec", "-w", *build.DEFINES,
    # A launch becomes the calls that runtime.h defines.
    "-Xclang", "-target-sdk-version=9.0",
    # For a GPU the compiler would know its built-in functions, which the headers define.
    "-Xclang", "-aux-triple", "-Xclang", _TARGET,
    # Kernels and variables are registered by their own names, beside some file of a GPU's code.
    "-fuse-cuid=none", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", str(_SUPPORT),
    "-isystem", str(toolchain.INCLUDE), "-include", "cuda_runtime.h",
)  # fmt: skip
_WRAPPED = (
    "aoti_torch_get_data_ptr",
    "torch_get_mutable_data_ptr",
    "torch_get_const_data_ptr",
    "aoti_torch_library_init_impl",
)
"""PyTorch's functions that _SUPPORT stands in front of."""
_DEFINES = ("USE_CUDA",)
"""PyTorch's headers then tell of its streams."""


def load(source: str | Path) -> None:
    """Compile `source` and load it; its operators are then in `torch.ops`.

    CompileError with the compiler's own message, ToolMissing without a compiler, Problem for what
    the simulator does not have.
    """
    torch = _torch()
    path = Path(source).resolve()
    if torch.cuda.is_available():
        torch.ops.load_library(str(_for_gpu(path)))
        return
    with ThreadPoolExecutor() as pool:
        library = pool.submit(_host_library, path)
        built = build.kernels([path], checked=True, include=_headers(), defines=_DEFINES)
    operators.refuse_pointers(built)
    torch.ops.load_library(str(library.result()))
    operators.connect(built, library.result())


def _host_library(source: Path) -> Path:
    """The host's half of the source as a library of this machine's."""
    if sys.platform != "linux":
        raise Problem("PyTorch operators in CUDA C++ are simulated on Linux only")
    compiler = shutil.which("g++")
    if compiler is None:
        raise ToolMissing(
            "g++ is missing, and PyTorch operators are linked with its C++ library: "
            "sudo apt-get install g++"
        )
    options = [
        *_HOST, "-isystem", str(toolchain.zig().parent / "lib" / "include"),
        *(f"-I{folder}" for folder in _headers()), *(f"-D{name}" for name in _DEFINES), str(source),
    ]  # fmt: skip

    def make(target: Path) -> None:
        with tempfile.TemporaryDirectory() as temporary:
            code = str(Path(temporary) / "host.o")
            toolchain.native([*options, "-c", "-o", code])
            command = [compiler, "-shared", "-fPIC", "-O2", "-fvisibility=hidden", code]
            command += ["-x", "c", str(_SUPPORT), "-o", str(target), "-Wl,-Bsymbolic"]
            command += [f"-Wl,--wrap={name}" for name in _WRAPPED]
            toolchain.call([*command, *_link_options("-Wl,-rpath,")])

    text = toolchain.native([*options, "-E"])
    versions = [metadata.version("torch"), *_link_options("")]
    return store.made(f"operator-{store.digest([build.own_digest(), *versions, text])}.so", make)


def _for_gpu(source: Path) -> Path:
    target = Path(tempfile.mkdtemp(prefix="operator-")) / f"{source.stem}.so"
    try:
        command = [
            *(
                nvcc(),
                "-O3",
                "-std=c++17",
                f"-arch={architecture()}",
                "-shared",
                "-Xcompiler",
                "-fPIC",
            ),
            *(f"-D{name}" for name in _DEFINES),
            *(f"-I{folder}" for folder in _headers()),
            *("-o", str(target), str(source), *_link_options("-Xlinker=-rpath=")),
            "-ltorch_cuda",
        ]
    except CompileFailed as missing:
        raise ToolMissing(str(missing)) from None
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=_NVCC_TIMEOUT_S
    )
    if done.returncode:
        raise CompileError((done.stderr or done.stdout).strip())
    return target


def _headers() -> list[Path]:
    base = Path(cast(str, _torch().__file__)).parent / "include"
    return [base, base / "torch" / "csrc" / "api" / "include"]


def _link_options(rpath: str) -> list[str]:
    folder = Path(cast(str, _torch().__file__)).parent / "lib"
    return [f"-L{folder}", f"{rpath}{folder}", "-ltorch_cpu", "-ltorch", "-lc10"]


def _torch() -> Any:
    """Imported late: the simulator itself needs no PyTorch."""
    import torch

    return torch
