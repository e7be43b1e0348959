"""Hidden tensors, SavedModels and requests of TensorFlow Serving, with what a server answers.

Runs in one of the judge's workers, which gets nothing of the learner's.
"""

from __future__ import annotations

import base64
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np
import tfs_messages as tfs

VERSIONS = {"ranker": (2, 10), "detector": (3,)}
"""Of which 10 is the highest, although "2" is the last one by its text."""

LABELS = {"ranker": {"stable": 2, "canary": 10}}


def packed(message: Any) -> str:
    """Return a message in base64."""
    return base64.b64encode(message.SerializeToString()).decode()


def written(array: np.ndarray, *, content: bool, most: int | None = None) -> Any:
    """Return a TensorProto, with its bytes or with the first `most` values in the type's field."""
    name = "bytes" if array.dtype == object else array.dtype.name
    tensor = tfs.TensorProto(dtype=tfs.TYPES[name])
    for size in array.shape:
        tensor.tensor_shape.dim.add(size=size)
    if content and name != "bytes":
        tensor.tensor_content = array.tobytes()
        return tensor
    flat = array.reshape(-1)
    values = (flat.view(np.uint16) if name == "float16" else flat).tolist()
    getattr(tensor, tfs.FIELDS[name]).extend(values[:most])
    return tensor


def described(array: np.ndarray) -> list[Any]:
    """Return type, shape and values as plain data; bytes as hexadecimal digits."""
    flat = array.reshape(-1).tolist()
    name = "bytes" if array.dtype == object else array.dtype.name
    values = [each.hex() if isinstance(each, bytes) else each for each in flat]
    return [name, list(array.shape), values]


