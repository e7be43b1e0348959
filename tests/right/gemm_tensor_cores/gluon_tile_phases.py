"""All slots are filled at first; slot and phase are carried, and a slot is filled again under an if."""


### BEGIN SOLUTION gemm_tensor_cores.gluon_tile
@gluon.jit
def fill(a, b, i, j, at, slot_a, slot_b, bar):
    bytes_of_both: gl.constexpr = a.block_type.nbytes + b.block_type.nbytes
    mbarrier.expect(bar, bytes_of_both)
    tma.async_load(a, [i, at], bar, slot_a)
    tma.async_load(b, [at, j], bar, slot_b)


@gluon.jit
def product(a, b, c, k, TILE_N: gl.constexpr, STAGES: gl.constexpr):
    BM: gl.constexpr = a.block_type.shape[0]
    BK: gl.constexpr = a.block_type.shape[1]
    i = gl.program_id(axis=0) * BM
    j = gl.program_id(axis=1) * TILE_N
    smem_a = gl.allocate_shared_memory(gl.float16, [STAGES, BM, BK], a.layout)
    smem_b = gl.allocate_shared_memory(gl.float16, [STAGES, BK, TILE_N], b.layout)
    bars = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    for s in gl.static_range(STAGES):
        mbarrier.init(bars.index(s), count=1)
    for s in gl.static_range(STAGES):
        if s * BK < k:
            fill(a, b, i, j, s * BK, smem_a.index(s), smem_b.index(s), bars.index(s))
    acc_layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, TILE_N, 16])
    acc = gl.zeros([BM, TILE_N], dtype=gl.float32, layout=acc_layout)
    slot = 0
    phase = 0
    for at in range(0, k, BK):
        mbarrier.wait(bars.index(slot), phase)
        acc = warpgroup_mma(smem_a.index(slot), smem_b.index(slot), acc, is_async=True)
        acc = warpgroup_mma_wait(num_outstanding=0, deps=[acc])
        nxt = at + STAGES * BK
        if nxt < k:
            fill(a, b, i, j, nxt, smem_a.index(slot), smem_b.index(slot), bars.index(slot))
        slot += 1
        if slot == STAGES:
            slot = 0
            phase ^= 1
    smem_c = gl.allocate_shared_memory(gl.float16, [BM, TILE_N], c.layout, acc.to(gl.float16))
    fence_async_shared()
    tma.async_store(c, [i, j], smem_c)
    tma.store_wait(0)


### END SOLUTION


### BEGIN SOLUTION gemm_tensor_cores.gluon_tile read
def read_ptx(path):
    counts = dict(products=0, stages=0, loads=0, stores=0)
    shape = size = None
    with open(path) as file:
        for line in file:
            words = line.strip().split()
            names = [word for word in words[:2] if not word.startswith("@")]
            if not names:
                continue
            parts = names[0].split(".")
            if parts[:2] == ["wgmma", "mma_async"]:
                counts["products"] += 1
                shape = next(part for part in parts if part.startswith("m64"))
            elif parts[:2] == ["mbarrier", "init"]:
                counts["stages"] += 1
            elif parts[:4] == ["cp", "async", "bulk", "tensor"]:
                counts["loads" if parts[5].startswith("shared") else "stores"] += 1
            elif parts[:3] == ["mbarrier", "arrive", "expect_tx"]:
                size = int(words[-1].rstrip(";"))
    return counts | {"shape": shape, "bytes": size}


### END SOLUTION
