"""How long does reading a large trace take, and how much memory?

    python tests/benchmarks/trace_reading.py --megabytes 500

Writes a trace of that size: real events' fields, with shapes and stacks, on CPU and GPU, in steps.
Reads it in a process of its own, asks for the operators, draws the timeline, and prints seconds
(`cpu_s`: of all of it, without waiting for a processor) and the peak of that process's memory
beyond what it had before it read.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hotloop import trace

_CPU, _GPU = 4242, 0
_OPS = ("aten::conv2d", "aten::convolution", "aten::_convolution", "aten::cudnn_convolution")
_SHAPES = {
    "Input Dims": [[128, 64, 32, 32], [64, 64, 3, 3], [], [], [], [], []],
    "Input type": ["float", "float", "", "ScalarList", "ScalarList", "ScalarList", "Scalar"],
}


def write(path: Path, megabytes: float) -> int:
    """Write the trace and return how many events it has."""
    count, size = 0, 0
    with path.open("w", encoding="utf-8") as file:
        file.write('{"schemaVersion": 1, "deviceProperties": [], "traceEvents": [\n')
        for event in _events():
            text = json.dumps(event, indent=2)
            file.write(text if not count else f",\n{text}")
            count, size = count + 1, size + len(text)
            if size > megabytes * 1e6:
                break
        file.write('\n], "traceName": "benchmark"}')
    return count


def _events() -> Iterator[dict[str, Any]]:
    now, step = 4_427_067_236_365.153, 0
    while True:
        started = now
        for layer in range(500):
            yield from _layer(now, layer)
            now += 100
        length = now - started
        yield _span("user_annotation", f"ProfilerStep#{step}", started, length, _CPU, _CPU)
        step += 1


def _layer(now: float, layer: int) -> Iterator[dict[str, Any]]:
    name = f"nn.Module: Conv2d_{layer}"
    yield _span("python_function", name, now, 90, _CPU, _CPU, **{"Python id": layer})
    for depth, op in enumerate(_OPS):
        yield _span("cpu_op", op, now + depth, 90 - 2 * depth, _CPU, _CPU, **_SHAPES)
    yield _span("cuda_runtime", "cudaLaunchKernel", now + 20, 5, _CPU, _CPU, correlation=layer)
    name = f"void cudnn::kernel<float, {layer % 40}>(float const*, float*)"
    yield _span("kernel", name, now + 30, 60, _GPU, 7, grid=[64, 1, 1], block=[256, 1, 1])
    flow = {"ph": "s", "id": layer, "cat": "ac2g", "name": "ac2g"}
    yield flow | {"pid": _CPU, "tid": _CPU, "ts": now + 20}


def _span(
    cat: str, name: str, start: float, duration: float, pid: int, tid: int, **args: Any
) -> dict[str, Any]:
    place = {"pid": pid, "tid": tid, "ts": round(start, 3), "dur": duration}
    return {"ph": "X", "cat": cat, "name": name, **place, "args": {"External id": 7, **args}}


def measure(path: Path) -> dict[str, float]:
    """Seconds and megabytes of reading, asking and drawing."""
    before = _peak_mb()
    times, work = [time.perf_counter()], time.process_time()
    read = trace.read(path)
    times.append(time.perf_counter())
    after_reading = _peak_mb()
    assert read.ops()[0].name in _OPS
    assert read.gpu_idle_share() is not None
    times.append(time.perf_counter())
    page = trace.timeline(read)._repr_html_()
    times.append(time.perf_counter())
    return {
        "events": read.events,
        "read_s": times[1] - times[0],
        "cpu_s": time.process_time() - work,
        "ask_s": times[2] - times[1],
        "draw_s": times[3] - times[2],
        "read_peak_mb": after_reading - before,
        "all_peak_mb": _peak_mb() - before,
        "picture_kb": len(page.encode()) / 1e3,
    }


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=500)
    parser.add_argument("--read", type=Path, help="measure this file, in this process")
    given = parser.parse_args()
    if given.read is not None:
        print(json.dumps(measure(given.read)))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        write(path, given.megabytes)
        command = [sys.executable, __file__, "--read", str(path)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        found = json.loads(done.stdout) | {"file_mb": path.stat().st_size / 1e6}
    print(json.dumps({name: round(value, 2) for name, value in found.items()}, indent=2))


if __name__ == "__main__":
    main()
