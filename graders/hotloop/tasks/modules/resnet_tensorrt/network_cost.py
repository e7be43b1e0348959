"""FLOPs of the network and shapes of its weights."""

from __future__ import annotations

from collections.abc import Iterator

BLOCKS = (3, 4, 6, 3)
WIDTH, CLASSES = 16, 10


def flops(pictures: int, side: int, width: int = WIDTH) -> int:
    """Return the FLOPs for images of side × side pixels: two for each multiply-add.

    Counts convolutions and the last layer.
    """
    products = sum(
        (side // stride) ** 2 * outputs * inputs * height * height
        for stride, (outputs, inputs, height, _) in _convolutions(width)
    )
    outputs, inputs = last_layer(width)
    return 2 * pictures * (products + outputs * inputs)


def kernels(width: int = WIDTH) -> Iterator[tuple[int, int, int, int]]:
    """Yield the shapes of the convolutions' weights: [outputs, inputs, height, width]."""
    yield from (shape for _, shape in _convolutions(width))


def last_layer(width: int = WIDTH) -> tuple[int, int]:
    """Return the last layer's numbers of outputs and inputs."""
    return CLASSES, width << len(BLOCKS) + 1


def _convolutions(width: int) -> Iterator[tuple[int, tuple[int, int, int, int]]]:
    """Yield (pixels of the image for one of the result's, along a side; shape of the weights)."""
    yield 2, (width, 3, 7, 7)
    inputs, stride = width, 4
    for stage, blocks in enumerate(BLOCKS):
        inner, outputs = width << stage, width << stage + 2
        for block in range(blocks):
            yield stride, (inner, inputs, 1, 1)
            stride = 4 << stage
            yield stride, (inner, inner, 3, 3)
            yield stride, (outputs, inner, 1, 1)
            if block == 0:
                yield stride, (outputs, inputs, 1, 1)
            inputs = outputs
