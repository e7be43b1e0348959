"""What the proofs share: the network, scenes that it has not seen, and how good detections are."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import torch

from hotloop.core import paths

sys.path += paths.beside_notebook("yolo_on_mobile")

Array = np.ndarray[Any, np.dtype[Any]]
SCENES, SEED = 120, 7


def given(name: str) -> ModuleType:
    """A file of the module's."""
    return importlib.import_module(name)


def trained() -> torch.nn.Module:
    """On one thread, as the proofs are not about speed."""
    torch.set_num_threads(1)
    return given("detector").load()


def scenes(count: int = SCENES) -> tuple[Array, list[Array]]:
    """Square pictures, and their boxes with classes."""
    pictures, corners, classes = given("shapes").squares(SEED, count, given("detector").SIDE)
    return pictures, [np.column_stack(pair) for pair in zip(corners, classes, strict=True)]


def fed(pictures: Array) -> torch.Tensor:
    """float32 [n, 3, side, side], red first, from 0 to 1."""
    return torch.from_numpy(np.ascontiguousarray(pictures.transpose(0, 3, 1, 2))).float() / 255


def tables(network: torch.nn.Module, inputs: torch.Tensor) -> Array:
    """Decoded, before anything is suppressed."""
    with torch.inference_mode():
        return given("boxes").decode(*network(inputs), network.anchors).numpy()


def kept(table: Array, floor: float = 0.01, overlap: float = 0.6, most: int = 100) -> Array:
    """What suppression leaves of a table: corners, score, class."""
    boxes = given("boxes")
    left = boxes.candidates(table.astype(np.float64), floor)
    chosen: list[Array] = []
    while len(left) and len(chosen) < most:
        best, left = left[0], left[1:]
        chosen.append(best)
        left = left[(left[:, 5] != best[5]) | (boxes.shares(best, left) <= overlap)]
    return np.array(chosen).reshape(-1, 6)


def mean_ap(found: Array | list[Array], truths: list[Array], threshold: float = 0.5) -> float:
    """The mAP of detections, one array [n, 6] a picture."""
    metrics, classes = given("metrics"), given("shapes").CLASSES
    return metrics.mean_average_precision(found, truths, len(classes), threshold)


def score(
    network: torch.nn.Module,
    prepare: Callable[[Array], torch.Tensor] = fed,
    **suppression: float,
) -> float:
    """The mAP at 0.5 of the scenes as somebody prepares them."""
    pictures, truths = scenes()
    decoded = tables(network, prepare(pictures))
    return mean_ap([kept(table, **suppression) for table in decoded], truths)
