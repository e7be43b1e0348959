"""What the simulator in a page reads: archives, made from this clone and Zig's library.

- `python.zip`: the simulator's part of Hotloop, with the checker, compiled;
- `accelerator.zip`: the simulated accelerators, which are plain Python;
- `compiler.zip`: the headers and libraries that programs are compiled with;
- `judge.zip`: the checks of the tasks that are judged in a page, and the judge.
"""

import json
import re
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import wasmtime

import hotloop
from hotloop.engines.simulate import build, toolchain
from hotloop.engines.simulate.toolchain import machine
from hotloop.tasks import practice

PACKAGE = Path(hotloop.__file__).parent
ACCELERATOR = PACKAGE / "engines" / "accelerator"
NPM = json.loads(Path(__file__).with_name("package.json").read_text(encoding="utf-8"))
"""The page's packages of npm."""

_PACKAGES = ("core", "engines/simulate", "worker/include")
_MODULES = ("__init__.py", "engines/__init__.py", "worker/__init__.py", "worker/cuda_tools.py")
_STANDARD = (
    "algorithm", "array", "bitset", "cassert", "cctype", "cfloat", "chrono", "cinttypes", "climits",
    "cmath", "complex", "csignal", "cstddef", "cstdint", "cstdio", "cstdlib", "cstring", "ctime",
    "deque", "functional", "initializer_list", "iomanip", "iostream", "iterator", "limits", "list",
    "map", "memory", "numeric", "optional", "queue", "random", "set", "sstream", "stdexcept",
    "string", "string_view", "tuple", "type_traits", "unordered_map", "unordered_set", "utility",
    "variant", "vector", "sys/resource.h", "sys/time.h", "unistd.h",
)  # fmt: skip
"""Headers of the C++ library that a program in a page may include."""


def version() -> str:
    """Return what is compiled with: a part of the key of each program that was built before."""
    clang = NPM["dependencies"]["@yowasp/clang"]
    return f"clang {clang}, zig {machine.version()}"


def python_files() -> Iterator[tuple[str, bytes]]:
    """Yield path and content of each file of Python's side."""
    for folder in _PACKAGES:
        for file in sorted((PACKAGE / folder).rglob("*")):
            if file.is_file() and file.suffix != ".pyc":
                yield f"hotloop/hotloop/{file.relative_to(PACKAGE)}", file.read_bytes()
    for name in _MODULES:
        yield f"hotloop/hotloop/{name}", (PACKAGE / name).read_bytes()
    checker, glue = build.trusted_modules()
    yield "simulator/trusted/checker.cwasm", checker
    yield "simulator/trusted/glue.cwasm", bytes(wasmtime.wat2wasm(glue))


def accelerator_files() -> Iterator[tuple[str, bytes]]:
    """Yield path and content of each file of the simulated accelerators."""
    names = ["__init__.py", "engines/__init__.py"]
    names += [f"engines/accelerator/{file.name}" for file in sorted(ACCELERATOR.glob("*.py"))]
    for name in names:
        yield f"hotloop/hotloop/{name}", (PACKAGE / name).read_bytes()


def judge_files(modules: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of each file that only judging reads."""
    others = {path for path, _ in python_files()}
    for file in practice.package_files(modules):
        if (path := f"hotloop/hotloop/{file.relative_to(PACKAGE)}") not in others:
            yield path, file.read_bytes()


def compiler_files() -> Iterator[tuple[str, bytes]]:
    """Yield path and content of each header and library."""
    root = (machine.zig().parent / "lib").resolve()
    for header in sorted(_headers()):
        if header.is_relative_to(root):
            yield f"zig/lib/{header.relative_to(root)}", header.read_bytes()
    for name in build.LIBRARIES:
        yield f"simulator/libraries/{name}", machine.library(name).read_bytes()


def _headers() -> set[Path]:
    """Return every header that a program reads which includes all that there is."""
    own = [
        name
        for file in sorted(toolchain.INCLUDE.rglob("*.h"))
        if not (name := str(file.relative_to(toolchain.INCLUDE))).startswith("hotloop")
        and not file.read_text(encoding="utf-8").count("#error")  # of what is not simulated
    ]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "all.cu"
        lines = (f"#include <{name}>\n" for name in (*_STANDARD, *own))
        source.write_text("".join(lines), encoding="utf-8")
        texts = [
            toolchain.expanded([*options, *toolchain.headers()], source) for options in build.READS
        ]
    names = {
        name for text in texts for name in re.findall(r'^# \d+ "(/[^"]+)"', text, re.MULTILINE)
    }
    return {Path(name).resolve() for name in names}


def write(target: Path, modules: Iterable[str] = ()) -> None:
    """Write the archives into a folder. modules: those with tasks that are judged in a page."""
    target.mkdir(parents=True, exist_ok=True)
    for name, files in (
        ("python", python_files()),
        ("accelerator", accelerator_files()),
        ("compiler", compiler_files()),
        ("judge", judge_files(modules)),
    ):
        with zipfile.ZipFile(target / f"{name}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for path, content in files:
                # Without a date: the same content gives the same archive.
                archive.writestr(zipfile.ZipInfo(path), content, zipfile.ZIP_DEFLATED)
