"""Draws the roofline of an NVIDIA H200, as it was measured, with the kernels of this module.

cd curriculum/first_kernels/figures && python roofline.py > roofline.svg
"""

from __future__ import annotations

from hotloop.site.charts import Axis, ceiling
from hotloop.site.drawing import COLORS, dot, drawing, line, text

DEVICE = "nvidia_h200"
LEFT, RIGHT, TOP, BOTTOM = 40, 342, 20, 200
INTENSITIES = Axis("operations a byte", (0.1, 1000.0), log=True)
RATES = Axis("FLOP/s", (0.1e12, 1000e12), log=True)

KERNELS = (
    ("axpy", 2 / 12),
    ("row_sums", 1 / 4),
    ("blur_rows", 7 / 8),
    ("bias_gelu", 10 / 8),
    ("matmul", 2 * 64 * 64 / (2 * 64 * 2)),
)
"""Operations a byte, counted: of a product, for tiles of 64 × 64 whose loads no cache serves."""


def main() -> None:
    """Print the picture."""
    bandwidth = ceiling("fused_softmax", DEVICE, "triton_forward.gpu_fast_gb_per_s") * 1e9
    peak = ceiling("resnet_tensorrt", DEVICE, "torch_gpu.gpu_fast_gflop_per_s") * 1e9
    ridge = peak / bandwidth
    low, high = INTENSITIES.ticks
    parts = [
        line(LEFT, BOTTOM, RIGHT, BOTTOM),
        line(LEFT, TOP, LEFT, BOTTOM),
        line(_x(low), _y(low * bandwidth), _x(ridge), _y(peak), "edge"),
        line(_x(ridge), _y(peak), _x(high), _y(peak), "edge"),
    ]
    powers = [10.0**power for power in range(-1, 4)]
    parts += [text(_x(p), BOTTOM + 14, f"{p:g}", size=10, anchor="middle") for p in powers]
    parts += [text(LEFT - 4, _y(p * 1e12) + 4, f"{p:g}", size=10, anchor="end") for p in powers]
    for number, (name, intensity) in enumerate(KERNELS):
        x, y = _x(intensity), _y(min(peak, intensity * bandwidth))
        # Above the line and below it in turn, so that no name covers another one.
        place = (x - 4, y - 9) if number % 2 else (x + 8, y + 12)
        parts += [dot(x, y, 4, COLORS[0]), text(*place, name, size=10)]
    over = f"{peak / 1e12:.0f} TFLOP/s"
    parts.append(text(_x(ridge), _y(peak) - 8, over, size=10, anchor="middle"))
    parts.append(text(_x(6), _y(15e12), f"{bandwidth / 1e12:.2f} TB/s", size=10))
    parts.append(text(LEFT, BOTTOM + 30, "operations per byte; upwards: TFLOP/s", size=10))
    told = (
        f"The attainable rate rises with the intensity up to {ridge:.0f} operations a byte. "
        "All kernels of this module lie left of that."
    )
    print("\n".join(drawing(BOTTOM + 40, parts, "The roofline of an NVIDIA H200", told)))


def _x(intensity: float) -> float:
    return INTENSITIES.at(intensity, LEFT, RIGHT)


def _y(rate: float) -> float:
    return RATES.at(rate, BOTTOM, TOP)


if __name__ == "__main__":
    main()
