"""Rung: the kernels compile for given GPUs, whether or not one is here.

The kernels are compiled as a launch on a GPU would compile them: for the types, constants and
alignments of the recorded call. A process of ours does it, without the learner's Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from hotloop.judge.bench import Bench
from hotloop.judge.check import Candidate
from hotloop.judge.launch_plan import Launch, Pointer
from hotloop.judge.link import Link
from hotloop.judge.record import RungRecord
from hotloop.judge.rungs.correct import Case
from hotloop.judge.rungs.launches import Recorded, kernel_process, recorded
from hotloop.judge.verdict import Ruling, Verdict

SHARED_KIB: Mapping[int, int] = {75: 64, 80: 163, 86: 99, 89: 99, 90: 227, 100: 227, 120: 99}
"""Most shared memory of one block by compute capability (CUDA C++ Programming Guide, table
"Technical Specifications per Compute Capability")."""

ALIGNMENT = 16


@dataclass(frozen=True)
class Compiles:
    """Every kernel that a call launches compiles for every target.

    case: the call, made from a secret generator. targets: compute capabilities, 80 for sm_80.
    max_spill_bytes: of register spills a kernel may have; None reports them without judging.
    """

    case: Callable[[np.random.Generator], Case]
    targets: tuple[int, ...] = (80, 90)
    max_spill_bytes: int | None = None
    needs: tuple[str, ...] = ("correct",)
    timeout_s: float = 60.0

    def judge(self, name: str, candidate: Candidate, bench: Bench) -> RungRecord:
        """Record one call's launches, compile each kernel once for each target."""
        case = self.case(bench.seeds.generator())
        told = recorded(case, candidate, bench, min(self.timeout_s, bench.remaining_s))
        figures: list[dict[str, Any]] = []
        with kernel_process(bench, "triton_compile", {}) as link:
            for launch in _distinct(told.plan.launches):
                for target in self.targets:
                    bench.progress(f"compiling {launch.kernel} for sm_{target}")
                    timeout = min(self.timeout_s, bench.remaining_s)
                    figures.append(_compile(launch, target, told, link, timeout))
        return self._rule(name, figures)

    def _rule(self, name: str, figures: Sequence[dict[str, Any]]) -> RungRecord:
        evidence = {"kernels": list(figures)}
        spilled = max(f.get("spill_store_bytes", 0) for f in figures)
        if self.max_spill_bytes is not None and spilled > self.max_spill_bytes:
            sentence = (
                f"It compiles, but {spilled} bytes of registers spill to memory: "
                "use smaller blocks or more warps."
            )
            return RungRecord(name, Verdict.TOO_SLOW, sentence, evidence=evidence)
        targets = " and ".join(f"sm_{target}" for target in self.targets)
        registers = max(f.get("registers", 0) for f in figures)
        sentence = (
            f"Compiles for {targets}: {registers} registers a thread, {spilled} bytes spilled."
        )
        return RungRecord(name, Verdict.PASSED, sentence, 1.0, evidence=evidence)


def _compile(
    launch: Launch, target: int, told: Recorded, link: Link, timeout_s: float
) -> dict[str, Any]:
    claim = told.plan.to_message()["launches"][told.plan.launches.index(launch)]
    reply = link.request(
        {
            "op": "compile",
            "source": told.source.text,
            "kernel": launch.kernel,
            "arguments": claim["arguments"],
            "aligned": list(_aligned(launch)),
            "capability": target,
            "num_warps": launch.num_warps,
            "num_stages": launch.num_stages,
        },
        timeout_s,
    )
    if "fault" in reply:
        fault = cast(Mapping[str, Any], reply["fault"])
        place = told.source.place(fault.get("line"))
        raise Ruling(
            Verdict.COMPILE_ERROR,
            f"{place}: `{launch.kernel}` does not compile for sm_{target}: {fault['message']}",
        )
    figures = cast(dict[str, Any], reply["figures"])
    _require_shared_memory(launch, target, int(figures["shared_bytes"]))
    return {"kernel": launch.kernel, "target": f"sm_{target}", **figures}


def _require_shared_memory(launch: Launch, target: int, used: int) -> None:
    most = SHARED_KIB.get(target)
    if most is None or used <= most << 10:
        return
    raise Ruling(
        Verdict.COMPILE_ERROR,
        f"`{launch.kernel}` needs {used >> 10} KiB of shared memory, sm_{target} has {most} KiB "
        "a block: use smaller blocks or fewer stages.",
    )


def _distinct(launches: Sequence[Launch]) -> Iterator[Launch]:
    seen: set[str] = set()
    for launch in launches:
        key = repr(launch)
        if key not in seen:
            seen.add(key)
            yield launch


def _aligned(launch: Launch) -> Iterator[str]:
    """Pointers on 16-byte boundaries: the judge's buffers and the allocator's begin on one."""
    for name, argument in launch.arguments.items():
        if isinstance(argument, Pointer) and argument.offset % ALIGNMENT == 0:
            yield name
