"""The compiler: Zig's clang and wasm-ld from the wheel `ziglang`.

The wheel exists for Linux, macOS and Windows.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from hotloop.engines.simulate import cache as store
from hotloop.engines.simulate.problem import CompileError, ToolMissing
from hotloop.engines.simulate.toolchain.target import (
    FILE_STREAMS,
    PREPARE_TIMEOUT_S,
    TARGET,
    header_options,
)

TIMEOUT_S = 120
_LIBRARIES = (
    "crt1-command.o",
    "libc.a",
    "libzigc.a",
    "libc++.a",
    "libc++abi.a",
    "libcompiler_rt.a",
)


@cache
def zig() -> Path:
    """Return the path of zig. Raises ToolMissing if the wheel is not installed."""
    spec = importlib.util.find_spec("ziglang")
    if spec is None or not spec.submodule_search_locations:
        raise ToolMissing(
            "CUDA C++ needs the compiler from the wheel ziglang: "
            "python -m pip install 'hotloop[cuda]'"
        )
    name = "zig.exe" if sys.platform == "win32" else "zig"
    return Path(spec.submodule_search_locations[0]) / name


@cache
def version() -> str:
    """Return the version of zig."""
    return call([str(zig()), "version"]).strip()


def clang(arguments: Sequence[str]) -> str:
    """Run clang's frontend (`-cc1`). Raises CompileError with its message."""
    return call([str(zig()), "clang", "-cc1", *arguments])


def native(arguments: Sequence[str]) -> str:
    """Run clang's driver for this machine. Raises CompileError with its message."""
    return call([str(zig()), "clang", *arguments])


def link(arguments: Sequence[str]) -> str:
    """Run wasm-ld. Raises CompileError with its message."""
    return call([str(zig()), "wasm-ld", *arguments])


def call(command: Sequence[str]) -> str:
    """Return the output of a tool.

    Raises CompileError with its message if it fails or times out.
    """
    try:
        result = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
            errors="replace", check=False, timeout=TIMEOUT_S, env=_environment(),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise CompileError(f"compiling took more than {TIMEOUT_S} s") from None
    if result.returncode:
        raise CompileError(_COUNT.sub("", result.stderr or result.stdout).strip())
    return result.stdout


_COUNT = re.compile(r"^\d+ (error|warning)s?.* generated.*\n", re.MULTILINE)


def _environment() -> dict[str, str]:
    folder = str(store.folder() / "zig")
    return {**os.environ, "ZIG_GLOBAL_CACHE_DIR": folder, "ZIG_LOCAL_CACHE_DIR": folder}


def headers() -> list[str]:
    """Return options that name the C and C++ headers, as Zig's own driver does."""
    return header_options(zig().parent / "lib")


def expanded(options: Sequence[str], source: Path) -> str:
    """Return the source with everything it includes: a text that decides what is compiled of it."""
    return clang([*options, "-E", str(source)])


def step() -> str:
    """Return the progress message for compiling, which mentions a first-time library build."""
    if has_libraries():
        return "compiling"
    return "compiling; the first time with the C and C++ library, which takes a minute"


def has_libraries() -> bool:
    """True if the C and C++ library is built. Raises ToolMissing if zig is not installed."""
    return (store.folder() / f"libraries-{version()}" / FILE_STREAMS).exists()


def library(name: str) -> Path:
    """Return one of `_LIBRARIES` or FILE_STREAMS. The first call builds all in about a minute."""
    return store.get_or_make(f"libraries-{version()}/{name}", _build_libraries)


def _build_libraries(target: Path) -> None:
    """Let Zig build the C and C++ library for an empty program, and keep the library files."""
    folder = store.folder() / f"libraries-{version()}"
    with tempfile.TemporaryDirectory() as temporary:
        source = Path(temporary) / "empty.cpp"
        source.write_text("#include <iostream>\nint main() { std::cout << 1; }\n")
        command = [str(zig()), "build-exe", "-target", "wasm32-wasi", "-OReleaseFast", "-fstrip"]
        command += [
            "-lc",
            "-lc++",
            str(source),
            "--verbose-link",
            f"-femit-bin={temporary}/empty.wasm",
        ]
        result = subprocess.run(
            command, capture_output=True, encoding="utf-8", check=False, cwd=temporary,
            timeout=PREPARE_TIMEOUT_S, env=_environment(),
        )  # fmt: skip
        built = {Path(path).name: Path(path) for path in re.findall(r"\S+\.[ao]\b", result.stderr)}
        if result.returncode or not all(name in built for name in _LIBRARIES):
            raise CompileError(f"the C and C++ library were not built:\n{result.stderr[-2000:]}")
        folder.mkdir(exist_ok=True)
        built[FILE_STREAMS] = Path(temporary) / FILE_STREAMS
        _compile_file_streams(built[FILE_STREAMS])
        for name in (*_LIBRARIES, FILE_STREAMS):
            shutil.copyfile(built[name], target if name == target.name else folder / name)


def _compile_file_streams(target: Path) -> None:
    """Compile file streams, which Zig leaves out of its library for WebAssembly."""
    own = zig().parent / "lib" / "libcxx"
    arguments = ["-triple", TARGET, "-x", "c++", "-std=c++23", "-O2", "-emit-obj"]
    arguments += ["-mrelocation-model", "static", "-fgnuc-version=4.2.1"]
    arguments += ["-D_LIBCPP_BUILDING_LIBRARY", "-DLIBC_NAMESPACE=__llvm_libc_common_utils"]
    arguments += [f"-I{own / 'src'}", f"-I{own / 'libc'}", *headers()]
    clang([*arguments, str(own / "src" / "ios.instantiations.cpp"), "-o", str(target)])
