"""Checks of the conversion to float16 that an engine starts from, on small random models."""

from __future__ import annotations

from collections.abc import Iterator

from hotloop.core.wire import as_list
from hotloop.judge.dtypes import FP16
from hotloop.judge.onnx.programs import Facts, facts_of, products_of
from hotloop.judge.onnx.rewrites import HiddenGraph, Rng, made_by, miscomputed, seed
from hotloop.judge.questions import GivenFile, shown
from hotloop.judge.session import Session
from hotloop.judge.written_files import Assignment
from hotloop.tasks.modules.resnet_tensorrt.given_files import MAKERS

MODELS = 4
BESIDES = frozenset({"Cast", "Constant", "Identity"})
"""Operators that a conversion may add: none of them could compute a product in float32."""

SHARE = 40 * FP16.unit_roundoff
"""Allowed error as a share of the largest output: some ten successive roundings, with a margin."""


def assignments(rng: Rng, session: Session) -> Iterator[Assignment]:
    """Yield assignments: networks of several branches with fixed shapes."""
    for number in range(1, MODELS + 1):
        graph = HiddenGraph.of(made_by(MAKERS, session, "small", seed(rng), number, 1))
        yield Assignment(
            f"model {number}",
            (graph.file("model.onnx"),),
            "half.onnx",
            lambda data, graph=graph: _mismatch(graph, data, session),
        )


def _mismatch(graph: HiddenGraph, data: bytes, session: Session) -> str | None:
    facts = facts_of(GivenFile("half.onnx", data), session)
    mismatch = unlike(facts, facts_of(graph.file(), session))
    if mismatch is not None:
        return mismatch
    wrong = miscomputed(session, [graph], [data], SHARE)
    return None if wrong is None else wrong[1]


def unlike(facts: Facts, before: Facts) -> str | None:
    """Return what is wrong with a converted file by its facts, or None.

    before: its source's facts.
    """
    if facts.get("checker") is not None:
        return f"onnx.checker does not accept it: {shown(facts['checker'])}"
    for what in ("inputs", "outputs"):
        if facts.get(what) != before.get(what):
            return f"its {what} are no longer those of the model: {shown(facts.get(what))}"
    if facts.get("functions") or facts.get("foreign"):
        return "it has operators that are not ONNX's own"
    extra = _operators(facts) - _operators(before) - BESIDES
    if extra:
        return f"it has {shown(min(extra))}, which is neither the model's nor a conversion"
    return _still_single(facts, before)


def _still_single(facts: Facts, before: Facts) -> str | None:
    """Return a message unless the output needs the model's products, all with float16 weights."""
    products = products_of(facts)
    if any(kind != "FLOAT16" for _, _, kind in products):
        return "a convolution still has its weights in another type than float16"
    now, then = (sorted(p[:2] for p in each) for each in (products, products_of(before)))
    if now == then:
        return None
    return f"{len(now)} products lead to its output, {len(then)} in the model, or of other shapes"


def _operators(facts: Facts) -> set[str]:
    return {str(name) for name in as_list(facts.get("operators"))}
