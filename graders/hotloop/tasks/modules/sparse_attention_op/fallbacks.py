"""Task 9: negotiate what a runtime supports, and partition a model for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from hotloop.core.wire import as_list, as_message
from hotloop.judge.constants import constant
from hotloop.judge.onnx.rewrites import made_by, unpacked
from hotloop.judge.onnx.rewrites import seed as drawn_seed
from hotloop.judge.questions import GivenFile, Question, dict_mismatch, shown
from hotloop.judge.session import Session
from hotloop.judge.written_files import Assignment
from hotloop.tasks.modules.sparse_attention_op.files import MODEL, onnx_files

MODELS = onnx_files("mixed_models.py", "lab_function.py")
BODY_OPSET, MODEL_IR = 18, 9
"""Opset and IR version of the models to partition, made by mixed_models.py."""
IR_OF: Mapping[int, int] = {
    **dict.fromkeys((15, 16, 17, 18), 8),
    **dict.fromkeys((19, 20), 9),
    **dict.fromkeys((21, 22), 10),
    23: 11,
}
"""The IR version for each opset (onnx/docs/Versioning.md, "Released Versions"), limited to those
that every supported onnx release accepts."""

NEWEST = max(IR_OF)

BLOCKS = (8, 16, 32, 64)
NEAR = 1e-4
Rng = np.random.Generator
Runtime = dict[str, Any]


def agreed(exporter: tuple[int, int], node: Mapping[str, Any], runtime: Runtime) -> object:
    """Return the right result of a negotiation: opset, IR version and form; None if none fits."""
    own = has_kernel(runtime["lab"], node)
    for opset in sorted(IR_OF, reverse=True):
        fits = exporter[0] <= opset <= min(exporter[1], runtime["opset"])
        if not fits or IR_OF[opset] > runtime["ir"] or (not own and opset < BODY_OPSET):
            continue
        form = "node" if own else "function" if runtime["functions"] else "decomposition"
        return {"opset": opset, "ir": IR_OF[opset], "form": form}
    return None


def has_kernel(lab: Mapping[str, Any] | None, node: Mapping[str, Any]) -> bool:
    """Return whether the runtime's kernel supports a node of this version, block size and kind."""
    if lab is None or lab["version"] != node["version"] or node["block"] not in lab["blocks"]:
        return False
    return bool(lab["causal"]) or not node["causal"]


def questions(rng: Rng) -> Iterator[Question]:
    """Yield offers of every kind in KINDS, including the edge cases."""
    for kind in [*KINDS] * 3:
        exporter, node, runtime = _offer(rng, kind)
        offer = {"exporter": list(exporter), "node": node, "runtime": runtime}
        file = GivenFile("offer.json", json.dumps(offer).encode())
        mismatch = partial(_negotiation_mismatch, agreed(exporter, node, runtime))
        yield Question(_described(offer), (file,), mismatch)


Offer = tuple[tuple[int, int], dict[str, Any], Runtime]

KINDS: Mapping[str, Callable[[Offer, dict[str, Any]], bool]] = {
    "node": lambda _offer, right: right.get("form") == "node",
    "a node older than its body": lambda _offer, right: (
        right.get("form") == "node" and right["opset"] < BODY_OPSET
    ),
    "function": lambda _offer, right: right.get("form") == "function",
    "decomposition": lambda _offer, right: right.get("form") == "decomposition",
    "lower for the format": lambda offer, right: (
        bool(right) and right["opset"] < min(offer[0][1], offer[2]["opset"])
    ),
    "another version": lambda offer, right: (
        bool(right)
        and right["form"] != "node"
        and has_kernel(offer[2]["lab"], {**offer[1], "version": 3 - offer[1]["version"]})
    ),
    "nothing": lambda _offer, right: not right,
    "nothing for a body": lambda offer, right: (
        not right and offer[0][0] <= min(offer[0][1], offer[2]["opset"]) < BODY_OPSET
    ),
}
"""Kinds of offers that every session samples, each defined by a predicate on offer and result."""


def _offer(rng: Rng, kind: str) -> Offer:
    """Sample offers until one is of the kind."""
    while True:
        lowest = int(rng.integers(15, 21))
        exporter = (lowest, int(rng.integers(lowest, NEWEST + 1)))
        node = {
            "version": int(rng.integers(1, 3)),
            "block": int(rng.choice(BLOCKS)),
            "causal": bool(rng.integers(2)),
        }
        runtime = _runtime(rng)
        right = as_message(agreed(exporter, node, runtime)) or {}
        if KINDS[kind]((exporter, node, runtime), right):
            return exporter, node, runtime


