"""Graphs in which the candidate replaced operators that a delegate does not support."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

import numpy as np

from hotloop.core.wire import as_list
from hotloop.judge.artifact import Assignment, files_written
from hotloop.judge.constants import constant
from hotloop.judge.fault import JudgeFault
from hotloop.judge.program import Program
from hotloop.judge.questions import GivenFile
from hotloop.judge.rungs.assertions import Assertion
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import readable
from hotloop.tasks.modules.yolo_on_mobile.given_files import PROGRAMS

PROGRAM = Program({"rewriting.py": PROGRAMS / "rewriting.py"}, "rewriting.py")

GRAPHS = 12
SHARE_OF_LARGEST = 1e-4
"""Largest allowed error, as a share of the output's largest value. A different summation order in
float32 changes a hundredth of that."""

Graph = Mapping[str, Any]


def looks(session: Session, *, kind: str) -> Iterator[Assertion]:
    """Inspect all graphs of a kind, to make, read and run them in one message each."""
    yield Assertion("Your graphs", lambda: _mismatch(session, kind))


def _mismatch(session: Session, kind: str) -> str | None:
    seed = int(session.rng().integers(1 << 31))
    generated = as_list(PROGRAM.trusted(session).ask("make", seed, GRAPHS, kind))
    graphs = [cast(Graph, each) for each in generated]
    if len(graphs) != GRAPHS:
        raise JudgeFault(f"{PROGRAM.main} made {len(graphs)} graphs")
    made = _rewritten(graphs, session)
    reader = PROGRAM.given(session, "reads")
    pairs = [[g["model"], m] for g, m in zip(graphs, made, strict=True)]
    said = as_list(
        reader.ask("structure", _file(pairs), constant("REPLACED_VERSION", 0, range(2, 1000)))
    )
    if said:
        return f"graph {int(cast(int, said[0])) + 1} of {GRAPHS}: {readable(said[1], 200)}"
    inputs = [{**_input(g), "model": m} for g, m in zip(graphs, made, strict=True)]
    outputs = as_list(reader.ask("run", _file(inputs)))
    for number, (graph, got) in enumerate(zip(graphs, outputs, strict=True), start=1):
        wrong = disagreement(got, graph["truth"])
        if wrong is not None:
            return f"graph {number} of {GRAPHS}: {wrong}"
    return None


def disagreement(got: object, want: list[float]) -> str | None:
    """Return what is wrong with an output as the start of a sentence, or None."""
    if got is None:
        return "its output is not finite, where the source's is"
    truth = np.array(want, np.float64)
    found = np.array([float(cast(float, x)) for x in as_list(got)], np.float64)
    if found.shape != truth.shape:
        return f"it gives {found.size} numbers, and should give {truth.size}"
    error = float(np.abs(found - truth).max())
    allowed = SHARE_OF_LARGEST * float(np.abs(truth).max())
    # This comparison fails for NaN.
    if error <= allowed:
        return None
    largest = float(np.abs(truth).max())
    return f"its output is off by {error:.3g}, where the largest value is {largest:.3g}"


def _rewritten(graphs: list[Graph], session: Session) -> list[str]:
    assignments = [
        Assignment(
            "a graph",
            (GivenFile("source.onnx", base64.b64decode(str(graph["model"]))),),
            "rewritten.onnx",
            lambda _data: None,
        )
        for graph in graphs
    ]
    made = files_written(assignments, session)
    return [base64.b64encode(data).decode() for data in made]


def _input(graph: Graph) -> dict[str, Any]:
    return {"shape": graph["shape"], "fed": graph["fed"]}


def _file(value: object) -> GivenFile:
    return GivenFile("graphs.json", json.dumps(value).encode())
