"""The threshold as the largest probability with enough tokens, by steps of a bit from the top."""

### BEGIN SOLUTION llm_serving_frontier.sample_kernel
@triton.jit
def _largest(p, weight, wanted):
    found = 0
    for bit in range(30):
        tried = found | (1 << (29 - bit))
        above = p >= tried.to(tl.float32, bitcast=True)
        found = tl.where(tl.sum(tl.where(above, weight, 0.0), axis=0) >= wanted, tried, found)
    return found.to(tl.float32, bitcast=True)


@triton.jit
def _rows(p_ptr, k_ptr, mass_ptr, u_ptr, out_ptr, V, stride, N: tl.constexpr):
    row = tl.program_id(axis=0)
    i = tl.arange(0, N)
    inside = i < V
    p = tl.load(p_ptr + row * stride + i, mask=inside, other=0.0)
    k = tl.load(k_ptr + row).to(tl.float32)
    ones = tl.where(inside, 1.0, 0.0)
    p = tl.where(p >= _largest(p, ones, k), p, 0.0)
    p = tl.where(p >= _largest(p, p, tl.load(mass_ptr + row) * tl.sum(p, axis=0)), p, 0.0)
    total = tl.cumsum(p, axis=0)
    below = (total <= tl.load(u_ptr + row) * tl.sum(p, axis=0)) | (p == 0.0)
    first = tl.min(tl.where(below, N, i), axis=0)
    tl.store(out_ptr + row, first)


def sample(probabilities, top_k, top_p, uniform, out):
    count, V = probabilities.shape
    N = max(16, triton.next_power_of_2(V))
    _rows[(count,)](
        probabilities, top_k, top_p, uniform, out, V, probabilities.stride(0), N=N
    )


### END SOLUTION
