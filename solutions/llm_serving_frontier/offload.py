"""A prefix cache in two tiers: what to load and what to compute, and what leaves. Task 7."""

import json

### BEGIN SOLUTION llm_serving_frontier.prefix_tiers
### STUB def split(compute_ms, load_ms):
### STUB     """How many of a prompt's first blocks to compute; the others are loaded."""
### STUB     raise NotImplementedError("llm_serving_frontier.prefix_tiers")
### STUB
### STUB
### STUB def evict(view):
### STUB     """Names of view["count"] blocks that leave a tier."""
### STUB     raise NotImplementedError("llm_serving_frontier.prefix_tiers")
AGE = 20
"""Requests: how long a block that was used just now is worth no more than one that was before."""


def split(compute_ms, load_ms):
    """How many of a prompt's first blocks to compute; the others are loaded."""
    best, least = len(compute_ms), sum(compute_ms)
    loading, computing = 0.0, least
    for first in range(len(load_ms) - 1, -1, -1):
        if load_ms[first] is None:
            break
        loading += load_ms[first]
        computing -= compute_ms[first]
        if max(loading, computing) < least:
            best, least = first, max(loading, computing)
    return best


def evict(view):
    """Names of view["count"] blocks that leave a tier."""

    def worth(block):
        # Often used is likely used again; so is lately used. A document that came once is neither.
        return block["uses"] / (view["request"] - block["last"] + AGE), -block["place"]

    ordered = sorted(view["blocks"], key=worth)
    return [block["name"] for block in ordered[: view["count"]]]


### END SOLUTION


def splits(prompts: list[list[list]]) -> list[int]:
    """What the check calls: `split` for each prompt."""
    return [int(split(compute_ms, load_ms)) for compute_ms, load_ms in prompts]


def evicted(text: str) -> list[int]:
    """What the check calls: `evict`, for a view in JSON."""
    return list(map(int, evict(json.loads(text))))
