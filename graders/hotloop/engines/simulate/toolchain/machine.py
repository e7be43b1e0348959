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
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
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
_SHIPPED = Path(__file__).parents[3] / "_data" / "simulator"
_NEEDED_BYTES = 120 << 20
_LICENSES = (
    "LICENSE",
    "lib/libc/musl/COPYRIGHT",
    "lib/libc/wasi/LICENSE",
    "lib/libc/wasi/LICENSE-APACHE",
    "lib/libc/wasi/LICENSE-APACHE-LLVM",
    "lib/libc/wasi/LICENSE-MIT",
    "lib/libcxx/LICENSE.TXT",
)
"""Of what the library is made of, in the wheel ziglang."""

_OBJECTS = 686
"""Files that Zig writes for the library."""

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
    return any((folder / FILE_STREAMS).exists() for folder in _places())


def library(name: str) -> Path:
    """Return one of `_LIBRARIES` or FILE_STREAMS. The first call builds all in about a minute."""
    return prepare() / name


def prepare(tell: Callable[[str], None] = lambda _text: None) -> Path:
    """Return the folder of the C and C++ library, which is built first where it is missing.

    One process builds, and others that want it wait. Raises SimulatorError with the reason if it
    cannot be built.

    tell: is told every second how much of it is built.
    """
    for folder in _places():
        if (folder / FILE_STREAMS).exists():
            with suppress(OSError):  # not its owner; the user's own is kept while it is used
                os.utime(folder)
            return folder
    from hotloop.core.whole_file import alone  # locks: what needs no lock needs no such system

    require_space()
    with _telling(tell), alone(store.folder() / f"{_entry()}.lock"):
        return store.get_or_make(_entry(), _build_libraries)


def ship(target: Path) -> None:
    """Put the library with its licenses where the wheel takes it from. `make wheel` calls it."""
    shutil.copytree(prepare(), target / _entry(), dirs_exist_ok=True)
    for name in _LICENSES:
        copy = target / "licenses" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(zig().parent / name, copy)


def _entry() -> str:
    return f"wasm-libraries-{version()}"


def _places() -> list[Path]:
    """Return the folders where the library can be: the wheel's, a judge's, and the user's own."""
    prebuilt = os.environ.get("HOTLOOP_SIMULATOR_PREBUILT")
    folders = [_SHIPPED, *([Path(prebuilt)] if prebuilt else []), store.folder()]
    return [folder / _entry() for folder in folders]


def require_space() -> None:
    """Raise ToolMissing if the library does not fit where it is built."""
    folder = store.folder()
    free = shutil.disk_usage(folder).free
    if free < _NEEDED_BYTES:
        raise ToolMissing(
            f"{folder} has {free >> 20} MB of free space, and building the C and C++ library takes "
            f"{_NEEDED_BYTES >> 20}: make room, or name another folder in HOTLOOP_SIMULATOR_CACHE."
        )


@contextmanager
def _telling(tell: Callable[[str], None]) -> Generator[None]:
    """Say every second how much is built, by the files that Zig has written, in any process."""
    start, end = time.monotonic(), threading.Event()

    def say() -> None:
        while not end.wait(1):
            written = sum(1 for _ in (store.folder() / "zig" / "o").glob("*"))
            share, seconds = min(99, 100 * written // _OBJECTS), time.monotonic() - start
            tell(
                "building its C and C++ library, once on this machine, about a minute: "
                f"{share} % after {seconds:.0f} s"
            )

    teller = threading.Thread(target=say, daemon=True)
    teller.start()
    try:
        yield
    finally:
        end.set()
        teller.join()


def _build_libraries(folder: Path) -> None:
    """Let Zig build the C and C++ library for an empty program, and keep the library files."""
    folder.mkdir()
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
        try:
            result = subprocess.run(
                command, capture_output=True, encoding="utf-8", check=False, cwd=temporary,
                timeout=PREPARE_TIMEOUT_S, env=_environment(),
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise ToolMissing(
                f"the C and C++ library was not built within {PREPARE_TIMEOUT_S} s"
            ) from None
        built = {Path(path).name: Path(path) for path in re.findall(r"\S+\.[ao]\b", result.stderr)}
        if result.returncode or not all(name in built for name in _LIBRARIES):
            raise ToolMissing(
                f"the C and C++ library was not built: {result.stderr[-400:].strip()}"
            )
        for name in _LIBRARIES:
            copy = _archive if name.endswith(".a") else shutil.copyfile
            copy(built[name], folder / name)
        _compile_file_streams(folder / FILE_STREAMS)


def _archive(source: Path, target: Path) -> None:
    """Copy an archive without the paths of its members: it is then equal on every machine."""
    members = call([str(zig()), "ar", "t", str(source)]).splitlines()
    call([str(zig()), "ar", "qcsD", str(target), *(member.rstrip("/") for member in members)])


def _compile_file_streams(target: Path) -> None:
    """Compile file streams, which Zig leaves out of its library for WebAssembly."""
    own = zig().parent / "lib" / "libcxx"
    arguments = ["-triple", TARGET, "-x", "c++", "-std=c++23", "-O2", "-emit-obj"]
    arguments += ["-mrelocation-model", "static", "-fgnuc-version=4.2.1"]
    arguments += ["-D_LIBCPP_BUILDING_LIBRARY", "-DLIBC_NAMESPACE=__llvm_libc_common_utils"]
    arguments += [f"-I{own / 'src'}", f"-I{own / 'libc'}", *headers()]
    clang([*arguments, str(own / "src" / "ios.instantiations.cpp"), "-o", str(target)])
