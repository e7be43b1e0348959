"""Draws times of the softmax kernels on an NVIDIA H200, from the recorded run.

cd curriculum/fused_softmax/figures && python on_an_h200.py > on_an_h200.svg
"""

from __future__ import annotations

from hotloop.site.charts import COOL, HOT, LEAF, Bar, bars, measurements

KERNELS = (
    ("compiled_chain", "fast_gpu", "torch.compile of the chain"),
    ("triton_forward", "gpu_fast", "the Triton kernel"),
    ("cuda_warp", "gpu_fast", "the CUDA C++ kernel, one warp a row"),
)


def main() -> None:
    """Print the picture."""
    reference = {
        (m["task"], m["check"]): m
        for m in measurements("fused_softmax", "nvidia_h200")
        if m["candidate"] == "reference"
    }
    chain = reference["triton_forward", "gpu_fast"]
    rows = [Bar("five operations in eager PyTorch", *_shown(chain["baseline_p50_ms"]), HOT)]
    for task, check, name in KERNELS:
        rows.append(Bar(name, *_shown(reference[task, check]["p50_ms"]), COOL))
    limit = chain["p50_ms"] * chain["fraction_of_limit"]
    rows.append(
        Bar("read and write the matrix once, at the copy's bandwidth", *_shown(limit), LEAF)
    )
    told = "Fused kernels take about a quarter of the chain's time, near the bandwidth's limit."
    print("\n".join(bars("8192 × 8192 float32, NVIDIA H200", rows, told)))


def _shown(ms: float) -> tuple[float, str]:
    return ms, f"{ms:.3f} ms"


if __name__ == "__main__":
    main()
