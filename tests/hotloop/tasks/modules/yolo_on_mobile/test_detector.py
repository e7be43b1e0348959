"""The module's network is YOLOv5's, as far as that shows without its weights."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import torch

from hotloop.core import paths


@pytest.fixture(scope="module")
def detector(load_file: Callable[[Path], ModuleType]) -> ModuleType:
    return load_file(paths.exercises() / "yolo_on_mobile" / "detector.py")


@pytest.mark.parametrize(("width", "weights"), [(16, 1_872_157), (32, 7_235_389)])
def test_as_many_weights_as_yolov5_n_and_s(detector: ModuleType, width: int, weights: int) -> None:
    """As YOLOv5 prints for its models of 80 classes."""
    network = detector.Yolo(80, width, focus=False)
    assert sum(p.numel() for p in network.parameters()) == weights


@pytest.mark.slow
def test_saved_weights_load_with_everything_read_off_them(
    detector: ModuleType, tmp_path: Path
) -> None:
    saved = detector.untrained(2, width=8, depth=(2, 1, 1, 1), focus=False).eval()
    path = tmp_path / "weights.pt"
    torch.save(saved.state_dict(), path)
    network = detector.load(path)
    picture = torch.rand(1, 3, 64, 96)
    with torch.inference_mode():
        for one, other in zip(saved(picture), network(picture), strict=True):
            torch.testing.assert_close(one, other)
            assert one.shape[1] == 21


def test_the_trained_network_has_its_anchors(detector: ModuleType) -> None:
    anchors = detector.load().anchors
    torch.testing.assert_close(anchors, torch.tensor(detector.ANCHORS), atol=0.05, rtol=1e-3)
