"""The Jetson Nano's constraints, and whether an exported file keeps to them.

The table is the learner's too: jetson_nano.json, with the source of every row. Here our own copy is
read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

import numpy as np

from hotloop.checks.resnet_tensorrt import given_files
from hotloop.checks.resnet_tensorrt.exported_files import (
    CLASSES,
    OUTPUT,
    SIDE,
    Facts,
    Order,
    batch_of,
    end_complaint,
    facts_of,
    whole,
    without_the_network,
    wrong_numbers,
)
from hotloop.checks.resnet_tensorrt.small_plans import Plan, memory, model_of, plans
from hotloop.core.wire import as_list, as_message
from hotloop.judge.dtypes import FP32
from hotloop.judge.questions import GivenFile, Question, number_complaint, shown
from hotloop.judge.session import Session

Rng = np.random.Generator
Table = dict[str, Any]

BATCHES = (1, 2, 4)
KEYS = ("weights", "activations")


def constraints() -> Table:
    """The part of the table that is checked."""
    text = (given_files.GIVEN / "jetson_nano.json").read_text(encoding="utf-8")
    return cast(Table, json.loads(text)["constraints"])


def fits(order: Order, session: Session) -> str | None:
    """The exported file against the table."""
    told = facts_of(order.data, session)
    return next(_breaches(told, order, constraints()), None)


def correct(order: Order, session: Session) -> str | None:
    """The exported file on batches of its one size, in float32."""
    return wrong_numbers(order, session, FP32, (order.number,))


def about_memory(rng: Rng, session: Session) -> Iterator[Question]:
    """What small models need that the judge has drawn."""
    for number, plan in enumerate(plans(rng), start=1):
        given = GivenFile("model.onnx", model_of(plan, session))
        yield Question(f"model {number}", (given,), _complaint_about(plan))


def _complaint_about(plan: Plan) -> Any:
    wanted = memory(plan)

    def complaint(answer: object) -> str | None:
        told = as_message(answer)
        if told is None or sorted(told) != sorted(KEYS):
            return f'it is {shown(answer)}, not {{"weights": …, "activations": …}}'
        for key in KEYS:
            found = number_complaint(f"“{key}”", told[key], wanted[key], 0.0)
            if found is not None:
                return found
        return None

    return complaint


def _breaches(told: Facts, order: Order, table: Table) -> Iterator[str]:
    most = table["opset"]["at_most"]
    opset = told.get("opset")
    if not isinstance(opset, int) or opset > most:
        yield f"the file says opset {shown(opset)}, and TensorRT 8.2 reads up to {most}"
    basic = whole(told, order.data)
    if basic is not None:
        yield basic
    yield from _wrong_ends(told, order, table)
    for what, key in (("stored", "stored_types"), ("types", "tensor_types")):
        extra = sorted({str(t) for t in as_list(told.get(what))} - {*table[key]["only"]})
        if extra:
            yield f"it has tensors of type {extra[0]}, which the table does not have"
    if told.get("beyond_int32"):
        yield "an int64 does not fit into int32, and would be clamped"
    if told.get("computed_kernels"):
        yield "the weights of a convolution are computed: they must be stored"
    yield from _wrong_operators(told, table)
    missing = without_the_network(told)
    if missing is not None:
        yield missing


def _wrong_ends(told: Facts, order: Order, table: Table) -> Iterator[str]:
    name, element = table["input"]["name"], table["input"]["type"]
    for end, called, kind, dims in (
        ("inputs", name, element, (SIDE, SIDE, 3)),
        ("outputs", OUTPUT, "FLOAT", (CLASSES,)),
    ):
        complaint = end_complaint(told, end, called, kind, dims)
        if complaint is not None:
            yield complaint
        elif batch_of(told, end) != order.number:
            yield f"the batch of {called} is {shown(batch_of(told, end))}: fix it at {order.number}"


def _wrong_operators(told: Facts, table: Table) -> Iterator[str]:
    used = {str(name) for name in as_list(told.get("operators"))}
    never = used & {*table["operators_not_here"]["never"]}
    if never:
        yield f"{min(never)} computes in int8, which this chip does not have"
    unknown = used - {*table["operators"]["only"]}
    if unknown:
        yield f"{min(unknown)} is no operator of TensorRT 8.2's parser"
