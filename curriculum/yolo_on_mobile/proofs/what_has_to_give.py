"""What a limit of a card costs: memory, bytes and mAP of the detector by its pictures' side."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import torch

sys.path.append(str(Path(__file__).parent))
from detecting.kit import given, kept, mean_ap

SIDES = (64, 96, 128)
COUNT = 150
CARD: dict[str, Any] = {"operators": {}, "limits": {}}


def seen(path: Path, side: int) -> float:
    """The mAP on scenes of the side."""
    pictures, corners, classes = given("shapes").squares(7, COUNT, side)
    truths = [np.column_stack(pair) for pair in zip(corners, classes, strict=True)]
    fed = np.ascontiguousarray(pictures.transpose(0, 3, 1, 2).astype(np.float32) / 255)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    found = []
    for picture in fed:
        maps = map(torch.from_numpy, session.run(None, {"pictures": picture[None]}))
        found.append(
            kept(given("boxes").decode(*maps, given("detector").load().anchors)[0].numpy())
        )
    return mean_ap(found, truths)


def main() -> None:
    """Floats at three sides, then bytes at one of them, in two orders."""
    fit, audit = given("fit"), given("budget").audit
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        card, floats = folder / "card.json", folder / "floats.onnx"
        card.write_text(json.dumps(CARD), encoding="utf-8")
        sights, peaks = [], []
        for side in SIDES:
            fit.export(side, str(floats))
            sights.append(seen(floats, side))
            peaks.append(audit(floats, card)["peak_bytes"])
            print(f"side {side:3}: {peaks[-1] / 1e3:4.0f} kB live at once, mAP {sights[-1]:.2f}")
        size = floats.stat().st_size
        pictures, _, _ = given("shapes").squares(5, 60, 128)
        np.savez(folder / "calibration.npz", pictures=pictures)
        sunk, sink = folder / "sunk.onnx", fit.sink
        fit.quantized(str(floats), folder / "calibration.npz", 128, str(sunk))
        fit.sink = lambda _graph: None
        first = folder / "first.onnx"
        fit.quantized(str(floats), folder / "calibration.npz", 128, str(first))
        fit.sink = sink
        print(f"int8 weights at 128: {sunk.stat().st_size / size:.2f} of the file size")
        early, late = (audit(path, card)["peak_bytes"] for path in (first, sunk))
        print(f"dequantized at the beginning: {early / 1e3:.0f} kB live at once")
        print(f"each dequantized before its use: {late / 1e3:.0f} kB")
    assert sights == sorted(sights)
    assert peaks == sorted(peaks)
    assert early > 4 * peaks[-1]
    assert late < 1.01 * peaks[-1]


if __name__ == "__main__":
    main()
