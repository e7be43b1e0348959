"""Groups are quantized one after the other, and attended to with a running maximum."""

### BEGIN SOLUTION llm_serving_frontier.quantized_cache
LEVELS = 15


def one_group(x):
    low = np.float16(x.min())
    scale = np.float16((x.max() - np.float32(low)) / LEVELS)
    if scale == 0:
        return np.zeros(x.shape, np.uint8), low, scale
    codes = np.round((x - np.float32(low)) / np.float32(scale))
    return np.minimum(np.maximum(codes, 0), LEVELS).astype(np.uint8), low, scale


def quantize(keys, values, group):
    blocks = len(keys) // group
    tokens, (heads, dim) = blocks * group, keys.shape[1:]
    k = np.zeros((tokens, heads, dim), np.uint8)
    v = np.zeros_like(k)
    k_low, k_scale = np.zeros((2, blocks, heads, dim), np.float16)
    v_low, v_scale = np.zeros((2, tokens, heads, dim // group), np.float16)
    for head in range(heads):
        for block in range(blocks):
            rows = slice(block * group, (block + 1) * group)
            for channel in range(dim):
                codes, low, scale = one_group(keys[rows, head, channel])
                k[rows, head, channel] = codes
                k_low[block, head, channel], k_scale[block, head, channel] = low, scale
        for token in range(tokens):
            for part in range(dim // group):
                channels = slice(part * group, (part + 1) * group)
                codes, low, scale = one_group(values[token, head, channels])
                v[token, head, channels] = codes
                v_low[token, head, part], v_scale[token, head, part] = low, scale
    packed = [codes[..., ::2] + 16 * codes[..., 1::2] for codes in (k, v)]
    return {
        "k_codes": packed[0],
        "k_low": k_low,
        "k_scale": k_scale,
        "v_codes": packed[1],
        "v_low": v_low,
        "v_scale": v_scale,
    }


def attend(q, cache, keys, values, group):
    def spread(codes):
        both = np.empty((*codes.shape[:-1], 2 * codes.shape[-1]), np.float32)
        both[..., ::2], both[..., 1::2] = codes % 16, codes // 16
        return both

    heads = keys.shape[1]
    k_codes, v_codes = spread(cache["k_codes"]), spread(cache["v_codes"])
    output = np.zeros((len(q), q.shape[1]))
    for query in range(len(q)):
        head = query * heads // len(q)
        biggest, total, mixed = -np.inf, 0.0, np.zeros(q.shape[1])

        def add(k, v):
            nonlocal biggest, total, mixed
            score = float(np.dot(q[query].astype(float), k)) / np.sqrt(q.shape[1])
            new = max(biggest, score)
            old, share = np.exp(biggest - new), np.exp(score - new)
            biggest, total, mixed = new, total * old + share, mixed * old + share * v

        for token in range(len(k_codes)):
            low, scale = (cache[f"k_{name}"][token // group, head] for name in ("low", "scale"))
            k = k_codes[token, head] * scale + low
            low, scale = (cache[f"v_{name}"][token, head] for name in ("low", "scale"))
            v = v_codes[token, head].reshape(-1, group) * scale[:, None] + low[:, None]
            add(k, v.ravel())
        for k, v in zip(keys[:, head], values[:, head], strict=True):
            add(k, v)
        output[query] = mixed / total
    return output


### END SOLUTION
