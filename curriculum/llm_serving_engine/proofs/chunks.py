"""Continuous batching in the module's simulator: three policies at several loads.

The step times are those of the small decoder on a CPU; see recordings/record_steps.py.
"""

from __future__ import annotations

import json
import runpy
from collections.abc import Callable
from typing import Any

import numpy as np

from hotloop.core import paths
from hotloop.tasks.modules.llm_serving_engine import policies

GIVEN = paths.exercises() / "llm_serving_engine"
RATES = (80, 120, 160, 200, 240)
COUNT = 150


def goodput() -> dict[str, list[float]]:
    """The share of requests within both limits, at each rate, for each policy."""
    simulator = runpy.run_path(str(GIVEN / "simulator.py"))
    solved = paths.solutions() / "llm_serving_engine" / "scheduler.py"
    reference: Any = runpy.run_path(str(solved))["decide"]
    named: dict[str, Callable[[Any], Any]] = {
        "first come": policies.first_come,
        "vLLM's rules": policies.vllm,
        "reference": reference,
    }
    found: dict[str, list[float]] = {}
    for name, policy in named.items():
        found[name] = []
        for rate in RATES:
            good = 0
            for seed in range(3):
                rng, limits = np.random.default_rng(seed), simulator["Limits"](blocks=260)
                engine = simulator["Engine"](simulator["trace"](rng, COUNT, float(rate)), limits)
                good += simulator["play"](engine, policy).good()
            found[name].append(good / 3 / COUNT)
    return found


def chunks() -> None:
    """How long sixteen decoding rows wait beside a prompt of 250 tokens, whole and in chunks."""
    step = json.loads((GIVEN / "step_times.json").read_text(encoding="utf-8"))

    def ms(rows: int, chunk: int, computed: int) -> float:
        context = rows * 150 + sum(range(computed + 1, computed + chunk + 1))
        return (
            step["base"]
            + step["row"] * (rows + bool(chunk))
            + step["token"] * (rows + chunk)
            + step["context"] * context
        )

    print(f"16 rows that decode: {ms(16, 0, 0):.1f} ms a step")
    for chunk in (250, 125, 50):
        steps = [ms(16, chunk, start) for start in range(0, 250, chunk)]
        print(
            f"with a prompt in chunks of {chunk}: longest step {max(steps):.1f} ms, first token "
            f"after {sum(steps):.1f} ms"
        )


if __name__ == "__main__":
    chunks()
    print("requests/s   " + " ".join(f"{rate:4d}" for rate in RATES))
    for name, shares in goodput().items():
        print(f"{name:12} " + " ".join(f"{share:4.0%}" for share in shares))
