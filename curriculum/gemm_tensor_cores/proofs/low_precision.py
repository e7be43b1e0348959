"""Errors of weights of four bits beside an outlier, and of three block-scaled formats."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hotloop.tasks.modules.gemm_tensor_cores import low_precision as formats

Floats = NDArray[np.float64]


def four_bits(w: Floats, scale: Floats) -> Floats:
    """Codes of -8 to 7 steps."""
    return np.clip(np.round(w / scale), -8, 7) * scale


def decoded(values: Floats, name: str) -> Floats:
    """What the codes of a format stand for."""
    made = formats.FORMATS[name](values.tolist())
    kind = formats.E4M3 if name == "mxfp8" else formats.E2M1
    signless = np.array([kind.value(code & (kind.sign_bit - 1)) for code in made.elements])
    size = 16 if name == "nvfp4" else 32
    scales = (
        np.array([formats.E4M3.value(code) for code in made.scales]) * made.tensor_scale
        if name == "nvfp4"
        else 2.0 ** (np.array(made.scales) - 127)
    )
    return np.copysign(signless, values) * np.repeat(scales, size)


def relative(got: Floats, want: Floats) -> float:
    """Root of the mean squared error, against that of the numbers."""
    return float(np.sqrt(((got - want) ** 2).mean() / (want**2).mean()))


def main() -> None:
    """Print relative errors."""
    rng = np.random.default_rng(0)
    w = rng.standard_normal((64, 64))
    w[:, 5] *= 50
    others = np.delete(np.arange(64), 5)
    row = np.abs(w).max(axis=1, keepdims=True) / 7
    column = np.abs(w).max(axis=0, keepdims=True) / 7
    by_row = relative(four_bits(w, row)[:, others], w[:, others])
    by_column = relative(four_bits(w, column)[:, others], w[:, others])
    print(
        f"four bits beside an outlier column: {by_row:.0%} with a scale a row, "
        f"{by_column:.0%} a column"
    )
    assert by_row > 0.8
    assert by_column < 0.2
    x = rng.standard_normal(1 << 14)
    errors = {name: relative(decoded(x, name), x) for name in ("mxfp8", "mxfp4", "nvfp4")}
    print(", ".join(f"{name} {error:.1%}" for name, error in errors.items()), "of normal numbers")
    assert errors["mxfp8"] < errors["nvfp4"] < errors["mxfp4"]
    bits = {"mxfp8": 8 + 8 / 32, "mxfp4": 4 + 8 / 32, "nvfp4": 4 + 8 / 16}
    print(", ".join(f"{name} {value:g}" for name, value in bits.items()), "bits a number")


if __name__ == "__main__":
    main()
