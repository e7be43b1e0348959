"""Task 7: shapes behind nodes that ONNX knows nothing of."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from hotloop.checks.sparse_attention_op.files import program
from hotloop.core.wire import as_list, as_message
from hotloop.judge.artifact import Assignment
from hotloop.judge.fault import JudgeFault
from hotloop.judge.questions import GivenFile, Question, shown
from hotloop.judge.rung import Rung
from hotloop.judge.rungs.hidden_answers import HiddenAnswers
from hotloop.judge.rungs.makes import Makes
from hotloop.judge.session import Session

FILE = "shape_inference.py"
MODELS = program("shape_models.py")
GIVEN = "layers.onnx"
Rng = np.random.Generator


def rungs(version: int = 0) -> dict[str, Rung]:
    """All shapes, and which nodes cannot be right.

    version: what the model has as its model_version; 0 if that does not matter.
    """
    return {
        "inferred": Makes(partial(_assignments, version=version)),
        "refused": HiddenAnswers(_questions, entry="problems", after=("inferred",)),
    }


def _made(
    rng: Rng, session: Session, layers: int, *, faults: bool
) -> tuple[GivenFile, dict[str, Any]]:
    seed = int(rng.integers(1 << 31))
    told = as_message(MODELS.trusted(session).ask("made", seed, layers, faults))
    if told is None:
        raise JudgeFault("our own maker gave no model")
    return GivenFile(GIVEN, base64.b64decode(told["model"])), told


def _assignments(rng: Rng, session: Session, version: int) -> Iterable[Assignment]:
    for layers in (1, 2, 4):
        given, told = _made(rng, session, layers, faults=False)
        label = f"A model of {layers} layer{'s' if layers > 1 else ''}"
        yield Assignment(
            label, (given,), "inferred.onnx", _complaint(given, told, session, version)
        )


def _complaint(
    given: GivenFile, told: dict[str, Any], session: Session, version: int
) -> Callable[[bytes], str | None]:
    def complaint(data: bytes) -> str | None:
        process = MODELS.given(session, "reads")
        found = as_message(process.ask("read", GivenFile("answer.onnx", data))) or {}
        if found.get("nodes") != MODELS.trusted(session).ask("nodes_of", given):
            return "its nodes are others than those of the model that it was given"
        if version and found.get("version") != version:
            return f"its model_version is {shown(found.get('version'))} and should be {version}"
        return wrong_shape(as_message(found.get("shapes")) or {}, told["shapes"])

    return complaint


def wrong_shape(found: dict[str, Any], wanted: dict[str, Any]) -> str | None:
    """About the first tensor whose shape is missing or another one."""
    for number, (name, dims) in enumerate(wanted.items(), start=1):
        place = f"tensor {number} of {len(wanted)}, {name!r}"
        if name not in found:
            return f"{place}, has no shape; it is {shown(dims)}"
        if as_list(found[name]) != dims:
            return f"{place}, has the shape {shown(found[name])} and should have {shown(dims)}"
    return None


def _questions(rng: Rng, session: Session) -> Iterator[Question]:
    for number, faulty in enumerate(rng.permutation([True] * 7 + [False])):
        given, told = _made(rng, session, 1 + number % 3, faults=bool(faulty))
        label = "A model with a node that does not fit" if faulty else "A model without a fault"
        yield Question(label, (given,), _right_names(told["bad"]))


def _right_names(bad: list[str]) -> Callable[[object], str | None]:
    def complaint(answer: object) -> str | None:
        if answer == bad:
            return None
        return f"it names {shown(answer)}, and the nodes that do not fit are {shown(bad)}"

    return complaint
