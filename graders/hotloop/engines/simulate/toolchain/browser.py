"""The compiler in a page: clang and wasm-ld, which are WebAssembly themselves.

`hotloop_compiler` of the page's scripts has them, and the files that they read from Zig's library.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

from hotloop.engines.simulate.problem import CompileError, ToolMissing
from hotloop.engines.simulate.toolchain.target import header_options

# Modules of Pyodide alone, so their types are not known where this is checked.
js: Any = import_module("js")
ffi: Any = import_module("pyodide.ffi")

LIBRARIES = Path("/simulator/libraries")
ZIG = Path("/zig/lib")


def version() -> str:
    """Return the version of clang and of the library's files."""
    return str(js.hotloop_compiler.version)


def clang(arguments: Sequence[str]) -> str:
    """Run clang's frontend (`-cc1`). Raises CompileError with its message."""
    return _run("clang", ["-cc1", *arguments])


def link(arguments: Sequence[str]) -> str:
    """Run wasm-ld. Raises CompileError with its message."""
    return _run("wasm-ld", arguments)


def _run(tool: str, arguments: Sequence[str]) -> str:
    """Run a tool on the files that its arguments name, and fetch what it writes.

    Raises ToolMissing before the page has loaded the compiler.
    """
    if not hasattr(js.hotloop_compiler, "run"):
        raise ToolMissing("the compiler is not loaded")
    outputs = [after for option, after in pairwise(arguments) if option == "-o"]
    outputs += [a.removeprefix("-Map=") for a in arguments if a.startswith("-Map=")]
    named = [part for a in arguments for part in a.split(";") if part.startswith("/")]
    inputs = js.Map.new()
    for path in (Path(name) for name in named if name not in outputs):
        if path.is_relative_to("/hotloop") or path.is_relative_to("/zig"):
            continue  # the compiler has these
        for file in path.iterdir() if path.is_dir() else [path]:
            if file.is_file():
                inputs.set(str(file), ffi.to_js(file.read_bytes()))
    status, text, files = js.hotloop_compiler.run(
        ffi.to_js([tool, *arguments]), inputs, ffi.to_js(outputs)
    )
    if status:
        raise CompileError(str(text).strip())
    for name in outputs:
        Path(name).write_bytes(files.get(name).to_bytes())
    return str(text)


def headers() -> list[str]:
    """Return options that name the C and C++ headers."""
    return header_options(ZIG)


def expanded(options: Sequence[str], source: Path) -> str:
    """Return the source and the options: in a page nothing that it includes can change."""
    return "\n".join([*options, source.read_text(encoding="utf-8", errors="surrogateescape")])


def step() -> str:
    """Return the progress message for compiling."""
    return "compiling"


def has_libraries() -> bool:
    """True: they come with the page."""
    return True


def prepare(_tell: Callable[[str], None] = lambda _text: None) -> Path:
    """Return the folder of the C and C++ library."""
    return LIBRARIES


def library(name: str) -> Path:
    """Return the path of a library's file."""
    return LIBRARIES / name
