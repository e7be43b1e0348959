"""Hidden ONNX graphs: who makes them, who reads what a candidate has made of them, who runs it.

Three programs, none of which the judge loads; models come and go as bytes.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.checks.resnet_tensorrt.given_files import PROGRAMS
from hotloop.core.wire import as_list, as_message
from hotloop.judge.calls import TensorSpec
from hotloop.judge.compare import Tolerance, compare
from hotloop.judge.dtypes import FP32
from hotloop.judge.fault import JudgeFault
from hotloop.judge.link import readable
from hotloop.judge.program import Program
from hotloop.judge.questions import GivenFile
from hotloop.judge.rungs.correct import Case, Tensor
from hotloop.judge.session import Session

FILES = {path.name: path for path in sorted(PROGRAMS.glob("graph_*.py"))}
MAKERS = Program(FILES, "graph_makers.py")
READER = Program(FILES, "graph_reader.py")
RUNNER = Program(FILES, "graph_runner.py")

SHARE_OF_LARGEST = 1e-4
"""How far an output may be off, as a share of its largest value. float32 itself was off by 2e-6 at
most over forty such networks, rewritten and not; a wrong epsilon is off by more than a hundredth.
"""

Rng = np.random.Generator
Floats = NDArray[np.float64]
Wrong = tuple[int, str]


@dataclass(frozen=True)
class HiddenGraph:
    """A model, shapes by name, all inputs as one row, and the truth of each output as another."""

    model: bytes
    inputs: dict[str, list[int]]
    outputs: dict[str, list[int]]
    fed: Floats
    truth: list[Floats]

    def file(self, name: str = "source.onnx") -> GivenFile:
        """As it is handed to a candidate."""
        return GivenFile(name, self.model)


def seed(rng: Rng) -> int:
    """For a generator in a program."""
    return int(rng.integers(1 << 31))


def made_by(session: Session, function: str, *arguments: int | str | None) -> dict[str, Any]:
    """What a maker returns."""
    return _message(MAKERS.trusted(session).ask(function, *arguments))


def hidden_graphs(session: Session, function: str, *arguments: int) -> list[HiddenGraph]:
    """What a maker of several graphs returns."""
    made = as_list(MAKERS.trusted(session).ask(function, *arguments))
    return [_hidden_graph(_message(plain)) for plain in made]


def misread(
    session: Session, function: str, sources: Sequence[bytes], made: Sequence[bytes], versions: int
) -> Wrong | None:
    """What our reader says about the first rewritten model that is wrong.

    versions: by how much model_version grows for each node that is gone; not looked at for 0.
    """
    pairs = [[_packed(a), _packed(b)] for a, b in zip(sources, made, strict=True)]
    file = GivenFile("pairs.json", json.dumps(pairs).encode())
    said = as_list(READER.given(session, "reads").ask(function, file, versions))
    return (int(said[0]), readable(said[1], 300)) if said else None


def miscomputed(
    session: Session, graphs: Sequence[HiddenGraph], made: Sequence[bytes]
) -> Wrong | None:
    """What the first rewritten model computes otherwise than its source."""
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
    """A file from a maker's plain data."""
    return base64.b64decode(text)


def _message(plain: object) -> dict[str, Any]:
    message = as_message(plain)
    if message is None:
        raise JudgeFault(f"{MAKERS.main} returned {type(plain).__name__}, not a dict")
    return message
