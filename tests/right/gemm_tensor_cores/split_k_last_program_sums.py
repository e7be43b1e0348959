"""Two kernels: the programs of the first one each multiply a part of k, and the second one sums the parts and counts its programs."""


### BEGIN SOLUTION gemm_tensor_cores.split_k
@triton.jit
def _parts(a_ptr, b_ptr, parts_ptr, m, n, k, SPLIT: tl.constexpr, T: tl.constexpr, K: tl.constexpr):
    tile, part = tl.program_id(1), tl.program_id(0)
    across = tl.cdiv(n, T)
    r = tile // across * T + tl.arange(0, T)
    c = tile % across * T + tl.arange(0, T)
    length = tl.cdiv(tl.cdiv(k, K), SPLIT) * K
    acc = tl.zeros((T, T), tl.float32)
    for first in range(part * length, min(k, (part + 1) * length), K):
        d = first + tl.arange(0, K)
        a = tl.load(a_ptr + r[:, None] * k + d[None, :], (r < m)[:, None] & (d < k)[None, :], other=0.0)
        b = tl.load(b_ptr + d[:, None] * n + c[None, :], (d < k)[:, None] & (c < n)[None, :], other=0.0)
        acc += tl.dot(a, b)
    p = parts_ptr + part.to(tl.int64) * m * n
    tl.store(p + r[:, None] * n + c[None, :], acc, (r < m)[:, None] & (c < n)[None, :])


@triton.jit
def _sum(parts_ptr, c_ptr, done_ptr, count, SPLIT: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.load(parts_ptr + i, mask=i < count, other=0.0)
    for s in range(1, SPLIT):
        total += tl.load(parts_ptr + s * count + i, mask=i < count, other=0.0)
    tl.store(c_ptr + i, total, mask=i < count)
    tl.atomic_add(done_ptr, 1, sem="relaxed")


def split_k(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> None:
    (m, k), n = a.shape, b.shape[1]
    split = 32 if k > 1024 else 8 if k > 256 else 1
    tiles = triton.cdiv(m, 64) * triton.cdiv(n, 64)
    scratch = a.new_empty(split * m * n, dtype=torch.float32)
    done = torch.zeros(1, dtype=torch.int32, device=a.device)
    _parts[(split, tiles)](a, b, scratch, m, n, k, SPLIT=split, T=64, K=32)
    _sum[(triton.cdiv(m * n, 512),)](scratch, c, done, m * n, SPLIT=split, BLOCK=512)


### END SOLUTION
