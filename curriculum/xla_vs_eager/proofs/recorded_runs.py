"""What the five recorded runs say: seconds of a step and of compiling, programs, constants."""

from __future__ import annotations

import gzip
import json
from statistics import median
from typing import Any

from hotloop.core import paths

COMPILER = "/jax/core/compile/backend_compile_duration"
"""Once for each program; tracing and lowering have events of their own."""


def recording(letter: str) -> dict[str, Any]:
    """Return the recording of a run; learners get the same file."""
    path = paths.exercises() / "xla_vs_eager" / f"run_{letter}.json.gz"
    return json.loads(gzip.decompress(path.read_bytes()))


def main() -> None:
    """Print a line of figures for each run; a step is the median of all but the first."""
    for letter in ("healthy", "a", "b", "c", "d"):
        run = recording(letter)
        programs = sum(event["event"] == COMPILER for event in run["events"])
        compiling = sum(event["seconds"] for event in run["events"])
        steps = [step["ready_s"] for step in run["steps"]]
        print(
            f"{letter + ':':9}{len(steps)} steps of {1e3 * median(steps[1:]):7.2f} ms, programs "
            f"{programs}, compiling {compiling:.2f} s, {compiling / sum(steps):.1%} of the time"
        )


if __name__ == "__main__":
    main()