def sampled(rng: np.random.Generator, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return values that float16 and bytes hold exactly."""
    if name == "bytes":
        count = int(np.prod(shape))
        texts = [bytes(rng.integers(0, 256, int(n)).tolist()) for n in rng.integers(0, 9, count)]
        return np.array([*texts, None], object)[:-1].reshape(shape)
    if name == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    least = 0 if name == "uint8" else -100
    values = rng.integers(least, 100, shape)
    return (values / 4 if name.startswith("float") else values).astype(name)


def tensor_questions(seed: int) -> list[dict[str, Any]]:
    """Return TensorProtos in base64, each with a label and what it holds."""
    rng, found = np.random.default_rng(seed), list[dict[str, Any]]()

    def add(label: str, array: np.ndarray, tensor: Any) -> None:
        found.append({"label": label, "tensor": packed(tensor), "holds": described(array)})

    for name in tfs.TYPES:
        shape = tuple(int(n) for n in rng.integers(1, 4, int(rng.integers(1, 4))))
        array = sampled(rng, name, shape)
        add(f"{name}, values in their field", array, written(array, content=False))
        if name != "bytes":
            add(f"{name}, tensor_content", array, written(array, content=True))
    scalar = sampled(rng, "float32", ())
    add("a scalar", scalar, written(scalar, content=False))
    none = np.zeros((0, int(rng.integers(1, 4))), np.float32)
    add("no rows", none, written(none, content=True))
    for name in ("float32", "int64", "float16"):
        array = sampled(rng, name, (int(rng.integers(2, 5)), 3))
        array.reshape(-1)[2:] = array.reshape(-1)[1]
        add(f"{name}, two values for all", array, written(array, content=False, most=2))
    return found


def array_questions(seed: int) -> list[list[Any]]:
    """Return arrays as type, shape and values; some are scalars, some have no rows."""
    rng, found = np.random.default_rng(seed), list[list[Any]]()
    for name in tfs.TYPES:
        shape = tuple(int(n) for n in rng.integers(1, 4, int(rng.integers(1, 4))))
        found.append(described(sampled(rng, name, shape)))
    found.append(described(sampled(rng, "int64", ())))
    found.append(described(np.zeros((0, 2), np.float32)))
    return found


def models(seed: int) -> str:
    """Return the path of a zip of a folder with a folder for each model and version.

    One folder is no version: somebody copies it there.
    """
    import tensorflow as tf

    root = Path(tempfile.mkdtemp())
    for model, versions in VERSIONS.items():
        for version in versions:
            module, signatures = _module(model, _factor(seed, model, version))
            tf.saved_model.save(module, f"{root}/base/{model}/{version}", signatures=signatures)
    (root / "base" / "ranker" / "11.copying").mkdir()
    (root / "base" / "ranker" / "11.copying" / "saved_model.pb").write_bytes(b"half of it")
    return shutil.make_archive(str(root / "packed"), "zip", root / "base")


def _factor(seed: int, model: str, version: int) -> float:
    return float(np.random.default_rng([seed, len(model), version]).integers(3, 99)) / 4


def _module(model: str, factor: float) -> tuple[Any, dict[str, Any]]:
    import tensorflow as tf

    module = tf.Module()
    module.factor = tf.Variable(factor, dtype=tf.float32)

    def spec(name: str, kind: Any, *sizes: int | None) -> Any:
        return tf.TensorSpec((None, *sizes), kind, name=name)

    @tf.function(input_signature=[spec("ids", tf.int64, 3), spec("weights", tf.float32, 3)])
    def rank(ids: Any, weights: Any) -> dict[str, Any]:
        scores = tf.cast(ids, tf.float32) * weights * module.factor
        return {"scores": scores, "best": tf.argmax(scores, -1)}

    @tf.function(input_signature=[spec("x", tf.float16, 2)])
    def scaled(x: Any) -> dict[str, Any]:
        return {"y": x * tf.cast(module.factor, tf.float16)}

    @tf.function(input_signature=[spec("images", tf.uint8, 2, 2)])
    def detect(images: Any) -> dict[str, Any]:
        return {"boxes": tf.reduce_sum(tf.cast(images, tf.float32), [1, 2]) * module.factor}

    if model == "ranker":
        return module, {"serving_default": rank, "scaled": scaled}
    return module, {"serving_default": detect}


def _request(
    model: str,
    inputs: dict[str, Any],
    *,
    version: int | None = None,
    label: str = "",
    signature: str = "",
    outputs: tuple[str, ...] = (),
) -> Any:
    request = tfs.PredictRequest(output_filter=outputs)
    request.model_spec.name, request.model_spec.signature_name = model, signature
    if version is not None:
        request.model_spec.version.value = version
    if label:
        request.model_spec.version_label = label
    for name, tensor in inputs.items():
        request.inputs[name].CopyFrom(tensor)
    return request


def answered(seed: int) -> list[dict[str, Any]]:
    """Return requests with their labels, and the model_spec and outputs of a right answer."""
    rng, found = np.random.default_rng(seed), list[dict[str, Any]]()

    def add(label: str, request: Any, version: int, outputs: dict[str, np.ndarray]) -> None:
        spec = request.model_spec
        found.append(
            {
                "label": label,
                "request": packed(request),
                "spec": [spec.name, version, spec.signature_name or "serving_default"],
                "outputs": {name: described(array) for name, array in outputs.items()},
            }
        )

    def ranked(version: int, rows: int) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        # Different products, so that there is one highest score.
        ids = rng.permuted(np.tile(np.array([1, 5, 9]), (rows, 1)), axis=1).astype(np.int64)
        weights = np.full((rows, 3), rng.integers(1, 9), np.float32)
        factor = np.float32(_factor(seed, "ranker", version))
        scores = ids.astype(np.float32) * weights * factor
        outputs = {"scores": scores, "best": np.argmax(scores, -1)}
        return {"ids": ids, "weights": weights}, outputs

    def tensors(inputs: dict[str, np.ndarray], *, content: bool) -> dict[str, Any]:
        return {name: written(array, content=content) for name, array in inputs.items()}

    inputs, outputs = ranked(10, 4)
    add("the newest version", _request("ranker", tensors(inputs, content=True)), 10, outputs)
    inputs, outputs = ranked(2, 1)
    given = tensors(inputs, content=False)
    add("version 2", _request("ranker", given, version=2), 2, outputs)
    inputs, outputs = ranked(2, 3)
    given = tensors(inputs, content=True)
    add("a label", _request("ranker", given, label="stable"), 2, outputs)
    inputs, outputs = ranked(10, 3)
    given = {
        "ids": written(inputs["ids"], content=True),
        "weights": written(inputs["weights"], content=False, most=1),
    }
    add("one value for all weights", _request("ranker", given), 10, outputs)
    inputs, outputs = ranked(10, 2)
    request = _request("ranker", tensors(inputs, content=True), outputs=("best",))
    add("one output of two", request, 10, {"best": outputs["best"]})
    x = sampled(rng, "float16", (3, 2))
    y = x * np.float16(_factor(seed, "ranker", 10))
    request = _request("ranker", {"x": written(x, content=False)}, signature="scaled")
    add("another signature", request, 10, {"y": y})
    images = sampled(rng, "uint8", (5, 2, 2))
    boxes = images.astype(np.float32).sum((1, 2)) * np.float32(_factor(seed, "detector", 3))
    request = _request("detector", {"images": written(images, content=True)})
    add("another model", request, 3, {"boxes": boxes})
    return found


def refused(seed: int) -> list[dict[str, Any]]:
    """Return requests that a server refuses, with their labels and the status."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(1, 5))
    ids = written(sampled(rng, "int64", (rows, 3)), content=True)
    weights = written(sampled(rng, "float32", (rows, 3)), content=True)
    right = {"ids": ids, "weights": weights}
    short = written(sampled(rng, "float32", (rows, 3)), content=True)
    short.tensor_content = short.tensor_content[:-4]
    missing, invalid = "NOT_FOUND", "INVALID_ARGUMENT"
    cases = [
        ("an unknown model", _request("sorter", right), missing),
        ("an unknown version", _request("ranker", right, version=7), missing),
        ("a version that is being copied", _request("ranker", right, version=11), missing),
        ("an unknown label", _request("ranker", right, label="best"), invalid),
        (
            "an unknown signature",
            _request("ranker", right, signature="sorted"),
            "FAILED_PRECONDITION",
        ),
        ("an input that is missing", _request("ranker", {"ids": ids}), invalid),
        ("an input too many", _request("ranker", {**right, "mask": ids}), invalid),
        ("another type", _request("ranker", {"ids": weights, "weights": weights}), invalid),
        (
            "bytes that do not fill the shape",
            _request("ranker", {**right, "weights": short}),
            invalid,
        ),
        ("an unknown output", _request("ranker", right, outputs=("worst",)), invalid),
        ("an output twice", _request("ranker", right, outputs=("best", "best")), invalid),
    ]
    return [
        {"label": label, "request": packed(request), "status": status}
        for label, request, status in cases
    ]
