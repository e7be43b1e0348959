"""The product of task 9 in CuTe DSL, compiled for Hopper without a GPU."""

from pathlib import Path

import cutlass
import cutlass.utils.hopper_helpers as hopper
from cutlass import cute, memory, pipeline, tensor_utils
from cutlass.cute.nvgpu import OperandMajorMode, cpasync, warpgroup

TILE_M, TILE_K = 128, 64
CONSUMERS, THREADS = 256, 384
"""Two warp groups multiply 64 rows each; warps 8 to 11 copy."""


class Product:
    """c = a @ b.T in tiles of TILE_M x tile_n, with so many slots for tiles of a and b."""

    def __init__(self, tile_n, stages):
        self.tile_n, self.stages = tile_n, stages

    # The host's side: tensor maps, layouts of the slots, and the launch.
    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        """a: [m, k], b: [n, k], c: [m, n], all float16 and row-major."""
        tile = (TILE_M, self.tile_n, TILE_K)
        rows = tensor_utils.LayoutEnum.ROW_MAJOR
        products = hopper.make_trivial_tiled_mma(
            cutlass.Float16,
            cutlass.Float16,
            OperandMajorMode.K,
            OperandMajorMode.K,
            cutlass.Float32,
            (CONSUMERS // 128, 1, 1),
            (64, self.tile_n),
        )
        a_slots = hopper.make_smem_layout_a(rows, tile, cutlass.Float16, self.stages)
        b_slots = hopper.make_smem_layout_b(rows, tile, cutlass.Float16, self.stages)
        load = cpasync.CopyBulkTensorTileG2SOp()
        a_load, a_tiles = cpasync.make_tiled_tma_atom(
            load, a, cute.slice_(a_slots, (None, None, 0)), (TILE_M, TILE_K)
        )
        b_load, b_tiles = cpasync.make_tiled_tma_atom(
            load, b, cute.slice_(b_slots, (None, None, 0)), (self.tile_n, TILE_K)
        )
        grid = (cute.ceil_div(c.shape[0], TILE_M), cute.ceil_div(c.shape[1], self.tile_n), 1)
        self.product((a_load, a_tiles, a_slots), (b_load, b_tiles, b_slots), c, products).launch(
            grid=grid, block=(THREADS, 1, 1)
        )

    ### TASK gemm_hopper.cute_dsl
    @cute.kernel
    def product(self, of_a, of_b, c: cute.Tensor, products: cute.TiledMma):
        """Block (i, j) computes the tile of c there.

        of_a, of_b: the copy of a tile, the matrix as this copy takes it, and the layout of
        the slots, whose `outer` and `inner` are a layout and its swizzle.
        """
        raise NotImplementedError("gemm_hopper.cute_dsl")


# What the judge calls: leave it as it is. No GPU is needed to compile for one.
def export_ptx(tile_n, stages, target):
    """Write the PTX of the kernel for these constants, for any m, n and k."""
    m, n, k = (cute.sym_int(divisibility=64) for _ in range(3))
    matrices = [
        cute.runtime.make_fake_compact_tensor(
            cutlass.Float16, shape, stride_order=(1, 0), assumed_align=128
        )
        for shape in ((m, k), (n, k), (m, n))
    ]
    folder = Path(target).with_suffix(".dump")
    folder.mkdir()
    options = f"--gpu-arch sm_90a --keep-ptx --dump-dir {folder}"
    cute.compile(Product(tile_n, stages), *matrices, options=options)
    [ptx] = folder.glob("*.ptx")
    Path(target).write_bytes(ptx.read_bytes().rstrip(b"\0"))
