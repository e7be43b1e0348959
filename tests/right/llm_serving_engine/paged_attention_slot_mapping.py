"""Flat slots, as vLLM's slot mapping, and keys repeated for each query head."""


### BEGIN SOLUTION llm_serving_engine.paged_attention
def slots_of(table, size, start, count):
    positions = np.arange(start, start + count)
    return np.asarray(table)[positions // size] * size + positions % size


def write(k_pool, v_pool, table, start, k, v):
    slots = slots_of(table, k_pool.shape[1], start, len(k))
    k_pool.reshape(-1, *k_pool.shape[2:])[slots] = k
    v_pool.reshape(-1, *v_pool.shape[2:])[slots] = v


def paged_attention(q, k_pool, v_pool, table, length):
    n, heads, dim = q.shape
    slots = slots_of(table, k_pool.shape[1], 0, length)
    k = k_pool.reshape(-1, *k_pool.shape[2:])[slots]
    v = v_pool.reshape(-1, *v_pool.shape[2:])[slots]
    group = heads // k.shape[1]
    k, v = k.repeat(group, axis=1), v.repeat(group, axis=1)
    scores = np.einsum("nhd,thd->hnt", q, k) / np.sqrt(np.float32(dim))
    causal = np.tril(np.ones((n, length), bool), k=length - n)
    scores = np.where(causal, scores, -np.inf)
    scores -= scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores)
    weights /= weights.sum(axis=-1, keepdims=True)
    return np.einsum("hnt,thd->nhd", weights, v)


### END SOLUTION
