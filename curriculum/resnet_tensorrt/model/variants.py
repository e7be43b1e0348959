"""What each form of the network gives: how often it is right, how far off, how large.

    python curriculum/resnet_tensorrt/model/variants.py

The forms are those of the reference solution. The notebook's report and the model's README quote
what this prints. Then int8 once more, calibrated on three recordings as the judge draws them, each
time in three ways.
"""

from __future__ import annotations

import logging
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import torch

from hotloop.core import paths

ROOT = Path(__file__).parents[3]
sys.path += paths.beside_notebook("resnet_tensorrt")
sys.path.insert(
    0, str(ROOT / "graders" / "hotloop" / "tasks" / "modules" / "resnet_tensorrt" / "programs")
)

import export  # noqa: E402 - these lie beside the learner's files, not in a package
import quantization  # noqa: E402
import quantize  # noqa: E402
import resnet  # noqa: E402
import signs  # noqa: E402

HELD_OUT, UNSEEN = 11, 2_000
OPSET, AT_ONCE = 18, 100
RECORDINGS, FRAMES, FEW = 3, 320, 32
Array = np.ndarray[Any, np.dtype[Any]]


def main() -> None:
    """Two tables."""
    # The exporter tells of packages that it does without, and of a change in PyTorch to come.
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", category=FutureWarning, module="copyreg")
    rgb, labels = signs.pictures(HELD_OUT, UNSEEN)
    with tempfile.TemporaryDirectory() as name:
        _tell_variants(Path(name), rgb, labels)
        _tell_calibrations(Path(name), rgb, labels)


# --- the forms ------------------------------------------------------------------------------------


def _tell_variants(folder: Path, rgb: Array, labels: Array) -> None:
    normalized = signs.normalize(rgb)
    network = resnet.load()
    with torch.inference_mode():
        wanted = torch.cat([network(part) for part in torch.from_numpy(normalized).split(AT_ONCE)])
        wanted = wanted.softmax(1).numpy()
    share = (wanted.argmax(1) == labels).mean()
    interval = 1.96 * np.sqrt(share * (1 - share) / len(labels))
    print(f"{UNSEEN} signs; 95 % of {share:.2%} are ± {interval:.2%}")
    print("variant | right | largest difference | other answers | largest loss of a class | MB")
    print(f"PyTorch | {share:.2%}")
    for variant, path, probabilities in _variants(folder, rgb, normalized):
        differs = abs(probabilities - wanted).max()
        others = (probabilities.argmax(1) != wanted.argmax(1)).sum()
        lost = max(
            (wanted.argmax(1) == labels)[labels == index].mean()
            - (probabilities.argmax(1) == labels)[labels == index].mean()
            for index in range(len(signs.CLASSES))
        )
        print(
            f"{variant} | {(probabilities.argmax(1) == labels).mean():.2%} | {differs:.1e} | "
            f"{others} | {lost:.2%} | {path.stat().st_size / 1e6:.1f}"
        )


def _variants(folder: Path, rgb: Array, normalized: Array) -> Iterator[tuple[str, Path, Array]]:
    frames = np.ascontiguousarray(rgb[..., ::-1])
    whole, half, nano = (folder / f"{name}.onnx" for name in ("whole", "half", "nano"))
    export.export(OPSET, str(whole))
    yield "ONNX, float32", whole, _run(whole, frames)
    export.in_half(str(whole), str(half))
    yield "ONNX, float16", half, _run(half, frames)
    export.export_for_nano(AT_ONCE, str(nano))
    yield "for the Nano", nano, _run(nano, frames.astype(np.float32))
    int8 = folder / "int8.onnx"
    quantize.quantize(quantization.source(), quantization.calibration(0, FRAMES), str(int8))
    yield "int8", int8, _softmax(_run(int8, normalized))


# --- calibration ----------------------------------------------------------------------------------


def _tell_calibrations(folder: Path, rgb: Array, labels: Array) -> None:
    normalized, source = signs.normalize(rgb), quantization.source()
    full = (_run(source, normalized).argmax(1) == labels).mean()
    lost: dict[str, list[float]] = {}
    for recording in range(RECORDINGS):
        with np.load(quantization.calibration(recording, FRAMES)) as recorded:
            frames, seen = recorded["frames"], recorded["labels"]
        day = slice(FRAMES // 2, None)
        chosen = {
            "every third frame": frames[:: quantize.STEP],
            "one class by day": frames[day][seen[day] == seen[0]][:FEW],
            "the first frames, one class by night": frames[:FEW],
        }
        for how, some in chosen.items():
            path = folder / "calibration.npz"
            # The reference takes every third frame of what it is given.
            np.savez(path, frames=np.repeat(some, quantize.STEP, axis=0))
            quantize.quantize(source, str(path), str(folder / "int8.onnx"))
            right = (_run(folder / "int8.onnx", normalized).argmax(1) == labels).mean()
            lost.setdefault(how, []).append(float(full - right))
    print("calibrated on | lost of a hundred signs, by recording")
    for how, shares in lost.items():
        print(f"{how} | {', '.join(f'{100 * share:.1f}' for share in shares)}")


# --- running --------------------------------------------------------------------------------------


def _run(path: Path | str, inputs: Array) -> Array:
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    parts = range(0, len(inputs), AT_ONCE)
    return np.concatenate(
        [session.run(None, {name: inputs[start : start + AT_ONCE]})[0] for start in parts]
    )


def _softmax(logits: Array) -> Array:
    raised = np.exp(logits - logits.max(1, keepdims=True))
    return raised / raised.sum(1, keepdims=True)


if __name__ == "__main__":
    main()
