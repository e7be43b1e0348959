"""Questions about TensorFlow Serving's REST interface and the open inference protocol.

Source: https://www.tensorflow.org/tfx/serving/api_rest
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from hotloop.core.wire import as_list
from hotloop.judge.questions import Question, shown

Rng = np.random.Generator

NAMES = ("topics", "ranker", "detector")
TENSORS = ("pixels", "ids", "weights", "mask")
TYPES = {"FP32": float, "INT64": int}


def request_questions(rng: Rng) -> Iterator[Question]:
    """Yield requests by row or column, with one or two inputs, with or without a version.

    The last ones must be refused.
    """
    for number, columns in enumerate((False, True, False, True), start=1):
        tensors = _tensors(rng, inputs=1 + number // 3)
        version = int(rng.integers(1, 9)) if number % 2 else None
        name = str(rng.choice(NAMES))
        place = f"/versions/{version}" if version else ""
        want = {
            "path": f"/v2/models/{name}{place}/infer",
            "inputs": {
                n: [kind, list(values.shape), values.ravel().tolist()]
                for n, (kind, values) in tensors.items()
            },
        }
        body = json.dumps({"signature_name": "serving_default", **_body(tensors, columns)})
        signature = json.dumps({n: kind for n, (kind, _) in tensors.items()})
        path = f"/v1/models/{name}{place}:predict"
        label = f"Request {number}"
        yield Question(label, (path, body, signature), partial(_other_request, want=want))
    body, signature = '{"instances": [1.0], "inputs": [1.0]}', '{"x": "FP32"}'
    yield Question("Rows and columns", ("/v1/models/a:predict", body, signature), _not_refused)
    yield Question("Neither", ("/v1/models/a:predict", "{}", signature), _not_refused)
    body = '{"instances": [1.0]}'
    yield Question("A label", ("/v1/models/a/labels/canary:predict", body, signature), _not_refused)


def answer_questions(rng: Rng) -> Iterator[Question]:
    """Yield answers with one or two outputs, by row or column."""
    for number, columns in enumerate((False, True, False, True), start=1):
        tensors = _tensors(rng, inputs=1 + number // 3)
        response = {
            "outputs": [
                {
                    "name": name,
                    "datatype": kind,
                    "shape": list(values.shape),
                    "data": values.ravel().tolist(),
                }
                for name, (kind, values) in tensors.items()
            ]
        }
        request = '{"inputs": [[0]]}' if columns else '{"instances": [[0]]}'
        want = _body(tensors, columns)
        key = "outputs" if columns else "predictions"
        want = {key: next(iter(want.values()))}
        mismatch = partial(_other_answer, want=want)
        yield Question(f"Answer {number}", (request, json.dumps(response)), mismatch)


def _tensors(rng: Rng, inputs: int) -> dict[str, tuple[str, np.ndarray]]:
    """Return the type and values of each tensor of one batch, by name."""
    batch = int(rng.integers(2, 5))
    tensors: dict[str, tuple[str, np.ndarray]] = {}
    for name in rng.choice(TENSORS, inputs, replace=False):
        kind = str(rng.choice(list(TYPES)))
        shape = (batch, *(int(n) for n in rng.integers(2, 4, int(rng.integers(1, 3)))))
        tensors[str(name)] = (kind, rng.integers(-9, 9, shape).astype(TYPES[kind]))
    return tensors


def _body(tensors: Mapping[str, tuple[str, np.ndarray]], columns: bool) -> dict[str, Any]:
    values = {name: array.tolist() for name, (_, array) in tensors.items()}
    single = next(iter(values.values())) if len(values) == 1 else None
    if columns:
        return {"inputs": values if single is None else single}
    rows = [dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True)]
    return {"instances": rows if single is None else single}


def _other_request(answer: object, want: Mapping[str, Any]) -> str | None:
    parts = as_list(answer)
    if len(parts) != 2 or not all(isinstance(part, str) for part in parts):
        return f"the answer is {shown(answer)}, not a path and a body"
    path, body = parts
    if path != want["path"]:
        return f"the path is {shown(path)} and should be {want['path']!r}"
    try:
        tensors = {
            t["name"]: [t["datatype"], t["shape"], _row_by_row(t["data"])]
            for t in json.loads(body)["inputs"]
        }
    except (ValueError, TypeError, KeyError):
        return "the body is no JSON with inputs that have name, datatype, shape and data"
    for name, (kind, shape, data) in want["inputs"].items():
        if tensors.get(name) != [kind, shape, data]:
            return (
                f"input {name} is {shown(tensors.get(name))}: type {kind}, shape {shape} expected"
            )
    return None if tensors.keys() == want["inputs"].keys() else "it has an input too many"


def _row_by_row(data: object) -> list[Any]:
    """Return the numbers of a tensor, which the protocol has flat or nested."""
    if not isinstance(data, list):
        return [data]
    return [number for part in as_list(data) for number in _row_by_row(part)]


def _not_refused(answer: object) -> str | None:
    return None if answer is None else f"the answer is {shown(answer)}; Triton has no such request"


def _other_answer(answer: object, want: Mapping[str, Any]) -> str | None:
    try:
        document = json.loads(answer) if isinstance(answer, str) else None
    except ValueError:
        document = None
    if document is None:
        return f"the answer is {shown(answer)}, not a text of JSON"
    return (
        None if document == want else f"it is {shown(document)} and should be {shown(dict(want))}"
    )
