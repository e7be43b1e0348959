"""Read and run programs and arrays that a candidate wrote, without hidden pictures' labels."""

from __future__ import annotations

import tempfile
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import paddle
from paddle import inference

BATCH, SIDE, CLASSES = 16, 16, 4
NAMES = ("network.json", "network.pdiparams")
MOST_BYTES = 32 << 20
OPENED: dict[str, Path] = {}
PREDICTORS: dict[str, Any] = {}


def exported(path: str) -> str:
    """Return the path of a zip with the published network's program, as Paddle captures it."""
    folder = Path(tempfile.mkdtemp())
    spec = paddle.static.InputSpec([BATCH, 3, SIDE, SIDE], "float32", "image")
    paddle.jit.save(_published(path), str(folder / "network"), input_spec=[spec])
    target = folder / "network.zip"
    with zipfile.ZipFile(target, "w") as archive:
        for part in NAMES:
            archive.write(folder / part, part)
    return str(target)


def _published(path: str) -> paddle.nn.Layer:
    model = paddle.vision.models.mobilenet_v1(scale=0.25, num_classes=CLASSES)
    with np.load(path) as arrays:
        model.set_state_dict({name: paddle.to_tensor(arrays[name]) for name in arrays.files})
    model.eval()
    return model


def opened(name: str, path: str) -> None:
    """Unpack a program, to be called `name`. Raises ValueError if it has another content."""
    folder = Path(tempfile.mkdtemp())
    with zipfile.ZipFile(path) as archive:
        for part in NAMES:
            if archive.getinfo(part).file_size > MOST_BYTES:
                raise ValueError(f"{part} has more than {MOST_BYTES >> 20} MiB")
            (folder / part).write_bytes(archive.read(part))
    OPENED[name] = folder
    config = inference.Config(*(str(folder / part) for part in NAMES))
    config.disable_gpu()
    config.disable_glog_info()
    config.set_cpu_math_library_num_threads(1)
    # The program as it was written: Paddle's own passes would rewrite it once more.
    config.switch_ir_optim(False)
    PREDICTORS[name] = inference.create_predictor(config)


def facts(name: str) -> dict[str, Any]:
    """Return counts of operations by name, and of each weight whether int8 could hold it."""
    paddle.enable_static()
    try:
        with paddle.static.scope_guard(paddle.static.Scope()):
            executor = paddle.static.Executor(paddle.CPUPlace())
            prefix = str(OPENED[name] / "network")
            program, _, _ = paddle.static.load_inference_model(prefix, executor)
            scope = paddle.static.global_scope()
            counts = Counter(op.name() for op in program.global_block().ops)
            weights = [
                np.array(scope.find_var(value.name).get_tensor())
                for op in program.global_block().ops
                if op.name() == "builtin.parameter"
                for value in op.results()
            ]
    finally:
        paddle.disable_static()
    large = [weight for weight in weights if weight.ndim in (2, 4)]
    whole = [bool((w == np.round(w)).all() and np.abs(w).max() <= 128) for w in large]
    return {
        "operations": dict(counts),
        "weights": len(large),
        "in_int8": sum(whole),
        "bytes": sum(w.size if int8 else w.size * 4 for w, int8 in zip(large, whole, strict=True)),
    }


def logits(name: str, pictures: str) -> list[list[float]]:
    """Return the program's scores of pictures, whose number BATCH divides."""
    with np.load(pictures) as arrays:
        images = arrays["images"]
    parts = [_run(PREDICTORS[name], images[k : k + BATCH]) for k in range(0, len(images), BATCH)]
    return np.concatenate(parts).astype(np.float64).tolist()


def _run(predictor: Any, images: np.ndarray) -> np.ndarray:
    (into,), (out,) = predictor.get_input_names(), predictor.get_output_names()
    predictor.get_input_handle(into).copy_from_cpu(np.ascontiguousarray(images))
    predictor.run()
    return predictor.get_output_handle(out).copy_to_cpu()


def dense(path: str, right: str) -> str | None:
    """Return what of an .npz is not 2:4 along its inputs, or of another shape; None if nothing."""
    with np.load(path) as got, np.load(right) as want:
        for name in want.files:
            if name not in got.files:
                return f"it has no {name}"
            array = got[name]
            if array.shape != want[name].shape or array.dtype != np.float32:
                return f"{name} is {array.dtype} {list(array.shape)}"
            if not np.isfinite(array).all():
                return f"{name} is not finite"
            wrong = _full_group(array)
            if wrong:
                return f"{name} has {wrong} groups of 4 inputs with more than 2 weights"
    return None


def _full_group(weight: np.ndarray) -> int:
    """Return how many groups of 4 inputs have more than 2 weights, where ASP prunes."""
    if weight.ndim == 4 and weight.shape[1] % 4 == 0:
        inputs = weight.transpose(0, 2, 3, 1)
    elif weight.ndim == 2:
        inputs = weight.T
    else:
        return 0
    groups = (inputs != 0).reshape(-1, 4).sum(1)
    return int((groups > 2).sum())


def sparse_logits(path: str, pictures: str) -> list[list[float]]:
    """Return the scores of the published network with the arrays of an .npz."""
    model = _published(path)
    with np.load(pictures) as given, paddle.no_grad():
        parts = np.split(given["images"], range(64, len(given["images"]), 64))
        return np.concatenate([model(paddle.to_tensor(x)).numpy() for x in parts]).tolist()
