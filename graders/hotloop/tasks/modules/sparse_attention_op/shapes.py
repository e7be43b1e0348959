"""Task 7: shape inference across nodes that ONNX does not define."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from hotloop.core.wire import as_list, as_message
from hotloop.judge.constants import constant
from hotloop.judge.onnx.rewrites import made_by, message_of, seed, unpacked
from hotloop.judge.questions import GivenFile, Question, shown
from hotloop.judge.session import Session
from hotloop.judge.written_files import Assignment
from hotloop.tasks.modules.sparse_attention_op.files import onnx_files

MODELS = onnx_files("shape_models.py")
MODEL = "layers.onnx"
Rng = np.random.Generator


def _sampled(
    rng: Rng, session: Session, layers: int, *, faults: bool
) -> tuple[GivenFile, dict[str, Any]]:
    """Return a model, and the shapes of its tensors and the nodes that do not fit, by key."""
    source = made_by(MODELS, session, "made", seed(rng), layers, faults)
    return GivenFile(MODEL, unpacked(source["model"])), source


def assignments(rng: Rng, session: Session) -> Iterable[Assignment]:
    """Yield models whose shapes the candidate must infer."""
    for layers in (1, 2, 4):
        model, source = _sampled(rng, session, layers, faults=False)
        label = f"A model of {layers} layer{'s' if layers > 1 else ''}"
        mismatch = partial(_mismatch, model, source["shapes"], session)
        yield Assignment(label, (model,), "inferred.onnx", mismatch)


def _mismatch(
    model: GivenFile, shapes: dict[str, Any], session: Session, data: bytes
) -> str | None:
    process = MODELS.given(session, "reads")
    inferred = as_message(process.ask("read", GivenFile("answer.onnx", data))) or {}
    source = message_of(MODELS.trusted(session).ask("read", model))
    if inferred.get("nodes") != source["nodes"]:
        return "its nodes are others than those of the model that it was given"
    version = constant("SHAPED_VERSION", 0, range(2, 1000))
    if version and inferred.get("version") != version:
        return f"its model_version is {shown(inferred.get('version'))} and should be {version}"
    return wrong_shape(as_message(inferred.get("shapes")) or {}, shapes)


def wrong_shape(inferred: dict[str, Any], wanted: dict[str, Any]) -> str | None:
    """Return a message about the first tensor whose shape is missing or wrong, or None."""
    for number, (name, dims) in enumerate(wanted.items(), start=1):
        place = f"tensor {number} of {len(wanted)}, {name!r}"
        if name not in inferred:
            return f"{place}, has no shape; it is {shown(dims)}"
        if as_list(inferred[name]) != dims:
            return f"{place}, has the shape {shown(inferred[name])} and should have {shown(dims)}"
    return None


def questions(rng: Rng, session: Session) -> Iterator[Question]:
    """Yield questions that ask for the nodes of a model whose shapes do not fit."""
    for number, faulty in enumerate(rng.permutation([True] * 7 + [False])):
        model, source = _sampled(rng, session, 1 + number % 3, faults=bool(faulty))
        label = "A model with a node that does not fit" if faulty else "A model without a fault"
        yield Question(label, (model,), partial(_names_mismatch, source["bad"]))


def _names_mismatch(bad: list[str], answer: object) -> str | None:
    if answer == bad:
        return None
    return f"it names {shown(answer)}, and the nodes that do not fit are {shown(bad)}"
