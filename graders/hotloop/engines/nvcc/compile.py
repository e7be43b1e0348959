"""Compiles a CUDA C++ file for several GPUs and parses the compiler's output."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hotloop.engines.nvcc import resources, sass
from hotloop.engines.nvcc.resources import Resources
from hotloop.engines.nvcc.sass import Code, SassAccess
from hotloop.engines.nvcc.toolchain import Toolchain
from hotloop.engines.simulate.problem import CompileError, ToolMissing

CAPABILITIES = (75, 80, 90)
TIMEOUT_S = 120.0

_HEAD = re.compile(
    r"""^(?:
      (?P<file>[^\s():][^():]*) (?: \((?P<line>\d{1,7})\) | :(?P<colon>\d{1,7}):\d+ ) :\s
      | ptxas\s(?P<ptx>\S+),\sline\s(?P<ptxline>\d{1,9});\s
      | (?P<tool>ptxas|nvcc|cicc|cudafe\+\+|nvlink)\s
      | At\ end\ of\ source:\s
    )(?P<kind>(?:catastrophic\ |fatal\ |internal\ )?error|fatal|warning|info|note|remark)\b
    [^:]*:\s(?P<message>.*)$""",
    re.VERBOSE | re.IGNORECASE,
)
_FAILURES = ("error", "fatal")
_LOSS = re.compile(
    r"\(C75\d\d\) Potential Performance Loss: ([^\n]{1,300}?) in the function '([\w$.]+)'"
)
"""What ptxas says of a kernel whose asynchronous products it cannot leave asynchronous."""


@dataclass(frozen=True)
class Diagnostic:
    """A compiler diagnostic.

    file, line: None if the compiler names none. failure: whether it is an error. text: as printed.
    """

    file: str | None
    line: int | None
    failure: bool
    message: str
    text: str


@dataclass(frozen=True)
class CompiledKernel:
    """One kernel for one GPU.

    opcodes: of the instructions that `nvcc_compile` passes on; empty without a disassembler.
    loss: why ptxas serializes its wgmma instructions; empty if it does not.
    """

    resources: Resources
    accesses: tuple[SassAccess, ...]
    opcodes: frozenset[str] = frozenset()
    loss: str = ""


@dataclass(frozen=True)
class Compiled:
    """nvcc's result for one GPU. code: what the accesses were read from, SASS or PTX."""

    capability: int
    kernels: tuple[CompiledKernel, ...]
    code: Code
    seconds: float


@dataclass(frozen=True)
class Compilation:
    """One run of the compiler, as the process that called nvcc reports it.

    ended: "done", "timeout" or "too_much". read: the files that nvcc read, None if unknown. places:
    source lines by PTX line. names: demangled names by symbol. sass: None without a disassembler.
    """

    source: str
    capability: int
    ended: str
    status: int
    log: str
    read: tuple[str, ...] | None
    places: Mapping[str, int] = field(default_factory=dict[str, int])
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    sass: str | None = None
    ptx: str = ""
    seconds: float = 0.0

    @property
    def succeeded(self) -> bool:
        """True if nvcc produced machine code."""
        return self.ended == "done" and self.status == 0

    def compiled(self) -> Compiled:
        """Return the kernels with their resources and memory accesses."""
        name = Path(self.source).name
        if self.sass is None:
            accesses = sass.from_ptx(self.ptx, name)
        else:
            accesses = sass.from_sass(self.sass, name)
        opcodes = sass.opcodes(self.sass or "")
        losses = {symbol: why for why, symbol in _LOSS.findall(self.log)}
        kernels = [
            CompiledKernel(
                used,
                accesses.get(used.symbol, ()),
                opcodes.get(used.symbol, frozenset()),
                losses.get(used.symbol, ""),
            )
            for used in resources.read(self.log, self.names)
            if used.capability == self.capability
        ]
        code: Code = "PTX" if self.sass is None else "SASS"
        return Compiled(self.capability, tuple(kernels), code, self.seconds)

    def diagnostics(self) -> list[Diagnostic]:
        """Return nvcc's diagnostics; those of inline PTX get the line of the CUDA source."""
        return [self._placed(diagnostic) for diagnostic in _diagnostics(self.log)]

    def _placed(self, diagnostic: Diagnostic) -> Diagnostic:
        """Replace the line of PTX that ptxas names by the line of the source."""
        number = re.match(r"ptxas \S+, line (\d+);", diagnostic.text)
        line = self.places.get(number[1]) if number is not None else None
        if line is None:
            return diagnostic
        text = f"{self.source}({line}): error: in inline PTX: {diagnostic.message}"
        return Diagnostic(self.source, line, diagnostic.failure, diagnostic.message, text)


