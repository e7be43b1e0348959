"""CUDA C++ kernels compile for the given GPUs, without register spills and with wide loads.

nvcc runs on the learner's file alone, in a sandboxed process that has no access to other files and
does not run the learner's Python code. A source may include any file that the compiler can read,
and error messages quote included text. So the learner sees only diagnostics about their own file or
the toolkit's headers.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, ClassVar

from hotloop.core.verdict import Ruling, Verdict
from hotloop.engines.nvcc import compile as compiling
from hotloop.engines.nvcc import figures, toolchain
from hotloop.engines.nvcc.compile import Compilation, Compiled, CompiledKernel, Diagnostic
from hotloop.engines.nvcc.sass import Code, widest
from hotloop.engines.nvcc.toolchain import DISASSEMBLER_REMEDY, Toolchain
from hotloop.engines.simulate.problem import ToolMissing
from hotloop.judge.author_guard import Check
from hotloop.judge.candidate import CUDA, Kind
from hotloop.judge.checks.kernel_process import kernel_process
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import WorkerConnection, readable

_REPLY_S = 30.0
"""Seconds beyond nvcc's own time limit: for starting the process and disassembling machine code."""

_KEPT = 16
"""Compilations that a judge process remembers: tasks that share a file come one after the other."""

_RECENT = 100
"""Compute capabilities from here on are unknown to releases of nvcc that are still in use."""

_TEXT_LIMIT = 3000
_NAME_LIMIT = 120
_SHOWN = 40


@dataclass(frozen=True)
class CudaCompiles(Check):
    """The task's kernel must compile for every target and meet limits on resources.

    kernels: names of the kernels to check instead of the task's; every instance of a template
        counts.
    targets: compute capabilities, 80 for sm_80.
    block: threads per block, for the occupancy; such a launch must be possible.
    dynamic_shared_bytes: dynamic shared memory of the launch.
    max_spill_bytes: maximum bytes of register spills of a kernel; None only reports them.
    min_load_bytes: minimum width of a kernel's widest load from global memory (a tail may be
        narrower); None only reports it.
    instructions: opcodes that each kernel must have in its machine code, such as `HGMMA`.
    include: more folders with headers of the check.
    """

    fits: ClassVar[frozenset[Kind]] = CUDA
    kernels: tuple[str, ...] = ()
    targets: tuple[int, ...] = compiling.CAPABILITIES
    block: int = 256
    dynamic_shared_bytes: int = 0
    max_spill_bytes: int | None = 0
    min_load_bytes: int | None = None
    instructions: tuple[str, ...] = ()
    include: tuple[Path, ...] = ()
    after: tuple[str, ...] | None = field(default=("correct",), kw_only=True)
    timeout_s: float = 60.0

    def __post_init__(self) -> None:
        """Raise ValueError if there is nothing to compile for."""
        super().__post_init__()
        if not self.targets:
            raise ValueError("`targets` of CudaCompiles is empty")

    def __call__(self, session: Session) -> str:
        """Compile the file once for each target, unless this process has for another task."""
        file, source = session.candidate.file or "", session.source()
        kernels = self.kernels or (session.candidate.name,)
        named = replace(self, kernels=tuple(map(session.called, kernels)))
        tools = _toolchain(self.targets, disassembles=bool(self.instructions))
        compiled: list[Compiled] = []
        with ExitStack() as stack:

            @cache
            def worker() -> WorkerConnection:
                return stack.enter_context(kernel_process(session, "nvcc_compile", {}))

            for target in self.targets:
                session.progress(f"compiling {file} for sm_{target}")
                timeout_s = session.timeout(self.timeout_s)
                job = compiling.job(tools, target, timeout_s, include=self.include)
                outcome = _compile(file, source, {**job, "capabilities": self.targets}, worker)
                self._require_compiled(session, outcome, tools, timeout_s)
                compiled.append(outcome.compiled())
        return _Ruled(named, file, compiled).sentence(session)

    def _require_compiled(
        self, session: Session, outcome: Compilation, tools: Toolchain, timeout_s: float
    ) -> None:
        file = session.candidate.file or ""
        if outcome.ended != "done":
            verdict = Verdict.TIMEOUT if outcome.ended == "timeout" else Verdict.OUTPUT_LIMIT
            raise Ruling(verdict, compiling.failure(outcome, timeout_s))
        headers = (*tools.headers, *self.include)
        if not all(_known(path, headers) for path in outcome.read or ()):
            sentence = (
                f"{file} includes a file that is no header of CUDA or C++: "
                "it has to compile by itself, so put what it needs into it."
            )
            raise Ruling(Verdict.COMPILE_ERROR, sentence)
        if outcome.succeeded:
            return
        # Those of other files may be shown only if it is known which files the compiler read.
        reported = [
            diagnostic
            for diagnostic in outcome.diagnostics()
            if diagnostic.failure and (outcome.read is not None or diagnostic.file in (None, file))
        ]
        sentence = f"It does not compile for sm_{outcome.capability}"
        if reported:
            # Show an error in the file itself before an error in a header.
            first = next((d for d in reported if d.file == file), reported[0])
            sentence = f"{_place(first, file)}: {sentence}: {readable(first.message, 300)}"
        texts = [d.text if outcome.read is not None else d.text.splitlines()[0] for d in reported]
        messages = readable("\n".join(texts), _TEXT_LIMIT)
        session.note(target=f"sm_{outcome.capability}", messages=messages)
        raise Ruling(Verdict.COMPILE_ERROR, f"{sentence}.")


