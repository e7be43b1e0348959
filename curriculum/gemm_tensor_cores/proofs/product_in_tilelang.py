"""A product in TileLang, compiled for two GPUs without one: what the CUDA code has."""

from __future__ import annotations

import importlib
import importlib.util
import re
import runpy
from collections import Counter
from pathlib import Path
from typing import Any

KERNEL = Path(__file__).parent / "languages" / "tilelang_product.py"
KINDS = re.compile(
    r"\b(cp_async_gs|ptx_ldmatrix_x4(?:_trans)?|mma_sync|tma_load|wgmma_ss"
    r"|warpgroup_reg_\w+|arrive_and_expect_tx)\b"
)


def main() -> None:
    """Print how often each instruction stands in the code."""
    if importlib.util.find_spec("tilelang") is None:
        print("not measured here: TileLang is not installed; pip install tilelang")
        return
    tilelang: Any = importlib.import_module("tilelang")
    product: Any = runpy.run_path(str(KERNEL))["product"]
    for arch in ("sm_80", "sm_90a"):
        target = tilelang.tvm.target.Target({"kind": "cuda", "arch": arch})
        with target:
            source: str = tilelang.lower(product(1024, 1024, 1024), target=target).kernel_source
        kernel = source[source.rindex('extern "C"') :]
        threads = re.search(r"__launch_bounds__\((\d+)", kernel)
        assert threads is not None
        print(f"{arch}: a block of {threads[1]} threads")
        for name, count in sorted(Counter(KINDS.findall(kernel)).items()):
            print(f"  {name:24} {count}")


if __name__ == "__main__":
    main()
