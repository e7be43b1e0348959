"""Hidden graphs that a candidate rewrites: made by one program, read by another, run by a third.

None of them is imported by the judge; models are exchanged as bytes. Graphs are read and run in
batches, since each message to a process takes time.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hotloop.core.wire import as_list, as_message
from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats, Tolerance, compare
from hotloop.judge.dtypes import FP32
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.onnx.programs import onnx_program
from hotloop.judge.program import Program
from hotloop.judge.questions import GivenFile, Plain
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import readable
from hotloop.judge.written_files import Assignment, files_written

RUNNER = onnx_program("onnx_rewrites.py")

MOST_BYTES = 1 << 18
SHARE_OF_LARGEST = 1e-4
"""Allowed error of an output as a share of its largest value. float32 was off by at most 2e-6 over
forty such networks, rewritten and not; a wrong epsilon is off by more than 1e-2.
"""

Rng = np.random.Generator
Wrong = tuple[int, str]


@dataclass(frozen=True)
class HiddenGraph:
    """A hidden model with inputs and right outputs.

    inputs, outputs: shapes by name. fed: all inputs, flat. truth: each output, flat, in float64.
    figures: what else its maker says of it.
    """

    model: bytes
    inputs: dict[str, list[int]]
    outputs: dict[str, list[int]]
    fed: Floats
    truth: list[Floats]
    figures: dict[str, Any]

    @classmethod
    def of(cls, plain: object) -> HiddenGraph:
        """Read a maker's answer: see `onnx_rewrites.with_truth`. Raises JudgeFault."""
        message = message_of(plain)
        return cls(
            unpacked(message["model"]),
            message["inputs"],
            message["outputs"],
            np.array(message["fed"], np.float64),
            [np.array(row, np.float64) for row in message["truth"]],
            message.get("figures", {}),
        )

    def file(self, name: str = "source.onnx") -> GivenFile:
        """Return the model as a file for the candidate."""
        return GivenFile(name, self.model)


def seed(rng: Rng) -> int:
    """Return a seed for a program's generator."""
    return int(rng.integers(1 << 31))


def made_by(maker: Program, session: Session, function: str, *arguments: Plain) -> dict[str, Any]:
    """Return the dict that a maker's function returns. Raises JudgeFault if it is none."""
    return message_of(maker.trusted(session).ask(function, *arguments))


def hidden_graphs(
    maker: Program, session: Session, function: str, *arguments: Plain
) -> list[HiddenGraph]:
    """Return the graphs that a maker's function returns. Raises JudgeFault if there are none."""
    graphs = as_list(maker.trusted(session).ask(function, *arguments))
    if not graphs:
        raise JudgeFault(f"{maker.main} made no graphs")
    return [HiddenGraph.of(graph) for graph in graphs]


def rewritten(models: Sequence[bytes], session: Session) -> list[bytes]:
    """Return what the candidate makes of each model; any file is accepted here."""
    assignments = [
        Assignment("a graph", (GivenFile("source.onnx", model),), "rewritten.onnx", lambda _: None)
        for model in models
    ]
    return files_written(assignments, session, most_bytes=MOST_BYTES)


def misread(
    reader: Program,
    session: Session,
    function: str,
    sources: Sequence[bytes],
    files: Sequence[bytes],
    version: int,
) -> Wrong | None:
    """Return the first rewritten model with a wrong structure, and a message, or None.

    version: what the reader's function takes after the pairs; 0 to ignore models' versions.
    Raises ValueError if the reader's answer is neither: only null says that all are right.
    """
    pairs = [[_packed(a), _packed(b)] for a, b in zip(sources, files, strict=True)]
    pairs_file = GivenFile("pairs.json", json.dumps(pairs).encode())
    answer = reader.given(session, "reads").ask(function, pairs_file, version)
    match answer:
        case None:
            return None
        case [int(place), str(message)] if place in range(len(files)):
            return place, readable(message, 300)
        case _:
            raise ValueError(f"{function} answered {type(answer).__name__}, not null or a pair")


def miscomputed(
    session: Session,
    graphs: Sequence[HiddenGraph],
    files: Sequence[bytes],
    share: float = SHARE_OF_LARGEST,
) -> Wrong | None:
    """Return the first rewritten model whose outputs differ from its source's, or None.

    share: allowed error of an output as a share of its largest value.
    """
    models = [
        {"model": _packed(data), "inputs": graph.inputs, "outputs": graph.outputs}
        for graph, data in zip(graphs, files, strict=True)
    ]
    runner = RUNNER.given(session, "runs")
    runner.ask("load", GivenFile("models.json", json.dumps(models).encode()))
    fed = np.concatenate([graph.fed for graph in graphs])
    size = sum(len(row) for graph in graphs for row in graph.truth)
    case = Case("the outputs", (InputTensor(fed, FP32),), TensorSpec((size,), FP32))
    got, start = runner.answer("run", case), 0
    for place, graph in enumerate(graphs):
        for name, want in zip(graph.outputs, graph.truth, strict=True):
            part, start = got[start : start + len(want)], start + len(want)
            wrong = compare(part, want, Tolerance.of_largest(share, want))
            if wrong is not None:
                return place, f"output {name!r} is another one now: {wrong.sentence()}"
    return None


def unpacked(text: str) -> bytes:
    """Decode a file from a maker's answer."""
    return base64.b64decode(text)


def message_of(plain: object) -> dict[str, Any]:
    """Return a maker's answer. Raises JudgeFault if it is no dict."""
    message = as_message(plain)
    if message is None:
        raise JudgeFault(f"our own maker returned {type(plain).__name__}, not a dict")
    return message


def _packed(data: bytes) -> str:
    return base64.b64encode(data).decode()
