"""The same network and the same scenes, fed in six ways."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch

sys.path.append(str(Path(__file__).parent))
from detecting.kit import Array, fed, given, kept, mean_ap, tables, trained

FRAMES = 100


def square(frame: Array) -> tuple[Array, tuple[float, float, float, float]]:
    """A frame stretched to the square, and the factors of the way back."""
    side = given("detector").SIDE
    rgb = torch.from_numpy(frame.copy()).permute(2, 0, 1)[None].float()
    small = torch.nn.functional.interpolate(rgb, (side, side), mode="bilinear")
    factors = (frame.shape[1] / side, frame.shape[0] / side) * 2
    return small[0].permute(1, 2, 0).round().byte().numpy(), factors


def boxed(frame: Array, padding: int = 114) -> Array:
    """A frame in its square, as the task asks, with bars of a gray."""
    camera, side = given("camera"), given("detector").SIDE
    bgr = torch.from_numpy(np.ascontiguousarray(frame[..., ::-1]))
    picture = (camera.letterbox(bgr, side) * 255).round().byte().permute(1, 2, 0).numpy()
    tall, wide, above, before = camera.placed(*frame.shape[:2], side)
    bars = np.ones(picture.shape[:2], bool)
    bars[above : above + tall, before : before + wide] = False
    return np.where(bars[..., None], np.uint8(padding), picture)


def back(box: Array, frame: Array) -> list[float]:
    """A box of the letterbox in its frame."""
    side = given("detector").SIDE
    return [*given("camera").to_frame(*box[:4], *frame.shape[:2], side), *box[4:]]


def main() -> None:
    """The mAP at 0.5 for each way."""
    frames = given("shapes").scenes(7, FRAMES)
    truths = [np.column_stack((corners, what)) for _, corners, what in frames]
    network = trained()

    def score(pictures: list[Array], factor: float = 1.0) -> float:
        decoded = tables(network, fed(np.stack(pictures)) * factor)
        pairs = zip(decoded, frames, strict=True)
        found = [np.array([back(b, f[0]) for b in kept(t)]).reshape(-1, 6) for t, f in pairs]
        return mean_ap(found, truths)

    gray = [boxed(frame) for frame, _, _ in frames]
    results = {
        "letterbox, RGB, 0 to 1": score(gray),
        "black bars": score([boxed(frame, 0) for frame, _, _ in frames]),
        "BGR": score([picture[..., ::-1] for picture in gray]),
        "0 to 255": score(gray, 255.0),
    }
    pairs = [square(frame) for frame, _, _ in frames]
    decoded = tables(network, fed(np.stack([picture for picture, _ in pairs])))
    found = []
    for table, (_, factors) in zip(decoded, pairs, strict=True):
        boxes = kept(table)
        boxes[:, :4] *= factors
        found.append(boxes)
    results["stretched to the square"] = mean_ap(found, truths)
    decoded = tables(network, fed(np.stack(gray)))
    results["boxes not mapped back"] = mean_ap(
        [
            np.column_stack((kept(t)[:, :4] * max(f[0].shape) / 128, kept(t)[:, 4:]))
            for t, f in zip(decoded, frames, strict=True)
        ],
        truths,
    )
    for name, value in results.items():
        print(f"{name:34} mAP {value:.2f}")
    right = results["letterbox, RGB, 0 to 1"]
    assert right > 0.85
    assert results["BGR"] < 0.6 * right
    assert results["0 to 255"] < 0.2
    assert results["boxes not mapped back"] < 0.8 * right


if __name__ == "__main__":
    main()
