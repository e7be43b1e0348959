"""What ResNet-50 at 224×224 takes on a Jetson Nano at least, by its datasheet's peaks alone."""

from __future__ import annotations

from collections.abc import Iterator

FLOPS_PER_S = {4: 128 * 2 * 921.6e6, 2: 2 * 128 * 2 * 921.6e6}
"""128 cores, a multiply-add each clock; in float16 two. By bytes of a number."""

BYTES_PER_S = 25.6e9
BLOCKS = (3, 4, 6, 3)


def layers(width: int = 64, side: int = 224, classes: int = 1000) -> Iterator[tuple[int, int, int]]:
    """Multiply-adds, weights and numbers moved besides, of each layer with weights."""
    side //= 2
    yield _conv(side, width, 3, 7, 4 * side * side)
    inputs, side = width, side // 2
    for stage, blocks in enumerate(BLOCKS):
        inner, outputs = width << stage, width << stage + 2
        for block in range(blocks):
            before, side = side, side // 2 if stage and not block else side
            yield _conv(before, inner, inputs, 1, before * before)
            yield _conv(side, inner, inner, 3, before * before)
            yield _conv(side, outputs, inner, 1, side * side)
            if not block:
                yield _conv(side, outputs, inputs, 1, before * before)
            inputs = outputs
    yield inputs * classes, inputs * classes + classes, inputs + classes


def _conv(side: int, outputs: int, inputs: int, kernel: int, read: int) -> tuple[int, int, int]:
    weights = outputs * inputs * kernel * kernel
    return side * side * weights, weights + outputs, side * side * outputs + read * inputs


def main() -> None:
    """The longer of arithmetic and traffic, layer by layer, for one picture."""
    found = list(layers())
    products, weights = sum(m for m, _, _ in found), sum(w for _, w, _ in found)
    print(f"{products / 1e9:.1f} billion multiply-adds, {weights / 1e6:.1f} million weights")
    for size, name in ((4, "float32"), (2, "float16")):
        arithmetic = [2 * m / FLOPS_PER_S[size] for m, _, _ in found]
        traffic = [size * (w + moved) / BYTES_PER_S for _, w, moved in found]
        longer = sum(map(max, arithmetic, traffic))
        limited = sum(a > t for a, t in zip(arithmetic, traffic, strict=True))
        print(
            f"{name}: at least {1e3 * longer:.0f} ms a picture, {limited} of {len(found)} layers "
            f"limited by arithmetic; weights {size * weights / 2**20:.0f} MiB"
        )
    assert all(a > t for a, t in zip(arithmetic[:-1], traffic[:-1], strict=True))
    assert arithmetic[-1] < traffic[-1], "the last layer reads 2 million weights for one picture"


if __name__ == "__main__":
    main()
