"""Questions in TensorFlow Serving's own messages, and what its server answers.

Sources: tensorflow_serving/servables/tensorflow/predict_util.cc and model_servers/server_core.cc
for statuses, tensorflow/core/framework/tensor.proto for the forms of a tensor.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, cast

import numpy as np

from hotloop.core import paths
from hotloop.core.wire import as_list
from hotloop.judge.program import Program
from hotloop.judge.questions import GivenFile, Question, same, shown
from hotloop.judge.session import Session
from hotloop.tasks.modules.triton_ensemble.given_files import PROGRAMS

Rng = np.random.Generator

MESSAGES = paths.exercises() / "triton_ensemble" / "tfs_messages.py"
TRUTH = Program(
    {"tfs_truth.py": PROGRAMS / "tfs_truth.py", "tfs_messages.py": MESSAGES}, "tfs_truth.py"
)
READ = Program(
    {"tfs_read.py": PROGRAMS / "tfs_read.py", "tfs_messages.py": MESSAGES}, "tfs_read.py"
)
LABELS = {"ranker": {"stable": 2, "canary": 10}}
NEAR = 1e-3
"""Relative: a product in float16 may be rounded once more."""


def read_tensors(rng: Rng, session: Session) -> Iterator[Question]:
    """Yield TensorProtos of all types in all forms, to be read."""
    asked = TRUTH.trusted(session).ask("tensor_questions", int(rng.integers(1 << 30)))
    for case in cast(list[Mapping[str, Any]], asked):
        mismatch = partial(_arrays_mismatch, [case["holds"]])
        yield Question(f"TensorProto of {case['label']}", ([case["tensor"]],), mismatch)


def write_tensors(rng: Rng, session: Session) -> Iterator[Question]:
    """Yield arrays of all types, to be written as TensorProtos."""
    asked = TRUTH.trusted(session).ask("array_questions", int(rng.integers(1 << 30)))
    for array in cast(list[list[Any]], asked):
        label = f"array of {array[0]}, shape {array[1]}"
        yield Question(label, ([array],), partial(_written_mismatch, session, [array]))


def answered(rng: Rng, session: Session) -> Iterator[Question]:
    """Yield one question: requests to two models, which a server answers."""
    yield from _asked("answered", rng, session)


def refused(rng: Rng, session: Session) -> Iterator[Question]:
    """Yield one question: requests that a server refuses."""
    yield from _asked("refused", rng, session)


def _asked(function: str, rng: Rng, session: Session) -> Iterator[Question]:
    truth, seed = TRUTH.trusted(session), int(rng.integers(1 << 30))
    packed = GivenFile("models.zip", truth.take(truth.ask("models", seed)))
    cases = cast(list[Mapping[str, Any]], truth.ask(function, seed))
    requests = [case["request"] for case in cases]
    mismatch = partial(_responses_mismatch, session, cases)
    yield Question("Requests", (packed, LABELS, requests), mismatch)


def _arrays_mismatch(want: list[Any], answer: object) -> str | None:
    got = as_list(answer)
    if len(got) != len(want):
        return f"the answer is {shown(answer)}"
    for one, other in zip(got, want, strict=True):
        if not same(one, other):
            return f"type, shape and values are {shown(one)}, expected {shown(other)}"
    return None


def _written_mismatch(session: Session, want: list[Any], answer: object) -> str | None:
    texts = as_list(answer)
    if not all(isinstance(text, str) for text in texts):
        return f"the answer is {shown(answer)}"
    got = READ.given(session, "reads").ask("tensors", cast(list[str], texts))
    return _arrays_mismatch(want, got)


def _responses_mismatch(
    session: Session, cases: list[Mapping[str, Any]], answer: object
) -> str | None:
    responses = [as_list(each) for each in as_list(answer)]
    pairs = [pair for pair in responses if len(pair) == 2 and all(type(p) is str for p in pair)]
    if len(pairs) != len(cases):
        return f"the answer is {shown(answer)}"
    for case, (status, content) in zip(cases, pairs, strict=True):
        want = case.get("status", "OK")
        if status != want:
            return f"{case['label']}: the status is {shown(status)}, expected {want}"
        if want == "OK" and (mismatch := _response_mismatch(session, case, str(content))):
            return f"{case['label']}: {mismatch}"
    return None


def _response_mismatch(session: Session, case: Mapping[str, Any], content: str) -> str | None:
    got = cast(Mapping[str, Any], READ.given(session, "reads").ask("response", content))
    if not same(got["spec"], case["spec"]):
        return f"model_spec is {shown(got['spec'])}, expected {shown(case['spec'])}"
    outputs, wanted = got["outputs"], case["outputs"]
    if outputs.keys() != wanted.keys():
        return f"the outputs are {sorted(outputs)}, expected {sorted(wanted)}"
    for name, (kind, shape, values) in wanted.items():
        if outputs[name][:2] != [kind, shape]:
            return f"{name} is {shown(outputs[name][:2])}, expected {shown([kind, shape])}"
        near = np.abs(np.subtract(outputs[name][2], values)) <= NEAR * np.abs(values)
        if not near.all():
            return f"{name} is {shown(outputs[name][2])}, expected {shown(values)}"
    return None
