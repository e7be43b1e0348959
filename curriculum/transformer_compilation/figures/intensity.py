"""Draws the arithmetic intensity of tiles of queries under the roofline of an NVIDIA H200.

cd curriculum/transformer_compilation/figures && python intensity.py > intensity.svg
"""

from __future__ import annotations

import json
import re

from hotloop.core import paths
from hotloop.site.charts import HOT, LEAF, Axis, Series, curves, recorded


def main() -> None:
    """Print the picture."""
    run = paths.curriculum() / "transformer_compilation" / "runs" / "nvidia_h200.json"
    ceilings = json.loads(run.read_text(encoding="utf-8"))["ceilings"]
    bandwidth = ceilings["flash_forward.gpu_fast_gb_per_s"] * 1e9
    peak = ceilings["flash_forward.gpu_fast_gflop_per_s"] * 1e9
    roof = [(x, min(peak, x * bandwidth) / 1e12) for x in (8, peak / bandwidth, 1024)]
    tiles = [
        (float(found[1]), min(peak, float(found[1]) * bandwidth) / 1e12)
        for line in recorded("transformer_compilation", "bytes_of_attention")
        if (found := re.match(r" *\d+ queries per program: (\d+) FLOP/byte", line))
    ]
    series = [
        Series(f"measured: {bandwidth / 1e12:.2f} TB/s and {peak / 1e12:.0f} TFLOP/s", roof, LEAF),
        Series("16, 64, 128 and 256 queries in a tile, keys from memory", tiles, HOT),
    ]
    told = (
        f"Up to {peak / bandwidth:.0f} FLOP/byte the memory limits; 256 queries in a tile "
        "reach it only with a cache."
    )
    across = Axis("FLOP/byte", (8, 32, 128, 512, 1024), log=True)
    up = Axis("TFLOP/s, attainable", (30, 100, 300, 1000), log=True)
    print("\n".join(curves("Tiles of queries, NVIDIA H200", across, up, series, told)))


if __name__ == "__main__":
    main()
