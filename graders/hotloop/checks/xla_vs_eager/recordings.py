"""Recorded runs of training: what they show, and what ails the four sick ones.

A recording is JSON: "events", what jax.monitoring told; "steps", how long each took; "hlo", the
text of the program that takes the most time; "machine", "versions". What stands in recordings.json
was computed from the recordings by the script that made them, with `figures`.
"""

from __future__ import annotations

import gzip
import json
import re
import statistics
from collections.abc import Iterator, Mapping
from functools import cache
from math import prod
from typing import Any, cast

import numpy as np

from hotloop.checks.xla_vs_eager.answers import complaint
from hotloop.checks.xla_vs_eager.programs import HARNESS
from hotloop.judge.questions import GivenFile, Question, number_complaint, shown
from hotloop.worker.wire import as_message

Rng = np.random.Generator
Recording = Mapping[str, Any]

TRUTH = HARNESS / "recordings.json"
NAMES = ("a", "b", "c", "d")
CAUSES = ("recompiles", "op_by_op", "callback", "baked", "layout")
FIGURES = (
    "programs",
    "compile_s",
    "compile_share",
    "step_ms",
    "callbacks",
    "constant_bytes",
    "programs_a_step",
)
RELATIVE = 0.03

COMPILED = "/jax/core/compile/backend_compile_duration"
_CALLBACK = re.compile(r'custom_call_target="\w*callback\w*"')
_CONSTANT = re.compile(r" = (\w+)\[([\d,]*)\]\S* constant\(")
BYTES = {"pred": 1, "u8": 1, "s8": 1, "bf16": 2, "f16": 2, "f32": 4, "s32": 4, "u32": 4}


def figures(recording: Recording) -> dict[str, Any]:
    """Everything that `read_run` is asked for."""
    compiled = [event for event in recording["events"] if event["event"] == COMPILED]
    steps = recording["steps"]
    compiling = {event["step"] for event in compiled}
    compile_s = float(sum(event["seconds"] for event in recording["events"]))
    whole = float(sum(step["ready_s"] for step in steps))
    quiet = [s["ready_s"] for n, s in enumerate(steps) if n not in compiling]
    return {
        "programs": len(compiled),
        "compile_s": compile_s,
        "compile_share": compile_s / whole,
        "step_ms": 1e3 * float(statistics.median(quiet)) if quiet else None,
        "callbacks": len(_CALLBACK.findall(recording["hlo"])),
        "constant_bytes": sum(_sizes(recording["hlo"])),
        "programs_a_step": float(statistics.median(step["executed"] for step in steps)),
    }


def _sizes(hlo: str) -> Iterator[int]:
    for dtype, shape in _CONSTANT.findall(hlo):
        yield BYTES[dtype] * prod(int(n) for n in shape.split(",") if n)


def figure_questions(rng: Rng, per: int = 1) -> Iterator[Question]:
    """Some made recordings of all kinds. per: of how many steps the milliseconds are told."""
    for number in range(1, 5):
        recording = made(rng, storm=number == 1)
        file = GivenFile("run.json.gz", gzip.compress(json.dumps(recording).encode(), 1))
        truth = figures(recording)
        if truth["step_ms"] is not None:
            truth["step_ms"] *= per
        yield Question(f"Recording {number}", (file,), complaint(truth, FIGURES, 0.001))


def made(rng: Rng, *, storm: bool) -> dict[str, Any]:
    """A recording with figures that nobody could know. storm: no step without a compilation."""
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
    return {"events": events, "steps": steps, "hlo": "\n".join(_hlo(rng))}


def _hlo(rng: Rng) -> Iterator[str]:
    yield "HloModule jit_step, is_scheduled=true"
    yield "ENTRY %main.1 (x: f32[4]) -> f32[4] {"
    for number in range(int(rng.integers(3, 9))):
        shape = ",".join(str(n) for n in rng.integers(1, 50, rng.integers(0, 4)))
        minor = ",".join(str(n) for n in range(shape.count(",") if shape else -1, -1, -1))
        layout = f"{{{minor}}}" if shape else ""
        dtype = str(rng.choice(["f32", "s32", "bf16", "pred", "u8"]))
        yield f"  %constant.{number} = {dtype}[{shape}]{layout} constant({{...}})"
        target = str(rng.choice(["xla_ffi_python_cpu_callback", "TopK", "__onednn$matmul"]))
        yield (
            f"  %custom-call.{number} = f32[4]{{0}} custom-call(%x), "
            f'custom_call_target="{target}", api_version=API_VERSION_TYPED_FFI'
        )
    yield "}"


def diagnosis_questions(_rng: Rng) -> Iterator[Question]:
    """One question, which has four answers."""
    yield Question("Your diagnosis", (), diagnosis_complaint)


def diagnosis_complaint(answer: object) -> str | None:
    """What is wrong with a diagnosis of all four."""
    told = as_message(answer)
    if told is None:
        return f"it is {shown(answer)}, not a dict"
    for name in NAMES:
        found = _run_complaint(as_message(told.get(name)), truth()[name])
        if found is not None:
            return f"run {name}: {found}"
    return None


@cache
def truth() -> Mapping[str, Any]:
    """By letter: "cause", and the value of all "evidence" that counts."""
    return cast(Mapping[str, Any], json.loads(TRUTH.read_text(encoding="utf-8")))


def _run_complaint(told: Mapping[str, Any] | None, known: Mapping[str, Any]) -> str | None:
    if told is None:
        return "a dict is asked for, with “cause”, “evidence” and “value”"
    cause, evidence = told.get("cause"), told.get("evidence")
    if cause not in CAUSES:
        return f"“cause” is {shown(cause)}, and one of {', '.join(CAUSES)} is asked for"
    if cause != known["cause"]:
        return f"the cause is not {cause}; ask what else makes such a run slow"
    if not isinstance(evidence, str) or evidence not in known["evidence"]:
        return f"the cause is right, but {shown(evidence)} does not show it"
    want = float(known["evidence"][evidence])
    return number_complaint(evidence, told.get("value"), want, RELATIVE)
