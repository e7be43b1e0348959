"""Weights of the published YOLOv5 fit: names and shapes are counted here, not by our class.

The table below is models/yolov5.yaml of release 6.0 and later; only parts with weights are listed.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
import torch

from hotloop.core import paths

LAYERS: tuple[tuple[int, str, int, int], ...] = (
    # layer, what, channels before the width's multiple, kernel or repeats
    (0, "Conv", 64, 6),
    (1, "Conv", 128, 3),
    (2, "C3", 128, 3),
    (3, "Conv", 256, 3),
    (4, "C3", 256, 6),
    (5, "Conv", 512, 3),
    (6, "C3", 512, 9),
    (7, "Conv", 1024, 3),
    (8, "C3", 1024, 3),
    (9, "SPPF", 1024, 5),
    (10, "Conv", 512, 1),
    (13, "C3", 512, 3),
    (14, "Conv", 256, 1),
    (17, "C3", 256, 3),
    (18, "Conv", 256, 3),
    (20, "C3", 512, 3),
    (21, "Conv", 512, 3),
    (23, "C3", 1024, 3),
)
BEHIND = {0: 0, 13: 1024, 14: 512, 17: 512, 18: 256, 20: 512, 21: 512, 23: 1024}
"""The input channels of a layer that are not the previous layer's outputs; 0 is an image."""

SIZES = {"n": (0.33, 0.25), "s": (0.33, 0.5), "m": (0.67, 0.75), "l": (1.0, 1.0), "x": (1.33, 1.25)}
PARAMETERS = {"n": 1_872_157, "s": 7_235_389, "m": 21_190_557, "l": 46_563_709, "x": 86_749_405}
"""As YOLOv5 prints for its models of 80 classes."""


def published(size: str, classes: int = 80) -> dict[str, torch.Tensor]:
    """Return random weights, as in a state_dict of the release: float16, and counters."""
    depth, width = SIZES[size]
    found: dict[str, torch.Tensor] = {}
    before = 0
    for layer, what, channels, number in LAYERS:
        inputs = 3 if layer == 0 else int(BEHIND.get(layer, 0) * width) or before
        outputs = int(channels * width)
        name = f"model.{layer}"
        if what == "Conv":
            found |= dict(_conv(name, inputs, outputs, number))
        elif what == "C3":
            found |= dict(_c3(name, inputs, outputs, max(round(number * depth), 1)))
        else:
            found |= dict(_conv(f"{name}.cv1", inputs, inputs // 2, 1))
            found |= dict(_conv(f"{name}.cv2", inputs // 2 * 4, outputs, 1))
        before = outputs
    found["model.24.anchors"] = torch.rand(3, 3, 2).half()
    for place, channels in enumerate((256, 512, 1024)):
        inputs = int(channels * width)
        found[f"model.24.m.{place}.weight"] = torch.randn(3 * (5 + classes), inputs, 1, 1).half()
        found[f"model.24.m.{place}.bias"] = torch.zeros(3 * (5 + classes)).half()
    return found


def _conv(name: str, inputs: int, outputs: int, kernel: int) -> Iterator[tuple[str, torch.Tensor]]:
    scale = (inputs * kernel * kernel) ** -0.5
    yield f"{name}.conv.weight", (torch.randn(outputs, inputs, kernel, kernel) * scale).half()
    for what in ("weight", "running_var"):
        yield f"{name}.bn.{what}", torch.ones(outputs).half()
    for what in ("bias", "running_mean"):
        yield f"{name}.bn.{what}", torch.zeros(outputs).half()
    yield f"{name}.bn.num_batches_tracked", torch.tensor(7)


def _c3(name: str, inputs: int, outputs: int, blocks: int) -> Iterator[tuple[str, torch.Tensor]]:
    half = outputs // 2
    yield from _conv(f"{name}.cv1", inputs, half, 1)
    yield from _conv(f"{name}.cv2", inputs, half, 1)
    yield from _conv(f"{name}.cv3", 2 * half, outputs, 1)
    for block in range(blocks):
        yield from _conv(f"{name}.m.{block}.cv1", half, half, 1)
        yield from _conv(f"{name}.m.{block}.cv2", half, half, 3)


@pytest.fixture(scope="module")
def detector(load_file: Callable[[Path], ModuleType]) -> ModuleType:
    return load_file(paths.exercises() / "yolo_on_mobile" / "detector.py")


@pytest.mark.slow
@pytest.mark.parametrize("size", ["n", "s", "m"])
def test_published_weights_load(detector: ModuleType, tmp_path: Path, size: str) -> None:
    weights = published(size)
    learned = [
        t for n, t in weights.items() if not n.endswith(("anchors", "mean", "var", "tracked"))
    ]
    assert sum(t.numel() for t in learned) == PARAMETERS[size]
    path = tmp_path / f"yolov5{size}.pt"
    torch.save(weights, path)
    network = detector.load(path)
    with torch.inference_mode():
        maps = network(torch.rand(1, 3, 64, 96))
    assert [tuple(m.shape) for m in maps] == [(1, 255, 8, 12), (1, 255, 4, 6), (1, 255, 2, 3)]
    assert all(torch.isfinite(m).all() for m in maps)
    strides = torch.tensor([8.0, 16.0, 32.0]).view(3, 1, 1)
    torch.testing.assert_close(network.anchors, weights["model.24.anchors"].float() * strides)


@pytest.mark.parametrize("wrap", ["model.", ""])
def test_however_the_state_was_saved(detector: ModuleType, tmp_path: Path, wrap: str) -> None:
    """A model that was loaded through torch.hub has one more prefix in its layers' names."""
    path = tmp_path / "weights.pt"
    torch.save({f"{wrap}{name}": t for name, t in published("n", classes=3).items()}, path)
    (small, _, _) = detector.load(path)(torch.rand(1, 3, 32, 32))
    assert small.shape[1] == 3 * 8


def test_pickled_code_is_refused_with_the_way_out(detector: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "yolov5n.pt"
    torch.save({"model": torch.nn.Linear(1, 1)}, path)
    with pytest.raises(ValueError, match="state_dict"):
        detector.load(path)
