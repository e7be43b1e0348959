"""Read recorded ONNX Runtime sessions, and check the diagnosis of the four faulty ones.

A recording is JSON: "log", the lines of the verbose log; "profile", the events of the profile;
"inputs" and "outputs" of the model; "machine". The script that made the recordings computed the
right answers with `figures` and `shares`, and sealed them in the key.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Mapping
from typing import Any, cast

from hotloop.core.wire import as_list, as_message
from hotloop.judge.checks.diagnosis import Diagnosis, DiagnosisFigure, DiagnosisWord
from hotloop.judge.constants import constant
from hotloop.judge.questions import number_mismatch, shown
from hotloop.tasks.modules.resnet_tensorrt.given_files import PROGRAMS

Recording = Mapping[str, Any]

CAUSES = ("disabled", "training", "outputs", "inputs", "threads")

DIAGNOSIS = Diagnosis(
    PROGRAMS / "diagnosis_key.json",
    "build",
    (
        DiagnosisWord(
            "cause",
            "the cause is not {}; ask what else leaves the same nodes in the profile",
            CAUSES,
        ),
        DiagnosisFigure(absolute=0.005),
    ),
    entry="diagnosis",
)

COUNTS = ("warnings", "outputs", "threads_per_core")

_LEVEL = re.compile(r"graph_optimization_level:(\d+)")
_THREADS = re.compile(r"intra_op_param:OrtThreadPoolParams \{ thread_pool_size: (\d+)")
_CHANGED = re.compile(r"GraphTransformer (\S+) modified: 1 with status: OK")
_NODE = "_kernel_time"


def figures(recording: Recording) -> dict[str, Any]:
    """Return the dict that `read_build` must return. Times in milliseconds."""
    text = "\n".join(recording["log"])
    runs = [event["dur"] / 1000 for event in _events(recording, "Session", "model_run")]
    nodes = _nodes(recording)
    by_op = shares(recording)
    slowest = sorted(by_op, key=by_op.__getitem__)[-constant("RANK", 1, range(1, 5))]
    (built,) = _events(recording, "Session", "session_initialization")
    return {
        "level": _number(_LEVEL, text),
        "threads": _number(_THREADS, text),
        "changed_by": sorted(set(_CHANGED.findall(text))),
        "warnings": sum("[W:onnxruntime" in line for line in recording["log"]),
        "build_ms": built["dur"] / 1000,
        "run_ms": constant("RUNS", 1, range(2, 61)) * statistics.median(runs),
        "nodes": len(nodes) // len(runs),
        "slowest_op": slowest,
        "slowest_op_share": by_op[slowest],
    }


def shares(recording: Recording) -> dict[str, float]:
    """Return each operator type's share, 0 to 1, of the time in all nodes."""
    total: dict[str, float] = {}
    for event in _nodes(recording):
        op = event["args"]["op_name"]
        total[op] = total.get(op, 0.0) + event["dur"]
    whole = sum(total.values())
    return {op: time / whole for op, time in total.items()}


def counts(recording: Recording) -> dict[str, float]:
    """Return the evidence that is not a share of time."""
    known = figures(recording)
    return {
        "warnings": known["warnings"],
        "outputs": len(recording["outputs"]),
        "threads_per_core": known["threads"] / recording["machine"]["cores"],
    }


def reading_mismatch(answer: object, recording: Recording) -> str | None:
    """Return what is wrong with the dict that `read_build` returned for a recording, or None."""
    reported = as_message(answer)
    if reported is None:
        return f"it is {shown(answer)}, not a dict"
    for key, value in figures(recording).items():
        mismatch = _figure_mismatch(key, reported.get(key), value)
        if mismatch is not None:
            return mismatch
    return None


def _figure_mismatch(key: str, got: object, want: object) -> str | None:
    if isinstance(want, list):
        wanted = cast(object, want)
        if as_list(got) == wanted:
            return None
        return f"“{key}” is {shown(got)} and should be {shown(wanted)}"
    if isinstance(want, str):
        return None if got == want else f"“{key}” is {shown(got)} and should be {want}"
    return number_mismatch(f"“{key}”", got, float(cast(float, want)), 0.001)


def _events(recording: Recording, category: str, name: str) -> list[Mapping[str, Any]]:
    return [
        event
        for event in recording["profile"]
        if event.get("cat") == category and event["name"] == name
    ]


def _nodes(recording: Recording) -> list[Mapping[str, Any]]:
    return [
        event
        for event in recording["profile"]
        if event.get("cat") == "Node" and event["name"].endswith(_NODE)
    ]


def _number(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.search(text)
    if match is None:
        raise ValueError(f"the log has no {pattern.pattern}")
    return int(match[1])
