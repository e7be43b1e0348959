"""Task 7: shape inference across nodes that ONNX does not define."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from hotloop.core.wire import as_list, as_message
from hotloop.judge.constants import constant
from hotloop.judge.onnx.rewrites import made_by, seed, unpacked
from hotloop.judge.questions import GivenFile, Question, shown
from hotloop.judge.session import Session
from hotloop.judge.written_files import Assignment
from hotloop.tasks.modules.sparse_attention_op.files import onnx_files

MODELS = onnx_files("shape_models.py")
GIVEN = "layers.onnx"
Rng = np.random.Generator


def _made(
    rng: Rng, session: Session, layers: int, *, faults: bool
) -> tuple[GivenFile, dict[str, Any]]:
    made = made_by(MODELS, session, "made", seed(rng), layers, faults)
    return GivenFile(GIVEN, unpacked(made["model"])), made


def assignments(rng: Rng, session: Session) -> Iterable[Assignment]:
    """Yield models whose shapes the candidate must infer."""
    for layers in (1, 2, 4):
        given, made = _made(rng, session, layers, faults=False)
        label = f"A model of {layers} layer{'s' if layers > 1 else ''}"
        mismatch = _mismatch(given, made["shapes"], session)
        yield Assignment(label, (given,), "inferred.onnx", mismatch)


def _mismatch(
    given: GivenFile, shapes: dict[str, Any], session: Session
) -> Callable[[bytes], str | None]:
    def mismatch(data: bytes) -> str | None:
        process = MODELS.given(session, "reads")
        found = as_message(process.ask("read", GivenFile("answer.onnx", data))) or {}
        if found.get("nodes") != MODELS.trusted(session).ask("nodes_of", given):
            return "its nodes are others than those of the model that it was given"
        version = constant("SHAPED_VERSION", 0, range(2, 1000))
        if version and found.get("version") != version:
            return f"its model_version is {shown(found.get('version'))} and should be {version}"
        return wrong_shape(as_message(found.get("shapes")) or {}, shapes)

    return mismatch


def wrong_shape(found: dict[str, Any], wanted: dict[str, Any]) -> str | None:
    """Return a message about the first tensor whose shape is missing or wrong, or None."""
    for number, (name, dims) in enumerate(wanted.items(), start=1):
        place = f"tensor {number} of {len(wanted)}, {name!r}"
        if name not in found:
            return f"{place}, has no shape; it is {shown(dims)}"
        if as_list(found[name]) != dims:
            return f"{place}, has the shape {shown(found[name])} and should have {shown(dims)}"
    return None


def questions(rng: Rng, session: Session) -> Iterator[Question]:
    """Yield questions that ask for the nodes of a model whose shapes do not fit."""
    for number, faulty in enumerate(rng.permutation([True] * 7 + [False])):
        given, made = _made(rng, session, 1 + number % 3, faults=bool(faulty))
        label = "A model with a node that does not fit" if faulty else "A model without a fault"
        yield Question(label, (given,), _right_names(made["bad"]))


def _right_names(bad: list[str]) -> Callable[[object], str | None]:
    def mismatch(answer: object) -> str | None:
        if answer == bad:
            return None
        return f"it names {shown(answer)}, and the nodes that do not fit are {shown(bad)}"

    return mismatch
