"""Questions about recorded training runs: figures of random ones, causes of four slow ones.

A recording is JSON: "events" of jax.monitoring; "steps" with their seconds; "hlo", the text of the
program that takes the most time; "machine", "versions". record.py in the curriculum computed the
right answers about the four runs with `figures` and sealed them in KEY.
"""

from __future__ import annotations

import gzip
import json
import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from hotloop.judge.checks.diagnosis import Diagnosis, DiagnosisFigure, DiagnosisWord
from hotloop.judge.constants import constant
from hotloop.judge.questions import GivenFile, Question
from hotloop.judge.seeds import Rng
from hotloop.tasks.modules.xla_vs_eager.answers import mismatch_with
from hotloop.tasks.modules.xla_vs_eager.given_files import PROGRAMS

Recording = Mapping[str, Any]

CAUSES = ("recompiles", "op_by_op", "callback", "baked", "layout")

DIAGNOSIS = Diagnosis(
    PROGRAMS / "diagnosis_key.json",
    "run",
    (
        DiagnosisWord(
            "cause", "the cause is not {}; look for what else makes such a run slow", CAUSES
        ),
        DiagnosisFigure(),
    ),
    entry="diagnosis",
)

FIGURES = (
    "programs",
    "compile_s",
    "compile_share",
    "step_ms",
    "callbacks",
    "constant_bytes",
    "programs_a_step",
)

COMPILED = "/jax/core/compile/backend_compile_duration"
_CALLBACK = re.compile(r'custom_call_target="\w*callback\w*"')
_CONSTANT = re.compile(r" = (\w+)\[([\d,]*)\]\S* constant\(")
BYTES = {"pred": 1, "u8": 1, "s8": 1, "bf16": 2, "f16": 2, "f32": 4, "s32": 4, "u32": 4}


def figures(recording: Recording) -> dict[str, Any]:
    """Return the right answer of `read_run`."""
    compiled = [event for event in recording["events"] if event["event"] == COMPILED]
    steps = recording["steps"]
    compiling = {event["step"] for event in compiled}
    compile_s = float(sum(event["seconds"] for event in recording["events"]))
    whole = float(sum(step["ready_s"] for step in steps))
    quiet = [s["ready_s"] for n, s in enumerate(steps) if n not in compiling]
    in_a_row = constant("MEDIAN_STEPS", 1, range(2, 201))
    return {
        "programs": len(compiled),
        "compile_s": compile_s,
        "compile_share": compile_s / whole,
        "step_ms": 1e3 * in_a_row * float(statistics.median(quiet)) if quiet else None,
        "callbacks": len(_CALLBACK.findall(recording["hlo"])),
        "constant_bytes": sum(
            BYTES[dtype] * prod(int(n) for n in shape.split(",") if n)
            for dtype, shape in _CONSTANT.findall(recording["hlo"])
        ),
        "programs_a_step": float(statistics.median(step["executed"] for step in steps)),
    }


def figure_questions(rng: Rng) -> Iterator[Question]:
    """Yield four random recordings; together they have constants of all dtypes."""
    types = np.array_split(rng.permutation(list(BYTES)), 4)
    for number, constants in enumerate(types, start=1):
        recording = random_recording(rng, storm=number == 1, constants=constants.tolist())
        file = GivenFile("run.json.gz", gzip.compress(json.dumps(recording).encode(), 1, mtime=0))
        want = mismatch_with(figures(recording), FIGURES, 0.001)
        yield Question(f"Recording {number}", (file,), want)


def random_recording(rng: Rng, *, storm: bool, constants: Sequence[str] = ()) -> dict[str, Any]:
    """Return a random recording.

    storm: every step compiles something. constants: dtypes that occur at least once.
    """
    count = int(rng.integers(8, 20))
    steps = [
        {
            "dispatch_s": float(rng.uniform(0.001, 0.01)),
            "ready_s": float(rng.uniform(0.02, 0.3)),
            "executed": int(rng.integers(1, 60)),
        }
        for _ in range(count)
    ]
    compiling = range(count) if storm else [0, *rng.choice(np.arange(1, count), 3, False)]
    events: list[dict[str, Any]] = []
    for place in map(int, compiling):
        for stage in ("jaxpr_trace", "jaxpr_to_mlir_module", "backend_compile"):
            seconds = float(rng.uniform(0.001, 0.2))
            name = f"/jax/core/compile/{stage}_duration"
            events.append({"event": name, "seconds": seconds, "fun_name": "step", "step": place})
            steps[place]["dispatch_s"] += seconds
            steps[place]["ready_s"] += seconds
    return {"events": events, "steps": steps, "hlo": "\n".join(_hlo(rng, constants))}


def _hlo(rng: Rng, constants: Sequence[str]) -> Iterator[str]:
    yield "HloModule jit_step, is_scheduled=true"
    yield "ENTRY %main.1 (x: f32[4]) -> f32[4] {"
    more = rng.choice(list(BYTES), int(rng.integers(3, 9)))
    for number, dtype in enumerate([*constants, *more]):
        shape = ",".join(str(n) for n in rng.integers(1, 50, rng.integers(0, 4)))
        minor = ",".join(str(n) for n in range(shape.count(",") if shape else -1, -1, -1))
        layout = f"{{{minor}}}" if shape else ""
        yield f"  %constant.{number} = {dtype}[{shape}]{layout} constant({{...}})"
        target = str(rng.choice(["xla_ffi_python_cpu_callback", "TopK", "__onednn$matmul"]))
        yield (
            f"  %custom-call.{number} = f32[4]{{0}} custom-call(%x), "
            f'custom_call_target="{target}", api_version=API_VERSION_TYPED_FFI'
        )
    yield "}"
