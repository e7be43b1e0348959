"""Codes by comparison with fifteen limits; scores by folding the scales into the query."""

### BEGIN SOLUTION llm_serving_frontier.quantized_cache
def grouped(x, axis):
    low = x.min(axis).astype(np.float16)
    scale = ((x.max(axis) - low) / np.float32(15)).astype(np.float16)
    limits = np.expand_dims(low.astype(np.float64), axis)
    step = np.expand_dims(scale.astype(np.float64), axis)
    codes = sum((x > limits + step * (n + 0.5)).astype(np.uint8) for n in range(15))
    return codes, low, scale


def quantize(keys, values, group):
    count = len(keys) - len(keys) % group
    _, heads, dim = keys.shape
    kc, kl, ks = grouped(keys[:count].reshape(count // group, group, heads, dim), 1)
    vc, vl, vs = grouped(values[:count].reshape(count, heads, dim // group, group), 3)

    def bytes_of(codes):
        pairs = codes.reshape(count, heads, dim // 2, 2).astype(int)
        return (pairs @ np.array([1, 16])).astype(np.uint8)

    return dict(
        k_codes=bytes_of(kc), k_low=kl, k_scale=ks, v_codes=bytes_of(vc), v_low=vl, v_scale=vs
    )


def attend(q, cache, keys, values, group):
    def numbers(codes):
        return np.stack([codes % 16, codes // 16], axis=-1).reshape(*codes.shape[:2], -1)

    heads = keys.shape[1]
    q = q.reshape(heads, -1, q.shape[-1]) / q.shape[-1] ** 0.5
    codes = numbers(cache["k_codes"]).astype(np.float64)
    places = np.arange(len(codes)) // group
    # q · (low + scale · code) = q · low + (q · scale) · code
    low = np.einsum("hgd,thd->hgt", q, cache["k_low"])[:, :, places]
    scaled = q[None] * cache["k_scale"][:, :, None]
    scores = low + np.einsum("thgd,thd->hgt", scaled[places], codes)
    scores = np.concatenate([scores, np.einsum("hgd,thd->hgt", q, keys)], -1)
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    codes = numbers(cache["v_codes"]).reshape(*cache["v_low"].shape, group)
    old = codes * cache["v_scale"][..., None] + cache["v_low"][..., None]
    v = np.concatenate([old.reshape(len(codes), heads, -1), values])
    return np.einsum("hgt,thd->hgd", shares, v).reshape(-1, v.shape[-1])


### END SOLUTION
