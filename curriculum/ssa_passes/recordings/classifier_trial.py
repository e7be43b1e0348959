"""What the task `classifier` costs in right answers, over many networks: right and wrong ways.

PyTorch trains the networks, as the judge does; Paddle makes them smaller:

    pip install 'hotloop[paddle]'
    python classifier_trial.py > classifier_trial.txt
"""

from __future__ import annotations

import importlib.metadata
import sys
from collections import defaultdict
from pathlib import Path

from hotloop.core import paths

ROOT = Path(__file__).parents[3]
sys.path[:0] = [
    *paths.beside_notebook("ssa_passes"),
    str(ROOT / "graders" / "hotloop" / "tasks" / "modules" / "ssa_passes" / "programs"),
]

import classifier_training  # noqa: E402  PyTorch before Paddle
import small_classifier as given  # noqa: E402
import stripes  # noqa: E402

NETWORKS, EPOCHS, TO_TRAIN, HIDDEN = 50, 12, 1000, 4000


def answers(arrays: dict, images: object, labels: object) -> dict[str, dict]:
    """The smaller network, by how it is made."""
    most = given.size(given.folded(arrays)) // 10
    small = fitting(arrays, most, lambda small: given.quantized(given.folded(small)))
    wide = fitting(arrays, most, given.folded)
    last = given.network(small)
    for name, parameter in last.named_parameters():
        parameter.stop_gradient = not name.startswith("linear")
    models = {"last layer trained again": last, "trained again": given.network(small)}
    found = {"not trained again": given.quantized(given.folded(small))}
    for name, model in models.items():
        given.train(model, images, labels, EPOCHS)
        found[name] = given.quantized(given.folded(given.arrays_of(model)))
    model = given.network(wide)
    given.train(model, images, labels, EPOCHS)
    found["float32, trained again"] = given.folded(given.arrays_of(model))
    found["int8 alone"] = given.quantized(given.folded(arrays))
    return found


def fitting(arrays: dict, most: int, made: object) -> dict:
    """With as many channels as fit."""
    for hundredth in range(100, 0, -2):
        small = given.without_weak(arrays, hundredth / 100)
        if given.size(made(small)) <= most:
            return small
    raise AssertionError(most)


def main() -> None:
    """Print the range of what is lost."""
    lost, sizes, right = defaultdict(list), {}, []
    for seed in range(NETWORKS):
        arrays = given.read(classifier_training.trained(seed))
        images, labels = stripes.drawn(1_000_000 + seed, TO_TRAIN)
        hidden = stripes.drawn(2_000_000 + seed, HIDDEN)
        right.append(given.accuracy(arrays, *hidden))
        for name, small in answers(arrays, images, labels).items():
            lost[name].append(100 * (right[-1] - given.accuracy(small, *hidden)))
            sizes[name] = given.size(small)
        print(seed, {name: round(some[-1], 2) for name, some in lost.items()}, file=sys.stderr)
    version = importlib.metadata.version("paddlepaddle")
    print(
        f"paddlepaddle {version}, {NETWORKS} networks of {given.size(given.folded(arrays)):,} bytes"
    )
    print(
        f"right on {min(right):.1%} to {max(right):.1%} of {HIDDEN:,} hidden pictures; lost of 100:"
    )
    for name, some in lost.items():
        print(f"{name:25} {sizes[name]:6,} bytes {min(some):6.1f} to {max(some):4.1f}")


if __name__ == "__main__":
    main()
