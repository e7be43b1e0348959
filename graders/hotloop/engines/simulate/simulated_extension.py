"""Builds a PyTorch operator whose kernels run in the simulator.

The host code becomes a native library, in which a launch is a call of the simulator.
"""

import platform
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path

from hotloop.engines.simulate import build, operators, toolchain
from hotloop.engines.simulate import cache as store
from hotloop.engines.simulate.problem import SimulatorError, ToolMissing
from hotloop.engines.simulate.pytorch import DEFINES, headers, link_options, pytorch
from hotloop.engines.simulate.toolchain import machine

_SUPPORT = Path(__file__).with_name("operator.c")
_TARGET = f"{platform.machine()}-unknown-linux-gnu"
_HOST = (
    f"--target={_TARGET}", "-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib",
    "-std=c++17", "-O2", "-fPIC", "-fdeclspec", "-w", *build.DEFINES,
    # Compile launches to the calls that runtime.h defines.
    "-Xclang", "-target-sdk-version=9.0",
    # For a GPU target clang would declare its own built-in functions, which our headers define.
    "-Xclang", "-aux-triple", "-Xclang", _TARGET,
    # Register kernels and variables by their own names; the GPU binary can be any file.
    "-fuse-cuid=none", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", str(_SUPPORT),
    "-isystem", str(toolchain.INCLUDE), "-include", "cuda_runtime.h",
)  # fmt: skip
_WRAPPED = (
    "aoti_torch_get_data_ptr",
    "torch_get_mutable_data_ptr",
    "torch_get_const_data_ptr",
    "aoti_torch_library_init_impl",
)
"""PyTorch functions that operator.c wraps."""


def load_simulated(path: Path) -> None:
    """Load an operator like `extension.load`, without a GPU."""
    with ThreadPoolExecutor() as pool:
        library = pool.submit(_host_library, path)
        built = build.kernels([path], checked=True, include=headers(), defines=DEFINES)
    operators.refuse_pointers(built)
    pytorch().ops.load_library(str(library.result()))
    operators.connect(built, library.result())


def _host_library(source: Path) -> Path:
    """Compile the host code to a native library. Raises ToolMissing if there is no g++."""
    if sys.platform != "linux":
        raise SimulatorError("PyTorch operators in CUDA C++ are simulated on Linux only")
    compiler = shutil.which("g++")
    if compiler is None:
        raise ToolMissing(
            "g++ is missing, and PyTorch operators are linked with its C++ library: "
            "sudo apt-get install g++"
        )
    options = [
        *_HOST, "-isystem", str(machine.zig().parent / "lib" / "include"),
        *(f"-I{folder}" for folder in headers()), *(f"-D{name}" for name in DEFINES), str(source),
    ]  # fmt: skip

    def make(target: Path) -> None:
        with tempfile.TemporaryDirectory() as temporary:
            code = str(Path(temporary) / "host.o")
            machine.native([*options, "-c", "-o", code])
            command = [compiler, "-shared", "-fPIC", "-O2", "-fvisibility=hidden", code]
            command += ["-x", "c", str(_SUPPORT), "-o", str(target), "-Wl,-Bsymbolic"]
            command += [f"-Wl,--wrap={name}" for name in _WRAPPED]
            machine.call([*command, *link_options("-Wl,-rpath,")])

    text = machine.native([*options, "-E"])
    versions = [metadata.version("torch"), *link_options("")]
    return store.get_or_make(
        f"operator-{store.digest([build.own_digest(), *versions, text])}.so", make
    )
