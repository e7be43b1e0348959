"""What becomes of tl.dot on sm_90: the instruction depends on dtype and tile, seen in the PTX."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

KERNEL = """
import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, c_ptr, ROWS: tl.constexpr, UP: tl.constexpr):
    row, column = tl.arange(0, ROWS), tl.arange(0, 64)
    a = tl.load(a_ptr + row[:, None] * 64 + column[None, :])
    b = tl.load(b_ptr + column[:, None] * 64 + column[None, :])
    if UP:
        c = tl.dot(a.to(tl.float32), b.to(tl.float32), input_precision="ieee")
    else:
        c = tl.dot(a, b)
    tl.store(c_ptr + row[:, None] * 64 + column[None, :], c)
"""


def ptx(kernel: object, rows: int, up: bool, capability: int) -> str:
    """What four warps are to do."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    types = {"a_ptr": "*fp16", "b_ptr": "*fp16", "c_ptr": "*fp32"}
    source = ASTSource(
        kernel,
        signature={**types, "ROWS": "constexpr", "UP": "constexpr"},
        constexprs={"ROWS": rows, "UP": up},
        attrs={(index,): [["tt.divisibility", 16]] for index in range(3)},
    )
    target = GPUTarget("cuda", capability, 32)
    return triton.compile(source, target=target, options={"num_warps": 4}).asm["ptx"]


def products(text: str) -> dict[str, int]:
    """Instructions that multiply, by kind."""
    kinds = {"wgmma": r"wgmma\.mma_async", "mma.sync": r"\bmma\.sync", "fma": r"fma\.rn\.f32"}
    found = {name: len(re.findall(pattern, text)) for name, pattern in kinds.items()}
    return {name: count for name, count in found.items() if count}


def main() -> None:
    """Print the instructions for four kernels."""
    import importlib.util
    import os

    os.environ.pop("TRITON_INTERPRET", None)
    os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TRITON_CACHE_DIR"] = folder
        path = Path(folder) / "kernels.py"
        path.write_text(KERNEL)
        spec = importlib.util.spec_from_file_location("kernels", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        seen = {}
        for rows, up, capability in (
            (64, False, 90),
            (32, False, 90),
            (64, True, 90),
            (64, False, 80),
        ):
            seen[rows, up, capability] = found = products(ptx(module.product, rows, up, capability))
            kind = "as float32" if up else "as float16"
            print(f"sm_{capability}, {rows} rows, {kind}: {', '.join(found)}")
    assert set(seen[64, False, 90]) == {"wgmma"}
    assert set(seen[32, False, 90]) == {"mma.sync"}
    assert set(seen[64, True, 90]) == {"fma"}
    assert set(seen[64, False, 80]) == {"mma.sync"}


if __name__ == "__main__":
    main()
