"""What starting a confined kernel costs: `python tests/benchmarks/kernel_start.py [--json]`.

From the call until the kernel has answered, executed behind bubblewrap and forked by a zygote, in
turns, so that a slow moment hits both. CPU time is that of the sandbox's processes when the kernel
answers, and what this process has used meanwhile. Each kernel then runs one cell, timed too: what
was not imported before is imported there. `--modules numpy torch` has the zygote import these
beforehand, and the cell import them.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hotloop.course.kernel import ConfinedKernel, Launch, Limits
from hotloop.judge.launcher import worker_environment
from hotloop.sandbox import processes
from hotloop.sandbox.cgroup import places
from hotloop.sandbox.launch import launch
from hotloop.sandbox.level import level
from hotloop.sandbox.zygote.forked import ForkedProcess
from hotloop.sandbox.zygote.zygote import KERNEL, Zygote

TARGET_READY_MS, TARGET_CPU_MS = 60.0, 40.0


@dataclass(frozen=True)
class Start:
    """One kernel: milliseconds, and MiB that are its own."""

    ready_ms: float
    cpu_ms: float
    owner_cpu_ms: float
    cell_ms: float
    own_mib: float


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What starting a confined kernel costs.")
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--modules", nargs="*", default=[], metavar="MODULE")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    arguments = parser.parse_args()
    isolation, reason = level()
    if isolation == "none":
        raise SystemExit(f"nothing to measure: {reason}")
    result = measure(arguments.repeats, arguments.modules)
    print(json.dumps(result, indent=2) if arguments.json else _table(result))


def measure(repeats: int, modules: list[str]) -> dict[str, Any]:
    """Both ways in turns. The zygote's own start is given apart."""
    cell = "".join(f"import {name}\n" for name in modules) or "pass"
    with tempfile.TemporaryDirectory() as folder, Zygote((*KERNEL, *modules)) as zygote:
        files = Path(folder)
        (files / "answer.py").write_text("x = 1\n", encoding="utf-8")
        first = _start(files, zygote.launch, cell, forked=True)
        pairs = [
            (
                _start(files, launch, cell, forked=False),
                _start(files, zygote.launch, cell, forked=True),
            )
            for _ in range(repeats)
        ]
    executed, forked = (_summaries(starts) for starts in zip(*pairs, strict=True))
    groups = places()
    return {
        "repeats": repeats,
        "cell_imports": modules,
        "launched_by": "root" if os.geteuid() == 0 else "plain user",
        "memory_by": f"cgroup v{groups.memory.version}" if groups.memory else "watchdog",
        "cores": os.cpu_count(),
        "load_1min": round(os.getloadavg()[0], 2),
        "niceness": os.getpriority(os.PRIO_PROCESS, 0),
        "first_with_zygotes_start_ms": round(first.ready_ms, 1),
        "executed": executed,
        "forked": forked,
        "cpu_ratio": round(executed["cpu_ms"]["median"] / forked["cpu_ms"]["median"], 1),
        "target_ready_ms": TARGET_READY_MS,
        "target_cpu_ms": TARGET_CPU_MS,
        "within_targets": forked["ready_ms"]["median"] <= TARGET_READY_MS
        and forked["cpu_ms"]["median"] <= TARGET_CPU_MS,
    }


def _start(files: Path, way: Launch, cell: str, *, forked: bool) -> Start:
    owner, begin = time.process_time(), time.perf_counter()
    with ConfinedKernel(files, way, Limits(), environment=worker_environment(1)) as kernel:
        ready = time.perf_counter() - begin
        owner = time.process_time() - owner
        used = kernel.process.freezer.usage().cpu_ns
        if isinstance(kernel.process, ForkedProcess) != forked:
            raise SystemExit("the zygote does not serve here")
        begin = time.perf_counter()
        status, _ = kernel.execute(cell)
        took = time.perf_counter() - begin
        if status != "ok":
            raise SystemExit(f"the cell failed: {cell}")
        tree = processes.tree(kernel.process.pid)
        own = sum(map(processes.proportional_bytes, tree))
    return Start(ready * 1e3, used / 1e6, owner * 1e3, took * 1e3, own / (1 << 20))


def _summaries(starts: tuple[Start, ...]) -> dict[str, dict[str, float]]:
    return {name: _summary([vars(start)[name] for start in starts]) for name in vars(starts[0])}


def _summary(samples: list[float]) -> dict[str, float]:
    p20, *_, p80 = statistics.quantiles(samples, n=5)
    return {
        "p20": round(p20, 1),
        "median": round(statistics.median(samples), 1),
        "p80": round(p80, 1),
    }


def _table(result: dict[str, Any]) -> str:
    circumstances = (
        f"{result['repeats']} kernels each way, in turns, by {result['launched_by']}; memory by "
        f"{result['memory_by']}; {result['cores']} cores, load {result['load_1min']}, "
        f"niceness {result['niceness']}; cell imports: {result['cell_imports'] or 'nothing'}"
    )
    lines = [
        circumstances,
        f"the first one, with the zygote's own start: {result['first_with_zygotes_start_ms']} ms",
        f"{'median (p20-p80)':18}{'executed':>26}{'forked':>26}",
    ]
    for name in result["forked"]:
        cells = (result[way][name] for way in ("executed", "forked"))
        texts = (f"{c['median']:.1f} ({c['p20']:.1f}-{c['p80']:.1f})" for c in cells)
        lines.append(f"{name:18}" + "".join(f"{text:>26}" for text in texts))
    verdict = "within" if result["within_targets"] else "over"
    lines.append(
        f"{verdict} the targets of {TARGET_READY_MS:g} ms and {TARGET_CPU_MS:g} ms CPU; "
        f"{result['cpu_ratio']} times less CPU"
    )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
