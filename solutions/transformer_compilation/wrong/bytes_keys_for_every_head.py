"""Copies grouped keys and values for every head of queries.

fails: count_bytes.bytes
"""

### BEGIN SOLUTION transformer_compilation.count_bytes
import json
from pathlib import Path


def account(path):
    """Bytes, least times and what bounds them; see the notebook."""
    p = json.loads(Path(path).read_text())
    width = p["head_dim"] * p["element_bytes"]
    query = p["batch"] * p["heads"] * p["queries"] * width  # so large is the output, too
    key = p["batch"] * p["heads"] * p["keys"] * width  # and the values
    pairs = p["batch"] * p["heads"] * p["queries"] * p["keys"]
    scores, weights = pairs * p["score_bytes"], pairs * p["element_bytes"]
    product = 2 * pairs * p["head_dim"]
    standard = [
        (query + key + scores, product),
        (scores + weights, 0),
        (weights + key + query, product),
    ]
    kernels = [*standard, tiled(p, query)]
    timed = [waits(p, *kernel) for kernel in kernels]
    seconds = [each["launch"] + max(each["memory"], each["arithmetic"]) for each in timed]
    return {
        "standard_bytes": sum(moved for moved, _ in standard),
        "tiled_bytes": kernels[3][0],
        "fewest_bytes": 2 * query + 2 * key,
        "standard_s": sum(seconds[:3]),
        "tiled_s": seconds[3],
        "bounds": [max(each, key=each.get) for each in timed],
    }


def tiled(p, query):
    """Bytes and arithmetic of the tiled kernel: each program reads its own keys and values."""
    rows = pairs = 0
    for first in range(0, p["queries"], p["block_q"]):
        end = min(first + p["block_q"], p["queries"])
        seen = p["keys"]
        if p["causal"]:
            visible = max(0, end + p["keys"] - p["queries"])
            blocks = -(-visible // p["block_k"])
            seen = min(p["keys"], blocks * p["block_k"])
        rows += seen
        pairs += seen * (end - first)
    # Grouped heads share keys in memory, but each head of queries has programs that read them.
    programs = p["batch"] * p["heads"]
    read = 2 * programs * rows * p["head_dim"] * p["element_bytes"]
    return 2 * query + read, 4 * programs * pairs * p["head_dim"]


def waits(p, moved, flops):
    """What a kernel waits for."""
    return {
        "launch": p["launch_s"],
        "memory": moved / p["bytes_per_s"],
        "arithmetic": flops / p["flops_per_s"],
    }


### END SOLUTION
