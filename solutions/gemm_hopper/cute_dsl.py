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

    ### BEGIN SOLUTION gemm_hopper.cute_dsl
    ### STUB @cute.kernel
    ### STUB def product(self, of_a, of_b, c: cute.Tensor, products: cute.TiledMma):
    ### STUB     """Block (i, j) computes the tile of c there.
    ### STUB
    ### STUB     of_a, of_b: the copy of a tile, the matrix as this copy takes it, and the layout of
    ### STUB     the slots, whose `outer` and `inner` are a layout and its swizzle.
    ### STUB     """
    ### STUB     raise NotImplementedError("gemm_hopper.cute_dsl")
    @cute.kernel
    def product(self, of_a, of_b, c: cute.Tensor, products: cute.TiledMma):
        """Block (i, j) computes the tile of c there.

        of_a, of_b: the copy of a tile, the matrix as this copy takes it, and the layout of
        the slots, whose `outer` and `inner` are a layout and its swizzle.
        """
        (a_load, a, a_slots), (b_load, b, b_slots) = of_a, of_b
        i, j, _ = cute.arch.block_idx()
        t, _, _ = cute.arch.thread_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        shared = memory.SmemAllocator()
        a_shared = shared.allocate_tensor(cutlass.Float16, a_slots.outer, 1024, a_slots.inner)
        b_shared = shared.allocate_tensor(cutlass.Float16, b_slots.outer, 1024, b_slots.inner)
        slots = pipeline.PipelineTmaAsync.create(
            barrier_storage=shared.allocate_array(cutlass.Int64, 2 * self.stages),
            num_stages=self.stages,
            producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
            consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, CONSUMERS // 32),
            tx_count=2 * (TILE_M + self.tile_n) * TILE_K,
            cta_layout_vmnk=cute.make_layout((1, 1, 1, 1)),
        )
        a_global = cute.local_tile(a, (TILE_M, TILE_K), (i, None))
        b_global = cute.local_tile(b, (self.tile_n, TILE_K), (j, None))
        one = cute.make_layout(1)
        a_to, a_from = cpasync.tma_partition(
            a_load, 0, one, cute.group_modes(a_shared, 0, 2), cute.group_modes(a_global, 0, 2)
        )
        b_to, b_from = cpasync.tma_partition(
            b_load, 0, one, cute.group_modes(b_shared, 0, 2), cute.group_modes(b_global, 0, 2)
        )
        steps = cute.size(a_global, mode=[2])
        if warp >= CONSUMERS // 32:
            cute.arch.setmaxregister_decrease(40)
            if warp == CONSUMERS // 32:
                to = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, self.stages)
                for step in cutlass.range(steps, unroll=1):
                    slots.producer_acquire(to)
                    full = slots.producer_get_barrier(to)
                    cute.copy(a_load, a_from[None, step], a_to[None, to.index], tma_bar_ptr=full)
                    cute.copy(b_load, b_from[None, step], b_to[None, to.index], tma_bar_ptr=full)
                    slots.producer_commit(to)
                    to.advance()
                slots.producer_tail(to)
        else:
            cute.arch.setmaxregister_increase(232)
            mine = products.get_slice(t)
            of_slots_a = products.make_fragment_A(mine.partition_A(a_shared))
            of_slots_b = products.make_fragment_B(mine.partition_B(b_shared))
            result = mine.partition_C(cute.local_tile(c, (TILE_M, self.tile_n), (i, j)))
            sums = cute.make_rmem_tensor(result.shape, cutlass.Float32)
            at = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, self.stages)
            products.set(warpgroup.Field.ACCUMULATE, False)
            for _ in cutlass.range(steps, unroll=1):
                slots.consumer_wait(at)
                warpgroup.fence()
                for k in cutlass.range_constexpr(cute.size(of_slots_a, mode=[2])):
                    place = (None, None, k, at.index)
                    cute.gemm(products, sums, of_slots_a[place], of_slots_b[place], sums)
                    products.set(warpgroup.Field.ACCUMULATE, True)
                warpgroup.commit_group()
                warpgroup.wait_group(0)
                slots.consumer_release(at)
                at.advance()
            rounded = cute.make_rmem_tensor(result.shape, cutlass.Float16)
            rounded.store(sums.load().to(cutlass.Float16))
            cute.autovec_copy(rounded, result)

    ### END SOLUTION


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