@dataclass(frozen=True)
class _Ruled:
    """The verdict about the compiled kernels."""

    check: CudaCompiles
    file: str
    compiled: Sequence[Compiled]
    """For each target."""

    def sentence(self, session: Session) -> str:
        """Record the figures of all kernels; raise Ruling if one of them breaks a limit."""
        fault = (
            self._absent()
            or self._without_instructions()
            or self._not_launchable()
            or self._serialized()
            or self._spilled()
            or self._narrow_loads()
        )
        session.note(kernels=[self._figures(k, code) for k, code in self.named[:_SHOWN]])
        if fault is not None:
            raise Ruling(*fault)
        return self._praise()

    @cached_property
    def named(self) -> list[tuple[CompiledKernel, Code]]:
        """The instances of the kernels to check, with what their accesses were read from."""
        return [
            (kernel, compiled.code)
            for compiled in self.compiled
            for kernel in compiled.kernels
            if kernel.resources.base_name in self.check.kernels
        ]

    def _absent(self) -> tuple[Verdict, str] | None:
        for compiled in self.compiled:
            there = {kernel.resources.base_name for kernel in compiled.kernels}
            for kernel in self.check.kernels:
                if kernel not in there:
                    return Verdict.WRONG_ANSWER, (
                        f"{self.file} compiles, but has no kernel `{kernel}` for "
                        f"sm_{compiled.capability}: a template becomes one only where it is "
                        "launched or instantiated."
                    )
        return None

    def _without_instructions(self) -> tuple[Verdict, str] | None:
        for kernel, _ in self.named:
            absent = [code for code in self.check.instructions if code not in kernel.opcodes]
            if absent:
                return Verdict.WRONG_ANSWER, (
                    f"The machine code of {_called(kernel)} has no {' and no '.join(absent)}: "
                    "ptxas found no use for the instruction, or you have not asked for it."
                )
        return None

    def _not_launchable(self) -> tuple[Verdict, str] | None:
        for kernel, _ in self.named:
            fit = figures.fits(kernel, self.check.block, self.check.dynamic_shared_bytes)
            if fit is not None and fit.blocks == 0:
                used = kernel.resources
                shared = used.shared_bytes + self.check.dynamic_shared_bytes
                return Verdict.COMPILE_ERROR, (
                    f"{_called(kernel)} cannot be launched with {fit.block} threads a block: its "
                    f"{used.registers} registers a thread and {shared:,} bytes of shared memory "
                    f"are too much of {' and '.join(fit.limits)}. "
                    f"Say __launch_bounds__({fit.block}), or use less."
                )
        return None

    def _serialized(self) -> tuple[Verdict, str] | None:
        for kernel, _ in self.named:
            if kernel.loss:
                return Verdict.TOO_SLOW, (
                    f"ptxas gives up the pipeline of {_called(kernel)}: "
                    f"{readable(kernel.loss, 300)}. Between a product and its wait nothing else "
                    "uses the sums, and functions with products are inlined."
                )
        return None

    def _spilled(self) -> tuple[Verdict, str] | None:
        most = self.check.max_spill_bytes
        worst = max((k for k, _ in self.named), key=lambda k: k.resources.spill_bytes)
        spilled = worst.resources.spill_bytes
        if most is None or spilled <= most:
            return None
        return Verdict.TOO_SLOW, (
            f"{_called(worst)} spills {spilled} bytes of registers to memory, {most} are allowed: "
            "unroll less, keep fewer values alive, or allow more registers in __launch_bounds__."
        )

    def _narrow_loads(self) -> tuple[Verdict, str] | None:
        least = self.check.min_load_bytes
        if least is None:
            return None
        worst, code = min(self.named, key=lambda pair: widest(pair[0].accesses, "load"))
        width = widest(worst.accesses, "load")
        if width >= least:
            return None
        if width == 0 and code == "PTX":
            # In PTX, the loads of a function that was not inlined are outside of the kernel.
            return Verdict.TOO_SLOW, (
                f"Loads of {_called(worst)} were not found in its PTX, where those of a function "
                "that was not inlined stand apart: declare functions that load __forceinline__."
            )
        return Verdict.TOO_SLOW, (
            f"{_called(worst)} loads {width} bytes a thread with its widest instruction, "
            f"{least} are asked for{_lines(worst)}: load a float4 (or as many bytes of another "
            "type) through a pointer to a multiple of 16 bytes, and only a tail one by one."
        )

    def _praise(self) -> str:
        kernels = [kernel for kernel, _ in self.named]
        targets = ", ".join(f"sm_{target}" for target in self.check.targets)
        registers = max(k.resources.registers for k in kernels)
        spilled = max(k.resources.spill_bytes for k in kernels)
        narrow = min(widest(k.accesses, "load") for k in kernels)
        fits = [figures.fits(k, self.check.block, self.check.dynamic_shared_bytes) for k in kernels]
        shares = [fit.share for fit in fits if fit is not None]
        text = (
            f"Compiles for {targets}: at most {registers} registers a thread, {spilled} bytes "
            f"spilled, widest loads of {narrow} bytes or more"
        )
        if shares:
            text += (
                f", occupancy at least {min(shares):.0%} with {self.check.block} threads a block"
            )
        return f"{text}."

    def _figures(self, kernel: CompiledKernel, code: Code) -> dict[str, Any]:
        used = kernel.resources
        fit = figures.fits(kernel, self.check.block, self.check.dynamic_shared_bytes)
        figure = figures.figures(kernel, self.check.block, self.check.dynamic_shared_bytes)
        return {
            "kernel": readable(used.name, _NAME_LIMIT),
            "target": f"sm_{used.capability}",
            "registers": used.registers,
            "spill_store_bytes": used.spill_store_bytes,
            "spill_load_bytes": used.spill_load_bytes,
            "stack_bytes": used.stack_bytes,
            "shared_bytes": used.shared_bytes,
            "occupancy": None if fit is None else round(fit.share, 4),
            "load_bytes": widest(kernel.accesses, "load"),
            "store_bytes": widest(kernel.accesses, "store"),
            "accesses_from": code,
            "instructions": sorted(kernel.opcodes.intersection(self.check.instructions)),
            "sentences": [f.sentence for f in figure],
        }


