"""Exact fractions of bytes, and more keys than are asked for."""

### BEGIN SOLUTION llm_serving_engine.capacity
from fractions import Fraction


def capacity(path):
    d = {k: Fraction(str(v)) for k, v in json.loads(open(path).read()).items()}
    heads = d["kv_heads"] / d["gpus"] if d["kv_heads"] > d["gpus"] else Fraction(1)
    token = 2 * d["layers"] * heads * d["head_dim"] * d["cache_bytes"]
    weights = d["parameters"] * d["weight_bytes"] / d["gpus"]
    free = 2**30 * (d["memory_gib"] * d["share"] - d["reserved_gib"]) - weights
    blocks = max(int(free // (token * d["block_size"])), 0)
    per_request = -((d["prompt_tokens"] + d["output_tokens"]) // -d["block_size"])
    sequences = blocks // int(per_request)
    plan = {
        "kv_bytes_per_token": int(token),
        "blocks": blocks,
        "sequences": sequences,
        "step_ms": None,
        "tokens_per_s": None,
        "weights_gib": float(weights / 2**30),
    }
    if sequences > 0:
        read = weights + sequences * (d["prompt_tokens"] + d["output_tokens"] / 2) * token
        step = float(read / (d["bandwidth_gb_s"] * 10**9))
        plan.update(step_ms=step * 1000, tokens_per_s=sequences / step)
    return plan


### END SOLUTION
