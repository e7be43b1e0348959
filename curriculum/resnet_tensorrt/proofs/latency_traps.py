"""What a clock around a session measures besides it: first calls, idle threads, the mean."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

FOLDER = Path(__file__).parent
# One implementation a process: so this program asks in processes of their own, too.
SPINS = """
import json, resource, sys, time
import numpy as np, onnx, onnxruntime as ort
from onnx import parser
model = parser.parse_model('''<ir_version: 9, opset_import: ["": 18]>
    g (float[512, 512] x) => (float[512, 512] y) { h = MatMul(x, x) y = MatMul(h, x) }''')
options = ort.SessionOptions()
options.intra_op_num_threads = 2
options.add_session_config_entry("session.intra_op.allow_spinning", sys.argv[1])
session = ort.InferenceSession(
    model.SerializeToString(), options, providers=["CPUExecutionProvider"])
x = np.ones((512, 512), np.float32)
def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
calls = []
idle = 0.0
for _ in range(12):
    begun = time.perf_counter()
    session.run(None, {"x": x})
    calls.append(time.perf_counter() - begun)
    before = cpu()
    time.sleep(0.05)
    idle += cpu() - before
json.dump({"idle": idle, "calls": calls}, sys.stdout)
"""


def asked(spinning: bool) -> dict[str, Any]:
    """CPU seconds used while nothing was asked for, in 12 breaks of 50 ms, and 12 latencies."""
    command = [sys.executable, "-c", SPINS, str(int(spinning))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


# --8<-- [start:summary]
def summary(seconds: list[float], warm_up: int) -> dict[str, float]:
    """In milliseconds, without the first calls: what is typical and what is rare."""
    kept = sorted(1e3 * second for second in seconds[warm_up:])
    return {
        "median": statistics.median(kept),
        "p95": kept[min(len(kept) - 1, round(0.95 * len(kept)))],
        "mean": statistics.fmean(kept),
    }


# --8<-- [end:summary]


def main() -> None:
    """Idle threads that are not idle; a mean that one call moves."""
    print(f"measured: ONNX Runtime {onnxruntime.__version__}")
    waiting = {spinning: asked(spinning) for spinning in (True, False)}
    for spinning, found in waiting.items():
        name = "spinning" if spinning else "sleeping"
        idle = 1e3 * found["idle"]
        print(f"measured: {name} threads, {idle:.1f} ms of CPU in 600 ms without a request")
    assert waiting[True]["idle"] > 2 * waiting[False]["idle"]

    # Drawn, so that the figures are the same everywhere: 200 calls of 4 ms, after a first one.
    generator = np.random.default_rng(0)
    calls = [0.180, *(4e-3 * generator.normal(1, 0.03, 200)).tolist()]
    cold, warm = summary(calls, 0), summary(calls, 1)
    print("with the first call   ", {name: round(value, 2) for name, value in cold.items()})
    print("without the first call", {name: round(value, 2) for name, value in warm.items()})
    assert cold["mean"] > 1.15 * warm["mean"]
    assert abs(cold["median"] - warm["median"]) < 0.01
    # One measured after the other while the machine slows down by a fifth, and in turn.
    drift = np.linspace(1.0, 1.2, 400)
    after = np.median(drift[200:]) / np.median(drift[:200])
    turns = np.median(drift[1::2]) / np.median(drift[::2])
    print(f"one program against itself: one after the other {after:.2f}, in turn {turns:.3f}")
    assert after > 1.08
    assert abs(turns - 1) < 0.01


if __name__ == "__main__":
    main()