def _toolchain(targets: Sequence[int], *, disassembles: bool) -> Toolchain:
    try:
        tools = toolchain.find()
    except ToolMissing as missing:
        raise Ruling(Verdict.NOT_MEASURED, str(missing)) from None
    if disassembles and tools.nvdisasm is None:
        sentence = f"nvdisasm is missing, to read machine code: {DISASSEMBLER_REMEDY}"
        raise Ruling(Verdict.NOT_MEASURED, sentence)
    newest = max(targets)
    if newest >= _RECENT and newest not in tools.capabilities():
        sentence = f"nvcc {tools.version()} does not compile for sm_{newest}: install CUDA 13."
        raise Ruling(Verdict.NOT_MEASURED, sentence)
    return tools


def _compile(
    file: str, source: str, job: Mapping[str, Any], worker: Callable[[], WorkerConnection]
) -> Compilation:
    request = {"op": "compile", "name": file, "source": source, **job}
    key = json.dumps({**request, "timeout_s": None}, sort_keys=True, default=str)
    if key in _compiled:
        return _compiled[key]
    reply = worker().request(request, job["timeout_s"] + _REPLY_S)
    try:
        compilation = compiling.read(file, job["capability"], reply)
    except ToolMissing as missing:
        raise Ruling(Verdict.NOT_MEASURED, str(missing)) from None
    except (AttributeError, KeyError, TypeError, ValueError):
        raise Ruling(
            Verdict.TAMPERED, "The compiler's answer does not keep to the protocol."
        ) from None
    if compilation.ended == "done":
        while len(_compiled) >= _KEPT:
            _compiled.pop(next(iter(_compiled)))
        _compiled[key] = compilation
    return compilation


_compiled: dict[str, Compilation] = {}
"""By request: the latest compilations of this process, which depend on nothing else."""


def _known(read: str, allowed: Sequence[Path]) -> bool:
    if "/" not in read:
        # A file in the compilation's folder, which contains only the learner's file.
        return True
    path = Path(read).resolve()
    return any(path.is_relative_to(folder.resolve()) for folder in allowed)


def _place(diagnostic: Diagnostic, file: str) -> str:
    name = diagnostic.file.rpartition("/")[2] if diagnostic.file is not None else file
    name = readable(name, _NAME_LIMIT)
    return name if diagnostic.line is None else f"{name}, line {diagnostic.line}"


def _called(kernel: CompiledKernel) -> str:
    used = kernel.resources
    return f"`{readable(used.name, _NAME_LIMIT)}` on sm_{used.capability}"


def _lines(kernel: CompiledKernel) -> str:
    lines = sorted({line for a in kernel.accesses if a.did == "load" for line in a.lines})
    if not lines:
        return ""
    return f" (line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines[:6]))})"
