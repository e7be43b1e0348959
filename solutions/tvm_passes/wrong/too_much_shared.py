"""Tiles of k so deep that a block's caches need 128 KiB of shared memory.

fails: cuda_source.compiles
"""


### BEGIN SOLUTION tvm_passes.cuda_source
def cuda_source(source, target):
    """Read the naive product from `source`, schedule it for a GPU, write it to `target`.

    m, n and k are multiples of 64.
    """
    sch = s_tir.Schedule(read_module(source))
    block = sch.get_sblock("C")
    sums = sch.cache_write(block, 0, "local")
    copies = [sch.cache_read(block, index, "shared") for index in (0, 1)]
    i, j, k = sch.get_loops(block)
    i_block, i_thread, i_own = sch.split(i, [None, 16, 4])
    j_block, j_thread, j_own = sch.split(j, [None, 16, 4])
    depth = next(d for d in (256, 128, 64) if int(sch.get(k).extent) % d == 0)
    k_outer, k_inner = sch.split(k, [None, depth])
    sch.reorder(i_block, j_block, i_thread, j_thread, k_outer, k_inner, i_own, j_own)
    sch.bind(i_block, "blockIdx.y")
    sch.bind(j_block, "blockIdx.x")
    sch.bind(i_thread, "threadIdx.y")
    sch.bind(j_thread, "threadIdx.x")
    sch.reverse_compute_at(sums, j_thread)
    sch.vectorize(sch.get_loops(sums)[-1])
    for copy in copies:
        # All threads of a block together bring a tile: each one four neighbouring floats.
        sch.compute_at(copy, k_outer)
        together = sch.fuse(*sch.get_loops(copy)[-2:])
        _, y, x, four = sch.split(together, [None, 16, 16, 4])
        sch.bind(y, "threadIdx.y")
        sch.bind(x, "threadIdx.x")
        sch.vectorize(four)
    sch.decompose_reduction(block, k_outer)
    write_module(sch.mod, target)


### END SOLUTION