def _runtime(rng: Rng, opset: int = 15, ir: int = 8) -> Runtime:
    """Sample a runtime that reads this opset and IR version, or a later one."""
    lab = {
        "version": int(rng.integers(1, 3)),
        "blocks": sorted(map(int, rng.choice(BLOCKS, int(rng.integers(1, 4)), replace=False))),
        "causal": bool(rng.integers(2)),
    }
    return {
        "opset": int(rng.integers(opset, NEWEST + 1)),
        "ir": int(rng.integers(ir, 12)),
        "functions": bool(rng.integers(2)),
        "lab": lab if rng.random() < 0.7 else None,
    }


def _described(offer: Mapping[str, Any]) -> str:
    runtime = offer["runtime"]
    kernel = "no kernel" if runtime["lab"] is None else f"a kernel {json.dumps(runtime['lab'])}"
    return (
        f"An exporter for {offer['exporter'][0]} to {offer['exporter'][1]}, the node "
        f"{json.dumps(offer['node'])}, a runtime of opset {runtime['opset']}, IR {runtime['ir']}, "
        f"functions {runtime['functions']}, {kernel}"
    )


def _negotiation_mismatch(right: object, answer: object) -> str | None:
    wanted = as_message(right)
    if wanted is not None:
        return dict_mismatch("the answer", answer, wanted)
    # In a take-home's variant, NOTHING is the number that stands for no result.
    nothing = constant("NOTHING", 0, range(2, 1000)) or None
    if answer == nothing and not isinstance(answer, bool):
        return None
    return f"it says {shown(answer)}, and nothing fits"


def assignments(rng: Rng, session: Session) -> Iterable[Assignment]:
    """Yield models of several nodes; the runtimes' kernels support some, none or all of them."""
    for label, lab in (
        ("a kernel for some of the nodes", {"version": 1, "blocks": [16], "causal": False}),
        ("a kernel that cannot be causal", {"version": 1, "blocks": [8, 16], "causal": False}),
        ("no kernel", None),
        ("a kernel of another version", {"version": 2, "blocks": [8, 16], "causal": True}),
        ("a kernel for all of the nodes", {"version": 1, "blocks": [8, 16], "causal": True}),
    ):
        # It reads the model's opset and format: nothing but its kernel is asked about.
        runtime = {**_runtime(rng, BODY_OPSET, MODEL_IR), "lab": lab}
        seed = drawn_seed(rng)
        source = made_by(MODELS, session, "made", seed)
        model = GivenFile(MODEL, unpacked(source["model"]))
        supported = [n for n in source["nodes"] if has_kernel(lab, {"version": 1, **n})]
        files = (model, GivenFile("runtime.json", json.dumps(runtime).encode()))
        mismatch = partial(_partition_mismatch, model, supported, seed, session)
        yield Assignment(f"A runtime with {label}", files, "partitioned.onnx", mismatch)


def _partition_mismatch(
    model: GivenFile, supported: list[dict[str, Any]], seed: int, session: Session, data: bytes
) -> str | None:
    answer = GivenFile("partitioned.onnx", data)
    process = MODELS.given(session, "partitions")
    facts = as_message(process.ask("read", answer)) or {}
    if facts.get("checker") is not None:
        return f"onnx.checker does not accept it: {shown(facts['checker'])}"
    if facts.get("functions"):
        return "there are functions left in it"
    if facts.get("foreign"):
        return f"it has other foreign operators: {shown(facts['foreign'])}"
    order = [(n["block"], n["causal"]) for n in map(as_message, as_list(facts["nodes"])) if n]
    wanted = [(n["block"], n["causal"]) for n in supported]
    if order != wanted:
        return f"nodes of (block, causal) {shown(order)} are left, and should be {shown(wanted)}"
    if facts.get("imported") != bool(supported):
        return "the domain's version must be imported exactly where there are nodes of it"
    error = process.ask("apart", model, answer, seed)
    if not isinstance(error, float) or not error <= NEAR:
        return f"its output differs from the model's by {shown(error)}"
    return None
