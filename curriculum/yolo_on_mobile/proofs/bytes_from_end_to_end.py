"""The detector in LiteRT: floats, weights in bytes, and bytes throughout by what calibrates."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch
from ai_edge_litert.interpreter import Interpreter

sys.path.append(str(Path(__file__).parent))
from detecting.kit import Array, given, kept, mean_ap, scenes

NIGHT = 0.2
NAMES = (
    ("floats", "floats"),
    ("small", "int8 weights"),
    ("whole", "int8, day and night"),
    ("night", "int8, night only"),
    ("raw", "int8, 0 to 255"),
)


def recording() -> Array:
    """Pictures to calibrate with, the first third by night."""
    shapes = given("shapes")
    pictures, _, _ = shapes.squares(5, 150, given("detector").SIDE)
    bars = (pictures[:50] == shapes.PADDING).all(3, keepdims=True)
    night = (pictures[:50] * NIGHT).astype(np.uint8)
    pictures[:50] = np.where(bars, np.uint8(shapes.PADDING), night)
    return pictures


def write(folder: Path) -> None:
    """All five files, with what the tasks' answers have."""
    small, whole = given("to_litert"), given("to_litert_int8")
    small.to_litert(128, 128, str(folder / "floats.tflite"))
    # The float file is always the same one.
    whole.to_litert = lambda _height, _width, path: Path(path).write_bytes(
        (folder / "floats.tflite").read_bytes()
    )
    small.to_litert = whole.to_litert
    small.to_small_litert(128, 128, str(folder / "small.tflite"))
    pictures = recording()
    # The answer reads every third picture, so that each of the night's is in it once.
    for name, chosen in (("whole", pictures), ("night", np.repeat(pictures[:50], 3, 0))):
        np.savez(folder / f"{name}.npz", pictures=chosen)
        whole.to_whole_numbers(folder / f"{name}.npz", str(folder / f"{name}.tflite"))
    np.savez(folder / "raw.npz", pictures=pictures.astype(np.float32) * 255)
    whole.to_whole_numbers(folder / "raw.npz", str(folder / "raw.tflite"))


def tables(runner: Interpreter, pictures: Array) -> list[Array]:
    """Of pictures from 0 to 1, decoded; bytes at the ends are made and read by their scales."""
    (end,) = runner.get_input_details()
    anchors = given("detector").load().anchors
    found = []
    for picture in pictures:
        runner.set_tensor(end["index"], into(picture[None], end))
        runner.invoke()
        outs = [out_of(runner.get_tensor(o["index"]), o) for o in runner.get_output_details()]
        maps = sorted(outs, key=lambda each: -each.shape[2])
        found.append(given("boxes").decode(*map(torch.from_numpy, maps), anchors)[0].numpy())
    return found


def into(values: Array, end: dict[str, Any]) -> Array:
    """As the file wants them."""
    if end["dtype"] is np.float32:
        return values.astype(np.float32)
    scale, zero = end["quantization"]
    return np.clip(np.rint(values / scale) + zero, -128, 127).astype(np.int8)


def out_of(values: Array, end: dict[str, Any]) -> Array:
    """As floats."""
    if end["dtype"] is np.float32:
        return values
    scale, zero = end["quantization"]
    return (values.astype(np.float32) - np.float32(zero)) * np.float32(scale)


def kinds(path: Path) -> tuple[str, ...]:
    """What the first convolution reads, its weights, its bias, and what it writes."""
    operators = Interpreter(model_path=str(path))._get_ops_details()
    first = next(each for each in operators if each["op_name"] == "CONV_2D")
    types = (*first["operand_types"], *first["result_types"])
    return tuple(np.dtype(kind).name for kind in types)


def main() -> None:
    """Sizes, types and the mAP of each."""
    pictures, truths = scenes()
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
            write(folder)
        for label, said in (("floats", "floats"), ("small", "weights"), ("whole", "all")):
            reads, weight, bias, writes = kinds(folder / f"{label}.tflite")
            print(f"{said:8} a convolution: {reads} × {weight} + {bias} → {writes}")
        for label, said in NAMES:
            path = folder / f"{label}.tflite"
            runner = Interpreter(model_path=str(path), num_threads=1)
            runner.allocate_tensors()
            boxes = [kept(each) for each in tables(runner, pictures / 255)]
            found[label] = mean_ap(boxes, truths)
            size = path.stat().st_size / 1e6
            print(f"measured: {said:22} {size:4.2f} MB, mAP {found[label]:.3f}")
    assert found["floats"] - found["small"] < 0.02
    assert found["floats"] - found["whole"] < 0.02
    assert found["floats"] - found["night"] > 0.03
    assert found["raw"] < 0.2


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the converter, about its own dependencies
        main()
