"""Read, run and time programs that a candidate wrote, in Paddle Inference, without labels."""

from __future__ import annotations

import contextlib
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import paddle
from paddle import inference
from paddle.quantization import PTQ, QuantConfig
from paddle.quantization.observers import AbsmaxObserver

BATCH, SIDE, CLASSES = 16, 16, 4
NAMES = ("network.json", "network.pdiparams")
MOST_BYTES = 32 << 20
SCALING = ("batch_norm", "multiply", "divide", "scale")
"""Parts of names of operations that a folded batch norm leaves none of."""

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
    """Unpack a program, to be called `name`, and load it as it was written."""
    folder = Path(tempfile.mkdtemp())
    with zipfile.ZipFile(path) as archive:
        for part in NAMES:
            if archive.getinfo(part).file_size > MOST_BYTES:
                raise ValueError(f"{part} has more than {MOST_BYTES >> 20} MiB")
            (folder / part).write_bytes(archive.read(part))
    OPENED[name] = folder
    config = _config(folder)
    config.switch_ir_optim(False)
    PREDICTORS[name] = inference.create_predictor(config)


def load(path: str, passes: list[str]) -> None:
    """Open the program that `run` runs, behind these passes of Paddle's alone."""
    opened("timed", path)
    config = _config(OPENED["timed"])
    config.enable_mkldnn()
    config.enable_custom_passes(passes, True)
    PREDICTORS["timed"] = inference.create_predictor(config)


def _config(folder: Path) -> Any:
    config = inference.Config(*(str(folder / part) for part in NAMES))
    config.disable_gpu()
    config.disable_glog_info()
    config.set_cpu_math_library_num_threads(1)
    return config


def batch_norms(name: str) -> int:
    """Return how many operations normalize or scale what a program computes from the pictures."""
    pictured: set[int] = set()
    count = 0
    with _operations(name) as ops:
        for op in ops:
            sources = [each for each in op.operands_source() if each.initialized()]
            if op.name() != "pd_op.data" and not any(each.id in pictured for each in sources):
                continue
            pictured |= {each.id for each in op.results()}
            count += any(word in op.name() for word in SCALING)
    return count


@contextlib.contextmanager
def _operations(name: str) -> Iterator[list[Any]]:
    """Load a program, and yield its operations."""
    paddle.enable_static()
    try:
        with paddle.static.scope_guard(paddle.static.Scope()):
            executor = paddle.static.Executor(paddle.CPUPlace())
            prefix = str(OPENED[name] / "network")
            program, _, _ = paddle.static.load_inference_model(prefix, executor)
            yield list(program.global_block().ops)
    finally:
        paddle.disable_static()


def logits(name: str, pictures: str) -> list[list[float]]:
    """Return the program's scores of pictures, whose number BATCH divides."""
    with np.load(pictures) as arrays:
        images = arrays["images"]
    parts = [_run(PREDICTORS[name], images[k : k + BATCH]) for k in range(0, len(images), BATCH)]
    return np.concatenate(parts).astype(np.float64).tolist()


def run(images: Any, out: Any) -> None:
    """Fill out, float32 [BATCH, CLASSES], with the scores of one batch of pictures."""
    out.numpy()[...] = _run(PREDICTORS["timed"], images.numpy())


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
            wrong = _full_groups(array)
            if wrong:
                return f"{name} has {wrong} groups of 4 inputs with more than 2 weights"
    return None


def _full_groups(weight: np.ndarray) -> int:
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
    return _scores(_published(path), pictures)


def not_int8(path: str, network: str) -> str | None:
    """Return what an .npz lacks of the network behind PTQ, or has in another type; else None."""
    weights, got = _weights(network), _converted_arrays(path)
    for name, want in _quantized(network).state_dict().items():
        if name not in got:
            return f"it has no {name}"
        array = got[name]
        wanted = "int8" if name in weights else "float32"
        if array.shape != tuple(want.shape) or str(array.dtype) != wanted:
            is_ = f"{array.dtype} {list(array.shape)}"
            return f"{name} is {is_}, and should be {wanted} {list(want.shape)}"
        if not np.isfinite(array).all():
            return f"{name} is not finite"
        if name.endswith("_scales") and not (array > 0).all():
            return f"{name} is {array}, and should be above 0"
    return None


def share_of_bytes(path: str, network: str) -> float:
    """Return the bytes of all arrays of an .npz as a share of the network's."""
    with np.load(path) as got, np.load(network) as want:
        return sum(got[n].nbytes for n in got.files) / sum(want[n].nbytes for n in want.files)


def int8_logits(path: str, network: str, pictures: str) -> list[list[float]]:
    """Return the scores of the published network behind PTQ with the arrays of an .npz."""
    model = _quantized(network)
    got = _converted_arrays(path)
    arrays = {name: got[name].astype(np.float32) for name in model.state_dict()}
    model.set_state_dict({name: paddle.to_tensor(array) for name, array in arrays.items()})
    return _scores(model, pictures)


def _quantized(network: str) -> paddle.nn.Layer:
    """Return the published network as PTQ converts it for 8 bits, with scales of no meaning."""
    observer, config = AbsmaxObserver(quant_bits=8), QuantConfig(activation=None, weight=None)
    kinds = [paddle.nn.Conv2D, paddle.nn.Linear]
    config.add_type_config(kinds, activation=observer, weight=observer)
    calibration = PTQ(config)
    model = calibration.quantize(_published(network))
    with paddle.no_grad():
        model(paddle.ones([1, 3, SIDE, SIDE]))
    return calibration.convert(model)


def _converted_arrays(path: str) -> dict[str, np.ndarray]:
    """Return the arrays of an .npz under the names that they have where no layer is wrapped."""
    with np.load(path) as got:
        return {name.replace("._observed", ""): got[name] for name in got.files}


def _weights(network: str) -> set[str]:
    """Return the names of the weights of convolutions and the linear layer."""
    return {
        name
        for name, value in _published(network).state_dict().items()
        if name.endswith("weight") and len(value.shape) > 1
    }


def _scores(model: paddle.nn.Layer, pictures: str) -> list[list[float]]:
    with np.load(pictures) as given, paddle.no_grad():
        parts = np.split(given["images"], range(64, len(given["images"]), 64))
        return np.concatenate([model(paddle.to_tensor(x)).numpy() for x in parts]).tolist()
