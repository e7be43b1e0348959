"""One product runs on while the next begins: a slot is filled one step later, with as many stages as allow it."""


### BEGIN SOLUTION gemm_tensor_cores.gluon_tile
@gluon.jit
def bring(a, b, m, n, step, steps, pa, pb, bars, STAGES: gl.constexpr):
    ok = step < steps
    s = step % STAGES
    mbarrier.expect(bars.index(s), a.block_type.nbytes + b.block_type.nbytes, ok)
    tma.async_load(a, [m, step * 64], bars.index(s), pa.index(s), ok)
    tma.async_load(b, [step * 64, n], bars.index(s), pb.index(s), ok)


@gluon.jit
def product(a, b, c, k, TILE_N: gl.constexpr, STAGES: gl.constexpr):
    m, n = gl.program_id(0) * 128, gl.program_id(1) * TILE_N
    steps = k // 64
    pa = gl.allocate_shared_memory(gl.float16, [STAGES, 128, 64], a.layout)
    pb = gl.allocate_shared_memory(gl.float16, [STAGES, 64, TILE_N], b.layout)
    bars = mbarrier.allocate_mbarrier(batch=STAGES)
    for s in gl.static_range(STAGES):
        mbarrier.init(bars.index(s), count=1)
    # With two stages a product has to be over before its slot's neighbor can be loaded.
    LAG: gl.constexpr = 1 if STAGES > 2 else 0
    AHEAD: gl.constexpr = STAGES - 1 - LAG
    for s in gl.static_range(AHEAD):
        bring(a, b, m, n, s, steps, pa, pb, bars, STAGES)
    acc = gl.zeros((128, TILE_N), gl.float32, gl.NVMMADistributedLayout([3, 0], [4, 1], [16, TILE_N, 16]))
    for step in range(steps):
        bring(a, b, m, n, step + AHEAD, steps, pa, pb, bars, STAGES)
        mbarrier.wait(bars.index(step % STAGES), (step // STAGES) & 1)
        acc = warpgroup_mma(pa.index(step % STAGES), pb.index(step % STAGES), acc, is_async=True)
        acc = warpgroup_mma_wait(LAG, deps=(acc,))
    acc = warpgroup_mma_wait(0, deps=(acc,))
    for s in gl.static_range(STAGES):
        mbarrier.invalidate(bars.index(s))
    out = gl.allocate_shared_memory(gl.float16, [128, TILE_N], c.layout)
    out.store(acc.to(gl.float16))
    fence_async_shared()
    tma.async_store(c, [m, n], out)
    tma.store_wait(0)


### END SOLUTION


### BEGIN SOLUTION gemm_tensor_cores.gluon_tile read
PATTERNS = {
    "products": r"\bwgmma\.mma_async\.",
    "stages": r"\bmbarrier\.init\.",
    "loads": r"\bcp\.async\.bulk\.tensor\.2d\.shared",
    "stores": r"\bcp\.async\.bulk\.tensor\.2d\.global",
}


def read_ptx(path):
    text = Path(path).read_text()
    found = {name: len(re.findall(pattern, text)) for name, pattern in PATTERNS.items()}
    found["shape"] = re.search(r"mma_async\.sync\.aligned\.(\w+)\.", text).group(1)
    found["bytes"] = int(re.search(r"expect_tx.*, (\d+);", text).group(1))
    return found


### END SOLUTION
