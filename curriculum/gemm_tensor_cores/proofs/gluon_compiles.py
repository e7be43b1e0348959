"""One step of a product in Gluon, compiled for Hopper without a GPU: what the PTX has."""

from __future__ import annotations

import re
import warnings
from collections import Counter

import triton
from triton.backends.compiler import GPUTarget
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (
    fence_async_shared,
    mbarrier,
    tma,
    warpgroup_mma,
    warpgroup_mma_wait,
)

ROWS, COLUMNS, DEPTH = 64, 64, 64


# --8<-- [start:kernel]
@gluon.jit
def one_step(a, b, c):
    """One tile of a product: loaded, multiplied and stored once, nothing overlapped."""
    left = gl.allocate_shared_memory(a.dtype, a.block_type.shape, a.layout)
    right = gl.allocate_shared_memory(b.dtype, b.block_type.shape, b.layout)
    arrived = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(arrived, count=1)
    mbarrier.expect(arrived, a.block_type.nbytes + b.block_type.nbytes)
    tma.async_load(a, [0, 0], arrived, left)
    tma.async_load(b, [0, 0], arrived, right)
    mbarrier.wait(arrived, 0)
    rows: gl.constexpr = a.block_type.shape[0]
    columns: gl.constexpr = b.block_type.shape[1]
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, columns, 16])
    total = gl.zeros((rows, columns), gl.float32, layout)
    total = warpgroup_mma(left, right, total, is_async=True)
    total = warpgroup_mma_wait(0, deps=(total,))
    out = gl.allocate_shared_memory(c.dtype, c.block_type.shape, c.layout)
    out.store(total.to(c.dtype))
    fence_async_shared()
    tma.async_store(c, [0, 0], out)
    tma.store_wait(pendings=0)


# --8<-- [end:kernel]


def main() -> None:
    """Print how often each instruction stands in the PTX."""
    warnings.simplefilter("ignore")
    signature: dict[str, str] = {}
    for name, (rows, columns) in {
        "a": (ROWS, DEPTH),
        "b": (DEPTH, COLUMNS),
        "c": (ROWS, COLUMNS),
    }.items():
        layout = gl.NVMMASharedLayout.get_default_for([rows, columns], gl.float16)
        signature[name] = f"tensordesc<fp16[{rows}, {columns}],{layout!r}>"
    source = gluon.GluonASTSource(one_step, signature)
    compiled = triton.compile(source, GPUTarget("cuda", 90, 32), {"num_warps": 4})
    kinds = r"(mbarrier\.\w+|cp\.async\.bulk\.tensor\.2d\.\w+|wgmma\.\w+|fence\.proxy\.async)\b"
    found = Counter(re.findall(kinds, compiled.asm["ptx"]))
    print(f"sm_90a, without a GPU: a tile of {ROWS} by {COLUMNS}, {DEPTH} deep")
    for name in sorted(found):
        print(f"  {name:32} {found[name]}")
    expected = re.findall(r"expect_tx.*, (\d+);", compiled.asm["ptx"])
    print(f"bytes that the barrier expects: {expected[0]}")
    assert found["wgmma.mma_async"] == DEPTH // 16
    assert int(expected[0]) == 2 * (ROWS * DEPTH + DEPTH * COLUMNS)


if __name__ == "__main__":
    main()
