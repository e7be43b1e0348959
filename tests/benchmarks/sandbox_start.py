"""What the sandbox adds to the start of a process: `python tests/benchmarks/sandbox_start.py`.

Times `python -c pass` from the call to its end, as a plain child and in the sandbox, in turns. Each
sandbox is complete: namespaces, mounts, filter, control groups, watchdog, and the cleanup.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hotloop.sandbox.cgroup import places
from hotloop.sandbox.confinement import Confinement
from hotloop.sandbox.launch import launch
from hotloop.sandbox.level import level

TARGET_MS = 25.0
PROGRAM = (sys.executable, "-c", "pass")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=40)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    arguments = parser.parse_args()
    isolation, reason = level()
    if isolation == "none":
        raise SystemExit(f"nothing to measure: {reason}")
    result = measure(arguments.repeats)
    print(json.dumps(result, indent=2) if arguments.json else _table(result))


def measure(repeats: int) -> dict[str, Any]:
    """Return milliseconds of both, measured in turns so that a slow moment affects both."""
    plain, confined, added = [], [], []
    for _ in range(repeats):
        plain.append(_milliseconds(_run_plain))
        confined.append(_milliseconds(_run_confined))
        added.append(confined[-1] - plain[-1])
    groups = places()
    return {
        "program": "python -c pass",
        "repeats": repeats,
        "launched_by": "root" if os.geteuid() == 0 else "plain user",
        "freezing_by": f"cgroup v{groups.freezer.version}" if groups.freezer else "signals",
        "memory_by": f"cgroup v{groups.memory.version}" if groups.memory else "watchdog",
        "cores": os.cpu_count(),
        "load_1min": round(os.getloadavg()[0], 2),
        "plain_ms": _summary(plain),
        "sandbox_ms": _summary(confined),
        "added_ms": _summary(added),
        "target_ms": TARGET_MS,
        "within_target": statistics.median(added) <= TARGET_MS,
    }


def _run_plain() -> None:
    subprocess.run(PROGRAM, check=True, stdin=subprocess.DEVNULL, cwd="/")


def _run_confined() -> None:
    confined = launch(
        Confinement(
            argv=PROGRAM,
            environment={},
            read_only={},
            writable={},
            files=Path(__file__).parent,
            memory_bytes=1 << 30,
            processes=64,
            tmp_bytes=64 << 20,
            wall_s=60.0,
            output_bytes=1 << 20,
        )
    )
    if confined.wait() != 0:
        raise SystemExit(f"the confined process failed: {confined.output().decode()}")


def _milliseconds(run: Callable[[], None]) -> float:
    start = time.perf_counter()
    run()
    return (time.perf_counter() - start) * 1e3


def _summary(samples: list[float]) -> dict[str, float]:
    p20, *_, p80 = statistics.quantiles(samples, n=5)
    return {
        "p20": round(p20, 2),
        "median": round(statistics.median(samples), 2),
        "p80": round(p80, 2),
    }


def _table(result: dict[str, Any]) -> str:
    circumstances = (
        f"{result['program']}, {result['repeats']} times each, started by {result['launched_by']}; "
        f"freezing by {result['freezing_by']}, memory by {result['memory_by']}; "
        f"{result['cores']} cores, load {result['load_1min']}"
    )
    lines = [circumstances, f"{'':10}{'p20':>9}{'median':>9}{'p80':>9}"]
    for name in ("plain", "sandbox", "added"):
        row = result[f"{name}_ms"]
        lines.append(f"{name:10}{row['p20']:9.1f}{row['median']:9.1f}{row['p80']:9.1f}  ms")
    verdict = "within" if result["within_target"] else "over"
    lines.append(f"{verdict} the target of {result['target_ms']:g} ms added")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
