"""Draws a layer's product from one token to 8192 on the roofline of an NVIDIA H200, as measured.

cd curriculum/gemm_tensor_cores/figures && python roofline.py > roofline.svg
"""

from __future__ import annotations

from hotloop.site.charts import Axis, ceiling
from hotloop.site.drawing import COLORS, dot, drawing, line, text

DEVICE = "nvidia_h200"
LEFT, RIGHT, TOP, BOTTOM = 40, 342, 20, 200
INTENSITIES = Axis("operations a byte", (0.5, 4000.0), log=True)
RATES = Axis("FLOP/s", (1e12, 2000e12), log=True)
N = 8192


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
    parts += [
        text(_x(p), BOTTOM + 14, f"{p:g}", size=10, anchor="middle") for p in (1, 10, 100, 1000)
    ]
    parts += [
        text(LEFT - 4, _y(p * 1e12) + 4, f"{p:g}", size=10, anchor="end")
        for p in (1, 10, 100, 1000)
    ]
    for color, bits in ((0, 16), (1, 4.25)):
        for tokens in (1, 16, 64, 256, 8192):
            moved = bits / 8 * N * N + 4 * tokens * N
            intensity = 2 * tokens * N * N / moved
            x, y = _x(intensity), _y(min(peak, intensity * bandwidth))
            parts.append(dot(x, y, 4, COLORS[color], f"{tokens} tokens, {bits:g} bits a weight"))
            if bits == 16:
                parts.append(text(min(x + 6, RIGHT - 14), y + 15, str(tokens), size=10))
    parts.append(
        text(_x(ridge), _y(peak) - 8, f"{peak / 1e12:.0f} TFLOP/s", size=10, anchor="middle")
    )
    parts.append(text(_x(3), _y(32e12), f"{bandwidth / 1e12:.2f} TB/s", size=10, anchor="end"))
    for row, words in enumerate(
        (
            "operations per byte; upwards: TFLOP/s",
            "Weights in bfloat16 are orange, in four bits blue.",
        )
    ):
        parts.append(text(LEFT, BOTTOM + 30 + 14 * row, words, size=10))
    told = (
        f"With bfloat16 weights a product of 8192 x 8192 with one token has one operation a "
        f"byte, and crosses the ridge of {ridge:.0f} at a few hundred tokens; with four bits a "
        "weight it does so at about a fourth of that."
    )
    print("\n".join(drawing(BOTTOM + 52, parts, "A layer on the roofline of an NVIDIA H200", told)))


def _x(intensity: float) -> float:
    return INTENSITIES.at(intensity, LEFT, RIGHT)


def _y(rate: float) -> float:
    return RATES.at(rate, BOTTOM, TOP)


if __name__ == "__main__":
    main()
