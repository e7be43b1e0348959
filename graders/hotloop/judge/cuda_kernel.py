"""A learner's CUDA kernel in the simulator, as the judge runs it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from hotloop.judge.bench import Bench
from hotloop.judge.calls import Arena, Call
from hotloop.judge.compare import Floats
from hotloop.judge.fault import JudgeFault
from hotloop.judge.link import Link, readable
from hotloop.judge.rungs.correct import Case, fill
from hotloop.judge.simulator_objects import prebuilt
from hotloop.judge.verdict import Ruling, Verdict

BUILD_TIMEOUT_S = 90.0

FATAL = {
    "out_of_bounds",
    "misaligned",
    "divergent_barrier",
    "divergent_warp",
    "bad_mask",
    "assert",
    "trap",
    "too_much_shared",
    "stack_overflow",
    "unchecked_error",
}
"""Findings after which a run is no answer."""


@dataclass(frozen=True)
class CudaKernel:
    """A kernel and how it is launched.

    name: the kernel's. file: the learner's. harness: a CUDA file of ours that declares the kernel
        and launches it from `hotloop_run(tensors, numbers)`. parameters: what the learner calls
        the tensors, the output last.
    """

    name: str
    file: str
    harness: Path
    parameters: tuple[str, ...]

    def numbers(self, case: Case) -> list[float]:
        """The output's extents, then the case's plain values."""
        plain = [float(a) for a in case.arguments if isinstance(a, int | float)]
        return [*map(float, case.out.shape), *plain]


@dataclass(frozen=True)
class Simulated:
    """One run: the answer, what was found, and what each line moved."""

    answer: Floats
    findings: Sequence[Mapping[str, Any]]
    sites: Sequence[Mapping[str, Any]]


class Simulator:
    """A process that holds the compiled kernel."""

    def __init__(self, kernel: CudaKernel, link: Link, bench: Bench) -> None:
        self.kernel = kernel
        self._link = link
        self._bench = bench

    def run(self, case: Case, timeout_s: float, order: str = "forward") -> Simulated:
        """Launch for a case. Ruling when the launch fails or a fault ends it."""
        arena = Arena([case.spec], seal_inputs=False)
        try:
            call = arena.calls[0]
            fill(call, case)
            call.poison_output(self._bench.seeds.pattern())
            self._link.map(arena.buffers)
            reply = self._link.request(self._launch(call, case, order), timeout_s)
            findings = _objects(reply.get("findings"))
            for finding in findings:
                if finding.get("kind") in FATAL:
                    raise Ruling(Verdict.RUNTIME_ERROR, sentence(finding))
            if reply.get("status") != 0:
                raise Ruling(
                    Verdict.RUNTIME_ERROR, f"The launch failed with error {reply.get('status')}."
                )
            answer = call.output_values()
            self._link.request({"op": "unmap"}, timeout_s)
            return Simulated(answer, findings, _objects(reply.get("sites")))
        finally:
            arena.close()

    def _launch(self, call: Call, case: Case, order: str) -> dict[str, Any]:
        places = [place for place in call.places if place is not None]
        return {
            "op": "launch",
            "tensors": [place.to_message() for place in (*places, call.out)],
            "writable": [len(places)],
            "names": list(self.kernel.parameters),
            "numbers": self.kernel.numbers(case),
            "order": order,
        }


def simulator(kernel: CudaKernel, bench: Bench) -> Simulator:
    """The learner's file, vetted and compiled in a sandbox of its own; once for all rungs.

    Ruling WRONG_ANSWER for a kernel without a body, COMPILE_ERROR for what does not compile or may
    not be in a checked file, NOT_MEASURED where there is no compiler.
    """
    return bench.shared(f"simulator of {kernel.name}", lambda: _compiled(kernel, bench))


def _compiled(kernel: CudaKernel, bench: Bench) -> Simulator:
    source = bench.files.read_text(kernel.file)
    if _is_untouched(source, bench.called(kernel.name)):
        raise Ruling(Verdict.WRONG_ANSWER, "Not attempted yet: the kernel's body is empty.")
    link = bench.trusted(
        prebuilt(bench.progress), program=("-m", "hotloop.cudasim.worker"), runs_kernels=True
    )
    link.deadline = bench.deadline
    bench.progress("compiling for the simulator")
    request = {
        "op": "build",
        "file": kernel.file,
        "source": source,
        "harness": bench.harness(kernel.harness),
    }
    reply = link.request(request, bench.patience(BUILD_TIMEOUT_S))
    if "fault" in reply:
        raise _refusal(kernel, cast(Mapping[str, Any], reply["fault"]))
    return Simulator(kernel, link, bench)


def _is_untouched(source: str, name: str) -> bool:
    """True when nothing but comments stands in the kernel's body."""
    code = re.sub(r"//[^\n]*|/\*.*?\*/", "", source, flags=re.DOTALL)
    return re.search(rf"\b{re.escape(name)}\s*\([^)]*\)\s*\{{\s*\}}", code) is not None


def sentence(finding: Mapping[str, Any]) -> str:
    """A finding as one sentence that begins with the lines it is about."""
    lines: list[str] = []
    for witness in _objects(finding.get("witnesses")):
        line = witness.get("line")
        if isinstance(line, dict):
            place = cast(Mapping[str, Any], line)
            lines.append(f"{readable(place.get('file'), 60)}:{readable(place.get('line'), 10)}")
    where = " and ".join(dict.fromkeys(lines))
    text = readable(finding.get("text"), 400)
    return f"{where}: {text}" if where else text


def _refusal(kernel: CudaKernel, fault: Mapping[str, Any]) -> Ruling:
    message = readable(fault.get("message"), 3000)
    if fault.get("kind") == "compile":
        return Ruling(Verdict.COMPILE_ERROR, f"It does not compile: {message}")
    line = fault.get("line")
    place = f"{kernel.file}, line {line}" if isinstance(line, int) else kernel.file
    return Ruling(Verdict.COMPILE_ERROR, f"{place}: {message}.")


def _objects(value: object) -> list[Mapping[str, Any]]:
    if not isinstance(value, list):
        raise JudgeFault("the simulator's answer does not keep to the protocol")
    return [cast(Mapping[str, Any], v) for v in cast(list[object], value) if isinstance(v, dict)]
