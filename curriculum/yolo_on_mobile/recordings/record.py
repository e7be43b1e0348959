"""Records five runs of the detector: a healthy one, and four with a fault that people make.

    python curriculum/yolo_on_mobile/recordings/record.py

Each is run for real: the network on drawn scenes, with the fault in what is around it or in its
file. What they gave goes to exercises/yolo_on_mobile/run_*.json, and what stands in runs.json,
from which the judge's key is written, is computed from the same pictures.
"""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import torch
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_static

from hotloop.core import paths
from hotloop.judge import answer_key
from hotloop.tasks.modules.yolo_on_mobile.recorded import DIAGNOSIS

GIVEN = paths.exercises() / "yolo_on_mobile"
TRUTH = Path(__file__).with_name("runs.json")
sys.path += paths.beside_notebook("yolo_on_mobile")

import boxes  # noqa: E402 - lies beside the learner's files, not in a package
import detector  # noqa: E402
import runs  # noqa: E402
import shapes  # noqa: E402

Array = np.ndarray[Any, np.dtype[Any]]
PICTURES, SEED = 60, 20261123
CAUSES = {"a": "scale", "b": "colors", "c": "suppression", "d": "decoding"}
EVIDENCE = {
    "scale": ["levels"],
    "colors": ["blind"],
    "suppression": ["boxes"],
    "decoding": ["overlap"],
}


def main() -> None:
    """Record all, and write the judge's truth."""
    torch.set_num_threads(1)
    network = detector.load()
    pictures, corners, classes = shapes.squares(SEED, PICTURES, detector.SIDE)
    true = [np.column_stack(pair) for pair in zip(corners, classes, strict=True)]
    fed = np.ascontiguousarray(pictures.transpose(0, 3, 1, 2)).astype(np.float32) / 255
    blue = np.ascontiguousarray(fed[:, ::-1])
    ways: dict[str, tuple[Array, Array, Callable[[Array], Array]]] = {
        "healthy": (fed, decoded(network, fed), kept),
        "a": (fed, in_integers(network, fed), kept),
        "b": (blue, decoded(network, blue), kept),
        "c": (fed, decoded(network, fed), surest),
        "d": (fed, without_half(network, fed), kept),
    }
    for name, (given, tables, reduce) in ways.items():
        recording = {
            "pictures": [
                {
                    "input": {"low": rounded(one.min()), "high": rounded(one.max())},
                    "found": [[rounded(x) for x in box] for box in reduce(table)],
                    "true": [[rounded(x) for x in box] for box in objects],
                }
                for one, table, objects in zip(given, tables, true, strict=True)
            ]
        }
        text = json.dumps(recording, separators=(",", ":")).replace('{"input"', '\n{"input"')
        (GIVEN / f"run_{name}.json").write_text(text + "\n", encoding="utf-8")
    truth = {}
    for name in ways:
        figures = runs.read_run(GIVEN / f"run_{name}.json")
        print(name, {key: round(float(value), 3) for key, value in figures.items()})
        if name in CAUSES:
            evidence = EVIDENCE[CAUSES[name]]
            values = {key: figures[key] for key in evidence}
            truth[name] = {"cause": CAUSES[name], "evidence": values}
    TRUTH.write_text(json.dumps(truth, indent=1) + "\n", encoding="utf-8")
    answer_key.write(DIAGNOSIS.key, truth)


def decoded(network: torch.nn.Module, fed: Array) -> Array:
    """As it should be."""
    with torch.inference_mode():
        return boxes.decode(*network(torch.from_numpy(fed)), network.anchors).numpy()


def without_half(network: torch.nn.Module, fed: Array) -> Array:
    """With 2σ + cell for the center, where 2σ − 0.5 + cell was trained."""
    table = decoded(network, fed)
    cells = [3 * (detector.SIDE // stride) ** 2 for stride in detector.STRIDES]
    table[..., :2] += 0.5 * np.repeat(detector.STRIDES, cells)[:, None]
    return table


class Whole(torch.nn.Module):
    """The network with its decoding, as one file."""

    def __init__(self, network: torch.nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        """Pictures to a table."""
        return boxes.decode(*self.network(pictures), self.network.anchors)


class Some(CalibrationDataReader):
    """The pictures, ten at a time."""

    def __init__(self, fed: Array) -> None:
        self.parts = iter([{"pictures": part} for part in np.split(fed, 6)])

    def get_next(self) -> dict[str, Array] | None:
        """The next ten."""
        return next(self.parts, None)


def in_integers(network: torch.nn.Module, fed: Array) -> Array:
    """All of it quantized, its decoding too."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        source, target = Path(folder) / "whole.onnx", Path(folder) / "integers.onnx"
        torch.onnx.export(
            Whole(network),
            (torch.from_numpy(fed[:1]),),
            source,
            dynamo=False,
            opset_version=17,
            input_names=["pictures"],
            output_names=["table"],
            dynamic_axes={"pictures": {0: "n"}, "table": {0: "n"}},
        )
        quantize_static(source, target, Some(fed), quant_format=QuantFormat.QDQ, per_channel=True)
        session = onnxruntime.InferenceSession(target, providers=["CPUExecutionProvider"])
        return session.run(None, {"pictures": fed})[0]


def kept(table: Array, floor: float = 0.02, overlap: float = 0.6) -> Array:
    """What suppression leaves."""
    left = boxes.candidates(table.astype(np.float64), floor)
    chosen: list[Array] = []
    while len(left) and len(chosen) < 40:
        best, left = left[0], left[1:]
        chosen.append(best)
        left = left[(left[:, 5] != best[5]) | (boxes.shares(best, left) <= overlap)]
    return np.array(chosen).reshape(-1, 6)


def surest(table: Array) -> Array:
    """Without suppression: the first forty."""
    return boxes.candidates(table.astype(np.float64), 0.02)[:40]


def rounded(value: float) -> float:
    """Four digits behind the point are enough for all that is asked."""
    return round(float(value), 4)


if __name__ == "__main__":
    main()
