"""Hidden ONNX graphs and the programs that make them, and read and run a candidate's rewrites.

These are three programs, none of which the judge imports; models are exchanged as bytes.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.core.wire import as_list, as_message
from hotloop.judge.calls import TensorSpec
from hotloop.judge.compare import Tolerance, compare
from hotloop.judge.dtypes import FP32
from hotloop.judge.fault import JudgeFault
from hotloop.judge.program import Program
from hotloop.judge.questions import GivenFile
from hotloop.judge.rungs.correct import Case, Tensor
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import readable
from hotloop.tasks.modules.resnet_tensorrt.given_files import PROGRAMS

FILES = {path.name: path for path in sorted(PROGRAMS.glob("graph_*.py"))}
MAKERS = Program(FILES, "graph_makers.py")
READER = Program(FILES, "graph_reader.py")
RUNNER = Program(FILES, "graph_runner.py")

SHARE_OF_LARGEST = 1e-4
"""Allowed error of an output as a share of its largest value. float32 was off by at most 2e-6 over
forty such networks, rewritten and not; a wrong epsilon is off by more than 1e-2.
"""

Rng = np.random.Generator
Floats = NDArray[np.float64]
Wrong = tuple[int, str]


@dataclass(frozen=True)
class HiddenGraph:
    """A hidden model with inputs and right outputs.

    inputs, outputs: shapes by name. fed: all inputs, flat. truth: each output, flat, in float64.
    """

    model: bytes
    inputs: dict[str, list[int]]
    outputs: dict[str, list[int]]
    fed: Floats
    truth: list[Floats]

    def file(self, name: str = "source.onnx") -> GivenFile:
        """Return the model as a file for the candidate."""
        return GivenFile(name, self.model)


def seed(rng: Rng) -> int:
    """Return a seed for a program's generator."""
    return int(rng.integers(1 << 31))


def made_by(session: Session, function: str, *arguments: int | str | None) -> dict[str, Any]:
    """Return the dict that a maker's function returns. Raises JudgeFault if it is none."""
    return _message(MAKERS.trusted(session).ask(function, *arguments))


def hidden_graphs(session: Session, function: str, *arguments: int) -> list[HiddenGraph]:
    """Return the graphs that a maker's function returns."""
    made = as_list(MAKERS.trusted(session).ask(function, *arguments))
    return [_hidden_graph(_message(plain)) for plain in made]


def misread(
    session: Session, function: str, sources: Sequence[bytes], made: Sequence[bytes], versions: int
) -> Wrong | None:
    """Return the first rewritten model with a wrong structure, and a message, or None.

    versions: by how much model_version must grow for each removed node; 0 to ignore it.
    """
    pairs = [[_packed(a), _packed(b)] for a, b in zip(sources, made, strict=True)]
    file = GivenFile("pairs.json", json.dumps(pairs).encode())
    said = as_list(READER.given(session, "reads").ask(function, file, versions))
    return (int(said[0]), readable(said[1], 300)) if said else None


def miscomputed(
    session: Session, graphs: Sequence[HiddenGraph], made: Sequence[bytes]
) -> Wrong | None:
    """Return the first rewritten model whose outputs differ from its source's, or None."""
    models = [
        {"model": _packed(data), "inputs": graph.inputs, "outputs": graph.outputs}
        for graph, data in zip(graphs, made, strict=True)
    ]
    runner = RUNNER.given(session, "runs")
    runner.ask("load", GivenFile("models.json", json.dumps(models).encode()))
    fed = np.concatenate([graph.fed for graph in graphs])
    size = sum(len(row) for graph in graphs for row in graph.truth)
    case = Case("the outputs", (Tensor(fed, FP32),), TensorSpec((size,), FP32))
    got, start = runner.answer("run", case), 0
    for place, graph in enumerate(graphs):
        for name, want in zip(graph.outputs, graph.truth, strict=True):
            part, start = got[start : start + len(want)], start + len(want)
            tolerance = Tolerance(0.0, SHARE_OF_LARGEST * float(np.abs(want).max(initial=0.0)))
            wrong = compare(part, want, tolerance)
            if wrong is not None:
                return place, f"output {name!r} is another one now: {wrong.sentence()}"
    return None


def _hidden_graph(plain: dict[str, Any]) -> HiddenGraph:
    return HiddenGraph(
        unpacked(plain["model"]),
        plain["inputs"],
        plain["outputs"],
        np.array(plain["fed"], np.float64),
        [np.array(row, np.float64) for row in plain["truth"]],
    )


def _packed(data: bytes) -> str:
    return base64.b64encode(data).decode()


def unpacked(text: str) -> bytes:
    """Decode a file from a maker's answer."""
    return base64.b64decode(text)


def _message(plain: object) -> dict[str, Any]:
    message = as_message(plain)
    if message is None:
        raise JudgeFault(f"{MAKERS.main} returned {type(plain).__name__}, not a dict")
    return message
