"""Check an exported file against the Jetson Nano's constraints.

The learner has the same table: jetson_nano.json, with the source of every row. This reads our own
copy.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, cast

from hotloop.core.wire import as_list, as_message
from hotloop.judge.dtypes import FP32
from hotloop.judge.onnx.programs import Facts, facts_of
from hotloop.judge.onnx.rewrites import HiddenGraph, Rng, made_by, seed
from hotloop.judge.questions import GivenFile, Question, number_mismatch, shown
from hotloop.judge.session import Session
from hotloop.tasks.modules.resnet_tensorrt.exported_files import (
    whole,
    without_the_network,
    wrong_ends,
    wrong_numbers,
)
from hotloop.tasks.modules.resnet_tensorrt.given_files import EXERCISE, MAKERS

Table = dict[str, Any]

BATCHES = (1, 2, 4)


def constraints() -> Table:
    """Return the part of the table that is checked."""
    text = (EXERCISE / "jetson_nano.json").read_text(encoding="utf-8")
    return cast(Table, json.loads(text)["constraints"])


def fits(file: GivenFile, batch: int, session: Session) -> str | None:
    """Return the first constraint that the exported file violates, or None."""
    return next(_breaches(facts_of(file, session), file, batch, constraints()), None)


def correct(file: GivenFile, batch: int, session: Session) -> str | None:
    """Return the first wrong probability, or None, for float32 frames and the one batch size."""
    return wrong_numbers(file, session, FP32, (batch,))


def about_memory(rng: Rng, session: Session) -> Iterator[Question]:
    """Yield questions about the memory that small random models need.

    The first is a chain, the second has a long-lived value, and others are random.
    """
    some = [(int(rng.integers(1, 4)), int(rng.integers(0, 4))) for _ in range(4)]
    for number, (branches, tail) in enumerate([(0, 0), (1, 6), *some], start=1):
        small = HiddenGraph.of(made_by(MAKERS, session, "small", seed(rng), branches, tail))
        model = small.file("model.onnx")
        yield Question(f"model {number}", (model,), partial(_memory_mismatch, small.figures))


def _memory_mismatch(want: Mapping[str, int], answer: object) -> str | None:
    reported = as_message(answer)
    if reported is None or not want.keys() <= reported.keys():
        return f'it is {shown(answer)}, not {{"weights": …, "activations": …}}'
    for key, size in want.items():
        mismatch = number_mismatch(f"“{key}”", reported[key], size, 0.0)
        if mismatch is not None:
            return mismatch
    return None


def _breaches(facts: Facts, file: GivenFile, batch: int, table: Table) -> Iterator[str]:
    most = table["opset"]["at_most"]
    opset = facts.get("opset")
    if not isinstance(opset, int) or opset > most:
        yield f"the file says opset {shown(opset)}, and TensorRT 8.2 reads up to {most}"
    basic = whole(facts, file.data)
    if basic is not None:
        yield basic
    yield from wrong_ends(facts, table["input"]["type"], batch)
    for what, key in (("stored", "stored_types"), ("types", "tensor_types")):
        extra = sorted({str(t) for t in as_list(facts.get(what))} - {*table[key]["only"]})
        if extra:
            yield f"it has tensors of type {extra[0]}, which the table does not have"
    if facts.get("beyond_int32"):
        yield "an int64 does not fit into int32, and would be clamped"
    if facts.get("computed_kernels"):
        yield "the weights of a convolution are computed: they must be stored"
    yield from _wrong_operators(facts, table)
    missing = without_the_network(facts)
    if missing is not None:
        yield missing


def _wrong_operators(facts: Facts, table: Table) -> Iterator[str]:
    used = {str(name) for name in as_list(facts.get("operators"))}
    never = used & {*table["operators_not_here"]["never"]}
    if never:
        yield f"{min(never)} computes in int8, which this chip does not have"
    unknown = used - {*table["operators"]["only"]}
    if unknown:
        yield f"{min(unknown)} is no operator of TensorRT 8.2's parser"
