"""A tile of a matrix product in Gluon: TMA copies, mbarriers and wgmma, compiled without a GPU."""

import re
from pathlib import Path

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

TILE_M, TILE_K, WARPS = 128, 64, 4


### BEGIN SOLUTION gemm_tensor_cores.gluon_tile
### STUB @gluon.jit
### STUB def product(a, b, c, k, TILE_N: gl.constexpr, STAGES: gl.constexpr):
### STUB     """c = a @ b: program (i, j) computes the tile of TILE_M rows and TILE_N columns there.
### STUB
### STUB     a, b, c: tensor descriptors of float16 with tiles of [TILE_M, TILE_K], [TILE_K, TILE_N]
### STUB     and [TILE_M, TILE_N]. k: a multiple of TILE_K.
### STUB     """
### STUB     raise NotImplementedError("gemm_tensor_cores.gluon_tile")
@gluon.jit
def load(a, b, row, column, step, a_tiles, b_tiles, ready, steps, STAGES: gl.constexpr):
    """Start the loads of a step, if there is one, into the step's slot."""
    slot = step % STAGES
    wanted = step < steps
    depth = step * a.block_type.shape[1]
    barrier = ready.index(slot)
    mbarrier.expect(barrier, a.block_type.nbytes + b.block_type.nbytes, pred=wanted)
    tma.async_load(a, [row, depth], barrier, a_tiles.index(slot), pred=wanted)
    tma.async_load(b, [depth, column], barrier, b_tiles.index(slot), pred=wanted)


@gluon.jit
def product(a, b, c, k, TILE_N: gl.constexpr, STAGES: gl.constexpr):
    """c = a @ b: program (i, j) computes the tile of TILE_M rows and TILE_N columns there.

    a, b, c: tensor descriptors of float16 with tiles of [TILE_M, TILE_K], [TILE_K, TILE_N] and
    [TILE_M, TILE_N]. k: a multiple of TILE_K.
    """
    a_tiles = gl.allocate_shared_memory(a.dtype, [STAGES] + a.block_type.shape, a.layout)  # noqa: RUF005
    b_tiles = gl.allocate_shared_memory(b.dtype, [STAGES] + b.block_type.shape, b.layout)  # noqa: RUF005
    ready = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    for stage in gl.static_range(STAGES):
        mbarrier.init(ready.index(stage), count=1)
    rows: gl.constexpr = a.block_type.shape[0]
    row, column = gl.program_id(0) * rows, gl.program_id(1) * TILE_N
    steps = k // a.block_type.shape[1]
    for step in gl.static_range(STAGES - 1):
        load(a, b, row, column, step, a_tiles, b_tiles, ready, steps, STAGES)
    layout: gl.constexpr = gl.NVMMADistributedLayout(
        version=[3, 0], warps_per_cta=[gl.num_warps(), 1], instr_shape=[16, TILE_N, 16]
    )
    sums = gl.zeros((rows, TILE_N), gl.float32, layout=layout)
    for step in range(steps):
        # The slot that is filled here was read by the product of the step before, which is over.
        load(a, b, row, column, step + STAGES - 1, a_tiles, b_tiles, ready, steps, STAGES)
        slot = step % STAGES
        mbarrier.wait(ready.index(slot), (step // STAGES) & 1)
        sums = warpgroup_mma(a_tiles.index(slot), b_tiles.index(slot), sums, is_async=True)
        sums = warpgroup_mma_wait(0, deps=(sums,))
    for stage in gl.static_range(STAGES):
        mbarrier.invalidate(ready.index(stage))
    out = gl.allocate_shared_memory(c.dtype, c.block_type.shape, c.layout)
    out.store(sums.to(c.dtype))
    fence_async_shared()
    tma.async_store(c, [row, column], out)
    tma.store_wait(pendings=0)


### END SOLUTION


# What the judge calls: leave it as it is. No GPU is needed to compile for one.
def compiled(tile_n, stages):
    """The kernel for these constants, compiled for a Hopper GPU: `.asm` has IR and PTX."""
    tiles = {"a": (TILE_M, TILE_K), "b": (TILE_K, tile_n), "c": (TILE_M, tile_n)}
    layouts = {
        name: gl.NVMMASharedLayout.get_default_for(list(tile), gl.float16)
        for name, tile in tiles.items()
    }
    signature = {
        name: f"tensordesc<fp16[{rows}, {columns}],{layouts[name]!r}>"
        for name, (rows, columns) in tiles.items()
    }
    signature |= {"k": "i32", "TILE_N": "constexpr", "STAGES": "constexpr"}
    source = gluon.GluonASTSource(product, signature, {(4,): tile_n, (5,): stages})
    return triton.compile(source, GPUTarget("cuda", 90, 32), {"num_warps": WARPS})


def export_ir(tile_n, stages, target):
    """Write the kernel's TritonGPU IR, from which the judge compiles PTX itself."""
    Path(target).write_text(compiled(tile_n, stages).asm["ttgir"])


### BEGIN SOLUTION gemm_tensor_cores.gluon_tile read
### STUB def read_ptx(path):
### STUB     """What the PTX of such a kernel does: the notebook has the answers."""
### STUB     raise NotImplementedError("gemm_tensor_cores.gluon_tile")
def read_ptx(path):
    """What the PTX of such a kernel does: the notebook has the answers."""
    lines = [line.split("//")[0] for line in Path(path).read_text().splitlines()]
    text = "\n".join(lines)
    shapes = re.findall(r"wgmma\.mma_async\S*\.(m\d+n\d+k\d+)\.", text)
    expected = re.findall(r"mbarrier\.arrive\.expect_tx\S* _, \[[^]]+\], (\d+);", text)
    return {
        "shape": shapes[0],
        "products": len(shapes),
        "stages": len(re.findall(r"mbarrier\.init\.", text)),
        "loads": len(re.findall(r"cp\.async\.bulk\.tensor\.\dd\.shared", text)),
        "stores": len(re.findall(r"cp\.async\.bulk\.tensor\.\dd\.global", text)),
        "bytes": max(map(int, expected)),
    }


### END SOLUTION
