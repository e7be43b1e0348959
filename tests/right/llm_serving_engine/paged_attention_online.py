"""Block by block with running maxima and sums, for each query head by itself."""


### BEGIN SOLUTION llm_serving_engine.paged_attention
def write(k_pool, v_pool, table, start, k, v):
    size = k_pool.shape[1]
    for offset in range(len(k)):
        block, slot = divmod(start + offset, size)
        k_pool[table[block], slot] = k[offset]
        v_pool[table[block], slot] = v[offset]


def paged_attention(q, k_pool, v_pool, table, length):
    n, heads, dim = q.shape
    size, kv_heads = k_pool.shape[1:3]
    out = np.zeros((n, heads, dim))
    for head in range(heads):
        shared = head * kv_heads // heads
        highest = np.full((n, 1), -np.inf)
        total = np.zeros((n, 1))
        for number in range((length + size - 1) // size):
            count = min(size, length - number * size)
            k = k_pool[table[number], :count, shared].astype(np.float64)
            v = v_pool[table[number], :count, shared].astype(np.float64)
            scores = q[:, head].astype(np.float64) @ k.T * dim**-0.5
            place = number * size + np.arange(count)
            scores[place[None, :] > np.arange(length - n, length)[:, None]] = -np.inf
            above = np.maximum(highest, scores.max(1, keepdims=True))
            shares, shrink = np.exp(scores - above), np.exp(highest - above)
            total = total * shrink + shares.sum(1, keepdims=True)
            out[:, head] = out[:, head] * shrink + shares @ v
            highest = above
        out[:, head] /= total
    return out.astype(np.float32)


### END SOLUTION
