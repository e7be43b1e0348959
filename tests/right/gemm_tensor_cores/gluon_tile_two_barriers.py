"""A barrier for each operand's slots; the first product does not add; loads of the next step before the product."""


### BEGIN SOLUTION gemm_tensor_cores.gluon_tile
@gluon.jit
def product(a, b, c, k, TILE_N: gl.constexpr, STAGES: gl.constexpr):
    m0 = gl.program_id(0) * TILE_M_
    n0 = gl.program_id(1) * TILE_N
    total = gl.cdiv(k, TILE_K_)
    abuf = gl.allocate_shared_memory(a.dtype, [STAGES, TILE_M_, TILE_K_], a.layout)
    bbuf = gl.allocate_shared_memory(b.dtype, [STAGES, TILE_K_, TILE_N], b.layout)
    abar = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    bbar = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    for s in gl.static_range(STAGES):
        mbarrier.init(abar.index(s), count=1)
        mbarrier.init(bbar.index(s), count=1)
    mbarrier.expect(abar.index(0), a.block_type.nbytes)
    tma.async_load(a, [m0, 0], abar.index(0), abuf.index(0))
    mbarrier.expect(bbar.index(0), b.block_type.nbytes)
    tma.async_load(b, [0, n0], bbar.index(0), bbuf.index(0))
    acc = gl.zeros(
        (TILE_M_, TILE_N),
        gl.float32,
        layout=gl.NVMMADistributedLayout(
            version=[3, 0], warps_per_cta=[4, 1], instr_shape=[16, TILE_N, 16]
        ),
    )
    for t in range(total):
        # The product of the step before is done, so every slot but this step's is free.
        after = t + 1
        more = after < total
        into = after % STAGES
        mbarrier.expect(abar.index(into), a.block_type.nbytes, pred=more)
        tma.async_load(a, [m0, after * TILE_K_], abar.index(into), abuf.index(into), pred=more)
        mbarrier.expect(bbar.index(into), b.block_type.nbytes, pred=more)
        tma.async_load(b, [after * TILE_K_, n0], bbar.index(into), bbuf.index(into), pred=more)
        here = t % STAGES
        parity = (t // STAGES) % 2
        mbarrier.wait(abar.index(here), parity)
        mbarrier.wait(bbar.index(here), parity)
        acc = warpgroup_mma(abuf.index(here), bbuf.index(here), acc, use_acc=t > 0)
    staging = gl.allocate_shared_memory(c.dtype, [TILE_M_, TILE_N], c.layout)
    staging.store(acc.to(gl.float16))
    fence_async_shared()
    tma.async_store(c, [m0, n0], staging)
    tma.store_wait(pendings=0)


TILE_M_ = gl.constexpr(128)
TILE_K_ = gl.constexpr(64)


### END SOLUTION


### BEGIN SOLUTION gemm_tensor_cores.gluon_tile read
def read_ptx(path):
    with open(path, encoding="utf-8") as file:
        code = [line.partition("//")[0] for line in file]

    def those(text):
        return [line for line in code if text in line]

    products = those("wgmma.mma_async")
    tensors = those("cp.async.bulk.tensor")
    loads = [line for line in tensors if "complete_tx" in line]
    return {
        "products": len(products),
        "shape": re.search(r"m64n\d+k16", products[0])[0],
        "stages": len(those("mbarrier.init")),
        "loads": len(loads),
        "stores": len(tensors) - len(loads),
        "bytes": max(int(re.findall(r"\d+", line)[-1]) for line in those("expect_tx")),
    }


### END SOLUTION
