"""Trains the detector on drawn scenes, and writes the weights to exercises/.

    python curriculum/yolo_on_mobile/model/train.py [--published] [--only-measure]

With --published it is YOLOv5n as released since 6.0, layer by layer, with six classes and anchors
for the drawn scenes; without, the small network that most tasks convert. What it writes is
committed, so that nobody needs to run it; it is here to show where the weights come from. The
scenes that it is measured with come from another seed.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from hotloop.core import paths

sys.path += paths.beside_notebook("yolo_on_mobile")

import boxes
import detector
import metrics
import shapes

TRAINED_WITH = 20261122
HELD_OUT = 7
SEEN, UNSEEN = 6_000, 1_000
EPOCHS, PUBLISHED_EPOCHS = 14, 6
BATCH = 32
RATE = 4e-3
THREADS = 1
CLASSES = len(shapes.CLASSES)

FARTHEST = 4.0
"""An anchor answers for an object whose sides are at most so many times larger or smaller."""

BALANCE = (4.0, 1.0, 0.4)
"""Weight of the objectness of each stride: where there are more cells, an object is rarer."""


def main() -> None:
    """Train, save, and say how good it is on scenes that it has not seen."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--published", action="store_true")
    parser.add_argument("--only-measure", action="store_true")
    given = parser.parse_args()
    torch.manual_seed(TRAINED_WITH)
    weights = detector.PUBLISHED if given.published else detector.WEIGHTS
    if not given.only_measure:
        network = detector.untrained(CLASSES)
        if given.published:
            network = detector.untrained(CLASSES, width=16, focus=False)
        _save(_trained(network, PUBLISHED_EPOCHS if given.published else EPOCHS), weights)
    _measure(detector.load(weights))


