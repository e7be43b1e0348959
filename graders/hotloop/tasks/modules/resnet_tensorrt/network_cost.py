"""FLOPs of the network and shapes of its weights."""

from __future__ import annotations

from collections.abc import Iterator

BLOCKS = (3, 4, 6, 3)
WIDTH, CLASSES = 16, 10


def flops(pictures: int, side: int, width: int = WIDTH) -> int:
    """Return the FLOPs for images of side × side pixels: two for each multiply-add.

    Counts convolutions and the last layer.
    """
    return 2 * pictures * _products(side, width)


def kernels(width: int = WIDTH) -> Iterator[tuple[int, int, int, int]]:
    """Yield the shapes of the convolutions' weights: [outputs, inputs, height, width]."""
    yield width, 3, 7, 7
    inputs = width
    for stage, blocks in enumerate(BLOCKS):
        inner, outputs = width << stage, width << stage + 2
        for block in range(blocks):
            yield inner, inputs, 1, 1
            yield inner, inner, 3, 3
            yield outputs, inner, 1, 1
            if block == 0:
                yield outputs, inputs, 1, 1
            inputs = outputs


def last_layer(width: int = WIDTH) -> tuple[int, int]:
    """Return the last layer's numbers of outputs and inputs."""
    return CLASSES, width << len(BLOCKS) + 1


def _products(side: int, width: int) -> int:
    side //= 2
    total = side * side * width * 3 * 49
    side //= 2
    inputs = width
    for stage, blocks in enumerate(BLOCKS):
        inner, outputs = width << stage, width << stage + 2
        for block in range(blocks):
            stride = 2 if stage > 0 and block == 0 else 1
            total += side * side * inputs * inner
            side //= stride
            total += side * side * (9 * inner * inner + inner * outputs)
            total += side * side * inputs * outputs * (block == 0)
            inputs = outputs
    return total + inputs * CLASSES
