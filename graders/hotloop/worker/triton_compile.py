"""Compiles vetted kernels for GPUs that need not be present, and reads the compiler's output.

`python -m hotloop.worker.triton_compile --fd N`; no other code of the learner runs in it.
"""

import ast
import inspect
import io
import os
import re
import tempfile
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from hotloop.core.wire import Message
from hotloop.worker import triton_source
from hotloop.worker.serve import Worker, serve_as_process
from hotloop.worker.triton_modules import language

_MESSAGE_LIMIT = 300
_DIAGNOSTICS_LIMIT = 1 << 16
_WARP_THREADS = 32

_WGMMA_F16 = r"wgmma\.mma_async[\w.]*\.f32\.(?:f16\.f16|bf16\.bf16)"
"""PTX of tensor-core products of 16-bit tiles by a warp group, accumulated in float32."""

_FIGURES: Mapping[str, str] = {
    "registers": r"Used (\d+) registers",
    "spill_store_bytes": r"(\d+) bytes spill stores",
    "spill_load_bytes": r"(\d+) bytes spill loads",
    "stack_bytes": r"(\d+) bytes stack frame",
}


class TritonCompiler(Worker):
    """Answers the request `compile`: one kernel for one target."""

    def on_compile(self, message: Message, _fds: list[int]) -> Message:
        """Compile one kernel; return its `figures`, or a `fault` with type, message and line.

        `source`: vetted text; `kernel`: its name; `arguments`: as in a launch plan; `aligned`:
        pointers aligned to 16 bytes; `capability`: e.g. 80; `num_warps`, `num_stages`.
        """
        module = triton_source.load(message["source"])
        log = io.StringIO()
        with _native_errors() as diagnostics:
            try:
                with redirect_stdout(log):
                    compiled = _compile(getattr(module, message["kernel"]), message)
            except Exception as error:  # noqa: BLE001 - whatever a compiler raises is reported
                return {"fault": _describe(error, diagnostics(), module)}
        return {"figures": _figures(compiled, log.getvalue())}


def _compile(kernel: Any, message: Message) -> Any:
    triton = import_module("triton")
    gpu_target = import_module("triton.backends.compiler").GPUTarget
    options = {"num_warps": message["num_warps"], "num_stages": message["num_stages"]}
    target = gpu_target("cuda", message["capability"], _WARP_THREADS)
    return triton.compile(_specialized(kernel, message), target=target, options=options)


def _specialized(kernel: Any, message: Message) -> Any:
    """Return the kernel specialized for these arguments, with the hints a GPU launch derives."""
    source = import_module("triton.compiler").ASTSource
    values = {name: _value(argument) for name, argument in message["arguments"].items()}
    bound = inspect.signature(kernel.fn).bind(**values)
    bound.apply_defaults()
    signature: dict[str, str] = {}
    constants: dict[str, Any] = {}
    attributes: dict[tuple[int, ...], list[list[Any]]] = {}
    for index, parameter in enumerate(kernel.params):
        value = bound.arguments[parameter.name]
        if parameter.is_constexpr or value is None or (type(value) is int and value == 1):
            signature[parameter.name] = "constexpr"
            constants[parameter.name] = value
            continue
        signature[parameter.name] = _signature_type(value)
        if parameter.name in message["aligned"] or (type(value) is int and value % 16 == 0):
            attributes[(index,)] = [["tt.divisibility", 16]]
    return source(kernel, signature=signature, constexprs=constants, attrs=attributes)


@dataclass(frozen=True)
class _Pointer:
    dtype: str


def _value(argument: Message) -> Any:
    if "value" in argument:
        return argument["value"]
    if "float" in argument:
        return float(argument["float"])
    if "type" in argument:
        return language().str_to_ty(argument["type"], None)
    return _Pointer(argument["dtype"])


def _signature_type(value: Any) -> str:
    if isinstance(value, _Pointer):
        return f"*{value.dtype}"
    if isinstance(value, bool):
        return "u1"
    if isinstance(value, float):
        return "fp32"
    if not isinstance(value, int):
        raise TypeError(f"an argument of type {type(value).__name__} must be tl.constexpr")
    if -(1 << 31) <= value < 1 << 31:
        return "i32"
    return "i64" if value < 1 << 63 else "u64"


def _figures(compiled: Any, log: str) -> Message:
    """Return sizes in bytes, registers per thread and spilled bytes as ptxas reports them."""
    matches = {name: re.search(pattern, log) for name, pattern in _FIGURES.items()}
    return {
        "ptx_bytes": len(compiled.asm["ptx"]),
        "cubin_bytes": len(compiled.asm["cubin"]),
        "shared_bytes": int(compiled.metadata.shared),
        "wgmma_f16": len(re.findall(_WGMMA_F16, compiled.asm["ptx"])),
        **{name: int(match[1]) for name, match in matches.items() if match is not None},
    }


def _describe(error: Exception, diagnostics: str, module: ModuleType) -> Message:
    """Return the first diagnostic that has a line: Triton's front end's, else the compiler's."""
    kind = import_module("triton.compiler.errors").CompilationError
    cause: BaseException = error
    while cause.__cause__ is not None and isinstance(cause.__cause__, kind):
        cause = cause.__cause__
    line = None
    message = str(cause)
    if isinstance(cause, kind):
        line = _line_in_module(cause, module)
        message = str(cause.__cause__ or "") or getattr(cause, "error_message", None) or ""
    backend = re.search(r"hotloop_kernels\.py:(\d+):\d+: error: (.*)", diagnostics)
    if backend is not None and (line is None or not message.strip()):
        line, message = int(backend[1]), backend[2]
    wrapped = re.fullmatch(r"""\w+\((['"])(.*)\1\)""", message.strip(), re.DOTALL)
    message = message if wrapped is None else wrapped[2]
    first = next((text for text in message.splitlines() if text.strip()), type(cause).__name__)
    return {"type": type(cause).__name__, "message": first[:_MESSAGE_LIMIT], "line": line}


@contextmanager
def _native_errors() -> Generator[Callable[[], str]]:
    """Collect what native code writes to this process's standard error.

    Yields a function that returns the text so far.
    """
    with tempfile.TemporaryFile() as collected:
        original = os.dup(2)
        os.dup2(collected.fileno(), 2)
        try:
            yield lambda: os.pread(collected.fileno(), _DIAGNOSTICS_LIMIT, 0).decode(
                errors="replace"
            )
        finally:
            os.dup2(original, 2)
            os.close(original)


def _line_in_module(error: Any, module: ModuleType) -> int | None:
    """Return the error's line in the module, or None if unknown.

    The error has a line relative to its function, so that function is looked up in the module.
    """
    inside = getattr(error.node, "lineno", None)
    if inside is None or error.src is None or module.__file__ is None:
        return None
    name = error.src.partition("(")[0].removeprefix("def ").strip()
    for statement in ast.parse(Path(module.__file__).read_text()).body:
        if isinstance(statement, ast.FunctionDef) and statement.name == name:
            return statement.lineno + inside - 1
    return None


def main() -> None:
    """Serve the judge. TRITON_INTERPRET is removed and Triton's compile cache is not used."""
    os.environ.pop("TRITON_INTERPRET", None)
    os.environ["TRITON_CACHE_DIR"] = str(triton_source.temporary_folder())
    os.environ["TRITON_ALWAYS_COMPILE"] = "1"
    os.environ["TRITON_DUMP_PTXAS_LOG"] = "1"
    serve_as_process(TritonCompiler({}))


if __name__ == "__main__":
    main()
