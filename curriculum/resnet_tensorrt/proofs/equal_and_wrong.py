"""An export that is equal to the network, and four pipelines around it that are not."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
import torch

sys.path.append(str(Path(__file__).parent))
from conversion.kit import Array, given, right, run, signs, trained, trained_onnx

PICTURES = 200


def softmax(x: Array) -> Array:
    """Over the classes."""
    shifted = np.exp(x - x.max(1, keepdims=True))
    return shifted / shifted.sum(1, keepdims=True)


def main() -> None:
    """Compare on random numbers, then count right answers on signs."""
    model = trained_onnx()
    onnx.checker.check_model(model, full_check=True)
    noise = np.random.default_rng(0).standard_normal((8, 3, 64, 64)).astype(np.float32)
    with torch.inference_mode():
        wanted = trained()(torch.from_numpy(noise)).numpy()
    error = abs(run(model, noise) - wanted).max() / abs(wanted).max()
    assert error < 1e-4
    print("random inputs: file and network agree to 1 in 10,000 or better")

    rgb, labels = signs(7, PICTURES)
    normalize = given("signs").normalize
    logits = run(model, normalize(rgb))
    pipelines = {
        "as in training": logits,
        "red and blue swapped (BGR)": run(model, normalize(rgb[..., ::-1])),
        "0 to 255, not normalized": run(
            model, np.ascontiguousarray(rgb.transpose(0, 3, 1, 2)).astype(np.float32)
        ),
        "0 to 1, not normalized": run(
            model, np.ascontiguousarray(rgb.transpose(0, 3, 1, 2)).astype(np.float32) / 255
        ),
        "a second softmax at the end": softmax(softmax(logits)),
    }
    counts = {name: right(answers, labels) for name, answers in pipelines.items()}
    for name, count in counts.items():
        print(f"{name:30} {count / PICTURES:4.0%} correct")
    sure = [softmax(logits).max(1).mean(), softmax(softmax(logits)).max(1).mean()]
    print(f"mean top probability {sure[0]:.2f}, after a second softmax {sure[1]:.2f}")
    good = counts["as in training"]
    assert good > 0.9 * PICTURES
    assert counts["red and blue swapped (BGR)"] < 0.5 * PICTURES
    assert counts["a second softmax at the end"] == good
    assert sure[1] < 0.25


if __name__ == "__main__":
    main()
