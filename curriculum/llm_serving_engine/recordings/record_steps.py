"""Records how long steps of the small decoder take on this machine's CPU, and fits a linear model.

    python curriculum/llm_serving_engine/recordings/record_steps.py

writes steps.json beside this file (every step: rows, tokens, context, milliseconds) and
exercises/llm_serving_engine/step_times.json (the fitted coefficients, which the scheduler's
simulator counts with). One thread; the fastest of nine runs of each step, as other programs ran on
the machine, too.
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import sys
import time
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

from hotloop.core import paths

HERE = Path(__file__).resolve().parent
GIVEN = paths.exercises() / "llm_serving_engine"
sys.path += paths.beside_notebook("llm_serving_engine")

Runner: Any = importlib.import_module("runner").Runner

SIZE = 16


def main() -> None:
    """Record, fit, write."""
    rng = np.random.default_rng(0)
    runner = Runner(2048, SIZE)
    steps = [_step(rng, runner) for _ in range(260)]
    columns = ("rows", "tokens", "context")
    a = np.array([[1.0, *(step[name] for name in columns)] for step in steps])
    ms = np.array([step["ms"] for step in steps])
    # Weighted by 1/ms: a short step's error counts as much as a long one's, in percent.
    fitted = np.linalg.lstsq(a / ms[:, None], np.ones_like(ms), rcond=None)[0]
    error = float(np.median(np.abs(a @ fitted / ms - 1)))
    about = f"{platform.machine()} CPU, one thread, numpy {np.__version__}"
    recorded = {"about": about, "median_error": round(error, 3), "steps": steps}
    lines = json.dumps(recorded).replace('{"rows"', '\n{"rows"')
    (HERE / "steps.json").write_text(lines + "\n", encoding="utf-8")
    names = ("base", "row", "token", "context")
    times = {name: round(float(c), 6) for name, c in zip(names, fitted, strict=True)}
    (GIVEN / "step_times.json").write_text(json.dumps(times) + "\n", encoding="utf-8")
    print(times, f"median error {error:.1%}")


def _step(rng: np.random.Generator, runner: Any) -> dict[str, float]:
    """One row that is decoded, several, a prompt's chunk alone, or a chunk among decoded rows.

    context: over all tokens of all rows, how many tokens each one attends to.
    """
    counts = [1] * int(rng.integers(0, 33))
    if not counts or rng.random() < 0.6:
        counts.append(int(rng.integers(8, 257)))
    batch, context = list[dict[str, Any]](), 0
    for count in counts:
        start = int(rng.integers(0, 400))
        blocks = -(-(start + count) // SIZE)
        table = [int(b) for b in rng.choice(2048, blocks, replace=False)]
        batch.append({"tokens": [1] * count, "start": start, "table": table, "seed": 0})
        context += sum(range(start + 1, start + count + 1))
    times = list[float]()
    for _ in range(9):
        before = time.perf_counter()
        runner.run(batch)
        times.append(1000 * (time.perf_counter() - before))
    ms = round(min(times), 3)
    return {"rows": len(counts), "tokens": sum(counts), "context": context, "ms": ms}


if __name__ == "__main__":
    main()
