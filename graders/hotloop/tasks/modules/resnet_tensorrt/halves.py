"""Checks of the conversion to float16 that an engine starts from, on small random models."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hotloop.core.wire import as_list
from hotloop.judge.artifact import Assignment
from hotloop.judge.calls import TensorSpec
from hotloop.judge.compare import Tolerance, compare
from hotloop.judge.dtypes import FP16, FP32
from hotloop.judge.questions import GivenFile, shown
from hotloop.judge.rungs.correct import Case, Tensor
from hotloop.judge.session import Session
from hotloop.tasks.modules.resnet_tensorrt.exported_files import Facts, facts_of, products_of
from hotloop.tasks.modules.resnet_tensorrt.given_files import program
from hotloop.tasks.modules.resnet_tensorrt.small_plans import Plan, model_of, sampled

Rng = np.random.Generator

MODELS = 4
SOURCE, TARGET = "model.onnx", "half.onnx"
KEPT = ("inputs", "outputs")
BESIDES = frozenset({"Cast", "Constant", "Identity"})
"""Operators that a conversion may add: none of them could compute a product in float32."""

SHARE = 40 * FP16.unit_roundoff
"""Allowed error as a share of the largest output: some ten successive roundings, with a margin."""


def assignments(rng: Rng, session: Session) -> Iterator[Assignment]:
    """Yield assignments: networks of several branches with fixed shapes."""
    for number in range(1, MODELS + 1):
        plan = sampled(rng, branches=number, tail=1)
        source = model_of(plan, session)
        yield Assignment(
            f"model {number}",
            (GivenFile(SOURCE, source),),
            TARGET,
            lambda data, plan=plan, source=source: _mismatch(plan, source, data, session),
        )


def _mismatch(plan: Plan, source: bytes, data: bytes, session: Session) -> str | None:
    facts, before = facts_of(data, session), facts_of(source, session)
    return unlike(facts, before) or _other_numbers(plan, source, data, session)


def unlike(facts: Facts, before: Facts) -> str | None:
    """Return what is wrong with a converted file by its facts, or None.

    before: its source's facts.
    """
    if facts.get("checker") is not None:
        return f"onnx.checker does not accept it: {shown(facts['checker'])}"
    for what in KEPT:
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


def _other_numbers(plan: Plan, source: bytes, data: bytes, session: Session) -> str | None:
    runner = program("frames_runner.py")
    shapes = plan.shapes()
    given = Tensor(session.rng().standard_normal(shapes[0]), FP32)
    case = Case("a hidden input", (given,), TensorSpec(shapes[-1], FP32))
    ours, theirs = runner.trusted(session), runner.given(session, "runs halves")
    ours.ask("load", GivenFile(SOURCE, source))
    want = ours.answer("run", case)
    theirs.ask("load", GivenFile(TARGET, data))
    near = Tolerance(relative=0.0, absolute=SHARE * float(np.abs(want).max()))
    found = compare(theirs.answer("run", case), want, near)
    return None if found is None else f"it computes something else: {found.sentence()}"
