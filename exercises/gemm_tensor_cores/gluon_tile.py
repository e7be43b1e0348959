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


### TASK gemm_tensor_cores.gluon_tile
@gluon.jit
def product(a, b, c, k, TILE_N: gl.constexpr, STAGES: gl.constexpr):
    """c = a @ b: program (i, j) computes the tile of TILE_M rows and TILE_N columns there.

    a, b, c: tensor descriptors of float16 with tiles of [TILE_M, TILE_K], [TILE_K, TILE_N]
    and [TILE_M, TILE_N]. k: a multiple of TILE_K.
    """
    raise NotImplementedError("gemm_tensor_cores.gluon_tile")


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


### TASK gemm_tensor_cores.gluon_tile read
def read_ptx(path):
    """What the PTX of such a kernel does: the notebook has the answers."""
    raise NotImplementedError("gemm_tensor_cores.gluon_tile")