def _trained(network: nn.Module, epochs: int) -> nn.Module:
    torch.set_num_threads(THREADS)
    torch.use_deterministic_algorithms(True)
    network = network.train().to(memory_format=torch.channels_last)
    pictures, found, what = shapes.squares(TRAINED_WITH, SEEN, detector.SIDE)
    seen = torch.from_numpy(pictures).permute(0, 3, 1, 2)
    steps = SEEN // BATCH
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, steps * epochs, pct_start=0.1)
    for epoch in range(epochs):
        began, total = time.monotonic(), 0.0
        for chosen in torch.randperm(SEEN)[: steps * BATCH].split(BATCH):
            mirrored = bool(torch.rand(()) < 0.5)
            inputs = (seen[chosen].float() / 255).to(memory_format=torch.channels_last)
            inputs = inputs.flip(3) if mirrored else inputs
            targets = _targets([(found[i], what[i]) for i in chosen.tolist()], mirrored)
            loss = _loss(network, network(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 10.0)
            optimizer.step()
            schedule.step()
            total += loss.item()
        took = time.monotonic() - began
        print(f"epoch {epoch + 1}: loss {total / steps:.3f}, {took:.0f} s", flush=True)
    return network


def _targets(scenes: list[tuple[np.ndarray, np.ndarray]], mirrored: bool) -> Tensor:
    """float32 [objects, 6]: place in the batch, class, center, width and height in pixels."""
    rows = []
    for place, (corners, what) in enumerate(scenes):
        size = corners[:, 2:] - corners[:, :2]
        center = (corners[:, :2] + corners[:, 2:]) / 2
        if mirrored:
            center[:, 0] = detector.SIDE - center[:, 0]
        rows.append(np.column_stack((np.full(len(what), place), what, center, size)))
    return torch.tensor(np.concatenate(rows), dtype=torch.float32)


def _loss(network: nn.Module, maps: tuple[Tensor, ...], targets: Tensor) -> Tensor:
    """Of boxes, objectness and classes, with the weights of YOLOv5."""
    box, seen, kind = torch.zeros(()), torch.zeros(()), torch.zeros(())
    for raw, anchors, stride, balance in zip(
        maps, network.anchors, detector.STRIDES, BALANCE, strict=True
    ):
        n, channels, rows, columns = raw.shape
        cells = raw.view(n, 3, channels // 3, rows, columns).permute(0, 1, 3, 4, 2)
        place, anchor, row, column, wanted = _answerable(targets, anchors, stride, rows, columns)
        objectness = torch.zeros(cells.shape[:4])
        if len(place):
            mine = cells[place, anchor, row, column]
            grid = torch.stack((column, row), 1)
            center = (2 * mine[:, :2].sigmoid() - 0.5 + grid) * stride
            size = (2 * mine[:, 2:4].sigmoid()) ** 2 * anchors[anchor]
            good = _ciou(center, size, wanted[:, 2:4], wanted[:, 4:6])
            box = box + (1 - good).mean()
            objectness[place, anchor, row, column] = good.detach().clamp(0)
            classes = torch.zeros(len(mine), CLASSES)
            classes[range(len(mine)), wanted[:, 1].long()] = 1
            kind = kind + nn.functional.binary_cross_entropy_with_logits(mine[:, 5:], classes)
        seen = seen + balance * nn.functional.binary_cross_entropy_with_logits(
            cells[..., 4], objectness
        )
    return 0.05 * box * 3 + seen + 0.3 * kind


def _answerable(
    targets: Tensor, anchors: Tensor, stride: int, rows: int, columns: int
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Which cells and anchors answer for an object: its own cell, and the nearest two beside it."""
    factor = targets[:, None, 4:6] / anchors[None]
    fits = torch.maximum(factor, 1 / factor).amax(2) < FARTHEST
    which, anchor = fits.nonzero(as_tuple=True)
    wanted = targets[which]
    at = wanted[:, 2:4] / stride
    part = at % 1
    steps = torch.where(part < 0.5, -1, 1)
    found = []
    for right, down in ((0, 0), (1, 0), (0, 1)):
        cell = at.long() + steps * torch.tensor((right, down))
        inside = (cell >= 0).all(1) & (cell[:, 0] < columns) & (cell[:, 1] < rows)
        found.append((wanted[inside], anchor[inside], cell[inside]))
    wanted, anchor, cell = (torch.cat(parts) for parts in zip(*found, strict=True))
    return wanted[:, 0].long(), anchor, cell[:, 1], cell[:, 0], wanted


def _ciou(center: Tensor, size: Tensor, want_center: Tensor, want_size: Tensor) -> Tensor:
    """Overlap, less the distance of the centers and the difference of the proportions."""
    low, high = center - size / 2, center + size / 2
    want_low, want_high = want_center - want_size / 2, want_center + want_size / 2
    shared = (torch.minimum(high, want_high) - torch.maximum(low, want_low)).clamp(0).prod(1)
    iou = shared / (size.prod(1) + want_size.prod(1) - shared + 1e-7)
    hull = torch.maximum(high, want_high) - torch.minimum(low, want_low)
    distance = (center - want_center).square().sum(1) / (hull.square().sum(1) + 1e-7)
    turned = [torch.atan(s[:, 0] / (s[:, 1] + 1e-7)) for s in (want_size, size)]
    v = (4 / np.pi**2) * (turned[0] - turned[1]).square()
    with torch.no_grad():
        alpha = v / (v - iou + 1 + 1e-7)
    return iou - distance - alpha * v


def _save(network: nn.Module, weights: Path) -> None:
    """In half precision: what that costs shows in the measurement, which is made after it."""
    halves = {
        name: (tensor.half() if tensor.is_floating_point() else tensor).contiguous().numpy()
        for name, tensor in network.state_dict().items()
    }
    np.savez_compressed(weights, **halves)


def _measure(network: nn.Module) -> None:
    pictures, found, what = shapes.squares(HELD_OUT, UNSEEN, detector.SIDE)
    truths = [np.column_stack(pair) for pair in zip(found, what, strict=True)]
    print(f"{UNSEEN} scenes that it has not seen, {sum(map(len, truths))} objects")
    for label, shown in (("as they are", pictures), ("red and blue swapped", pictures[..., ::-1])):
        got = detections(network, shown)
        half = metrics.mean_average_precision(got, truths, CLASSES, 0.5)
        steps = np.arange(0.5, 0.951, 0.05)
        whole = np.mean([metrics.mean_average_precision(got, truths, CLASSES, t) for t in steps])
        print(f"{label}: mAP at 0.5 {half:.3f}, from 0.5 to 0.95 {whole:.3f}")
        for index, name in enumerate(shapes.CLASSES):
            print(f"    {name:16} {metrics.average_precision(got, truths, index):.3f}")


def detections(network: nn.Module, pictures: np.ndarray) -> list[np.ndarray]:
    """For each picture float [n, 6]: corners, score, class."""
    inputs = torch.from_numpy(np.ascontiguousarray(pictures.transpose(0, 3, 1, 2)))
    got = []
    with torch.inference_mode():
        for part in inputs.split(100):
            tables = boxes.decode(*network(part.float() / 255), network.anchors)
            got += [suppressed(table.numpy().astype(np.float64)) for table in tables]
    return got


def suppressed(table: np.ndarray, floor: float = 0.01, overlap: float = 0.6) -> np.ndarray:
    """What `boxes.nms` keeps of a table that is in no file."""
    left = boxes.candidates(table, floor)
    kept = []
    while len(left) and len(kept) < 100:
        best, left = left[0], left[1:]
        kept.append(best)
        left = left[(left[:, 5] != best[5]) | (boxes.shares(best, left) <= overlap)]
    return np.array(kept).reshape(-1, 6)


if __name__ == "__main__":
    main()