def compile_files(
    source: Path,
    toolchain: Toolchain,
    capabilities: Sequence[int] = CAPABILITIES,
    *,
    include: Sequence[Path] = (),
    defines: Sequence[str] = (),
    timeout_s: float = TIMEOUT_S,
    on_progress: Callable[[str], None] = lambda _text: None,
) -> list[Compiled]:
    """Compile a trusted file as the current user, once per compute capability.

    Raises CompileError with nvcc's message if it fails.
    """
    from hotloop.worker import nvcc_compile  # exists on Linux only

    results: list[Compiled] = []
    for capability in capabilities:
        on_progress(f"compiling {source.name} for sm_{capability}")
        request = job(toolchain, capability, timeout_s, include=include, defines=defines)
        outcome = read(str(source), capability, nvcc_compile.compile_file(source, request))
        if not outcome.succeeded:
            raise CompileError(failure(outcome, timeout_s))
        results.append(outcome.compiled())
    return results


def job(
    toolchain: Toolchain,
    capability: int,
    timeout_s: float,
    *,
    include: Sequence[Path] = (),
    defines: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the request to `nvcc_compile` for one GPU, without the file."""
    return {
        "tools": toolchain.tools(),
        "capability": capability,
        "include": [str(path) for path in include],
        "defines": list(defines),
        "timeout_s": timeout_s,
    }


def read(source: str, capability: int, reply: Mapping[str, Any]) -> Compilation:
    """Parse a reply of `nvcc_compile`. Raises ToolMissing if the sandbox cannot see nvcc."""
    if "missing" in reply:
        raise ToolMissing(
            f"nvcc is at {str(reply['missing'])[:200]}, which a confined process cannot see: "
            "install it below /usr/local, or into this Python with pip"
        )
    files = reply["read"]
    return Compilation(
        source,
        capability,
        str(reply["ended"]),
        int(reply["status"]),
        str(reply["log"]),
        None if files is None else tuple(map(str, files)),
        {str(k): int(v) for k, v in reply["places"].items()},
        {str(k): str(v) for k, v in reply["names"].items()},
        None if reply["sass"] is None else str(reply["sass"]),
        str(reply["ptx"]),
        float(reply["seconds"]),
    )


def failure(outcome: Compilation, timeout_s: float) -> str:
    """Say why there is no machine code: nvcc's errors, or the limit that was exceeded."""
    if outcome.ended == "timeout":
        return (
            f"nvcc did not end within {timeout_s:.0f} s for sm_{outcome.capability}: "
            "look for templates or loops that unroll without end."
        )
    if outcome.ended == "too_much":
        return "nvcc printed more than is read: fix its first error."
    errors = [d.text for d in outcome.diagnostics() if d.failure]
    return "\n".join(errors) or outcome.log.strip() or f"nvcc ended with {outcome.status}."


def _diagnostics(log: str) -> list[Diagnostic]:
    """Split a log into diagnostics, each with the source excerpt that follows it."""
    diagnostics: list[Diagnostic] = []
    block: list[str] = []
    head: re.Match[str] | None = None

    def close() -> None:
        if head is not None:
            text = "\n".join(block).rstrip()
            line = head["line"] or head["colon"]
            number = int(line) if line else None
            is_failure = any(word in head["kind"].lower() for word in _FAILURES)
            message = head["message"].strip()
            diagnostics.append(Diagnostic(head["file"], number, is_failure, message, text))

    for row in log.splitlines():
        match = _HEAD.match(row)
        if match is not None or not row.strip():
            close()
            head, block = match, [row]
        else:
            block.append(row)
    close()
    return diagnostics
