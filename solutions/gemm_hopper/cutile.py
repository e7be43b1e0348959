"""A matrix product in cuTile: tiles and blocks, but no threads, slots or barriers."""

import cuda.tile as ct
from cuda.tile import compilation

Constant = ct.Constant[int]


### BEGIN SOLUTION gemm_hopper.cutile
### STUB @ct.kernel
### STUB def product(a, b, c, tile_m: Constant, tile_n: Constant, tile_k: Constant):
### STUB     """c = a @ b for any m, n and k: block (i, j) computes the tile of c there."""
### STUB     raise NotImplementedError("gemm_hopper.cutile")
@ct.kernel
def product(a, b, c, tile_m: Constant, tile_n: Constant, tile_k: Constant):
    """c = a @ b for any m, n and k: block (i, j) computes the tile of c there."""
    i, j = ct.bid(0), ct.bid(1)
    zeros = ct.PaddingMode.ZERO
    sums = ct.full((tile_m, tile_n), 0, dtype=ct.float32)
    for step in range(ct.num_tiles(a, axis=1, shape=(tile_m, tile_k))):
        left = ct.load(a, index=(i, step), shape=(tile_m, tile_k), padding_mode=zeros)
        right = ct.load(b, index=(step, j), shape=(tile_k, tile_n), padding_mode=zeros)
        sums = ct.mma(left, right, sums)
    ct.store(c, index=(i, j), tile=ct.astype(sums, c.dtype))


### END SOLUTION


# What the judge calls: leave it as it is. No GPU is needed, and none is named: the code is for any.
def export_tile_ir(tile_m, tile_n, tile_k, target):
    """Write the Tile IR of the kernel for float16 and these sizes of a tile."""
    matrix = compilation.ArrayConstraint(
        ct.float16,
        2,
        index_dtype=ct.int32,
        stride_lower_bound_incl=0,
        alias_groups=[],
        may_alias_internally=False,
        stride_constant=(None, 1),
        stride_divisible_by=(8, 1),
        base_addr_divisible_by=16,
    )
    signature = compilation.KernelSignature(
        [matrix, matrix, matrix, tile_m, tile_n, tile_k],
        compilation.CallingConvention.cutile_python_v1(),
    )
    compilation.export_kernel(
        product, [signature], target, output_format="tileir_bytecode", bytecode_version="13.3"
    )
