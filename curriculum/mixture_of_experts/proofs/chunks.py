"""Time of some layers with one to four chunks, in the model of the task `overlap`."""

from __future__ import annotations

import runpy
from typing import Any

from hotloop.core import paths

TIMELINE: Any = runpy.run_path(str(paths.exercises() / "mixture_of_experts" / "timeline.py"))
LAYERS = {
    "prefill, 4096 tokens": {**TIMELINE["PRACTICE"]},
    "decode, 512 tokens": {**TIMELINE["PRACTICE"], "tokens": 512, "weights_ms": 0.15},
    "decode, 32 tokens": {**TIMELINE["PRACTICE"], "tokens": 32, "weights_ms": 0.4},
}


def pattern(costs: dict[str, Any], count: int) -> dict[str, Any]:
    """Return a plan that takes the chunks in turn, layer by layer."""
    sizes = TIMELINE["even"](costs["tokens"], count)
    operations = {
        stream: [
            [kind, layer, chunk]
            for layer in range(costs["layers"])
            for kind in kinds
            for chunk in range(len(sizes))
        ]
        for stream, kinds in TIMELINE["STREAMS"].items()
    }
    return {"chunks": sizes, **operations}


def times() -> dict[str, list[float]]:
    """Return milliseconds with 1, 2, 3 and 4 chunks, for each of LAYERS."""
    return {
        label: [TIMELINE["run"](costs, **pattern(costs, count)) for count in (1, 2, 3, 4)]
        for label, costs in LAYERS.items()
    }


if __name__ == "__main__":
    for label, found in times().items():
        shown = ", ".join(f"{count}: {ms:5.2f}" for count, ms in enumerate(found, 1))
        print(f"{label:20s} ms by number of chunks: {shown}")
