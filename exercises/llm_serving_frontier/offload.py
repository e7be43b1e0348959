"""A prefix cache in two tiers: what to load and what to compute, and what leaves. Task 7."""

import json

### TASK llm_serving_frontier.prefix_tiers
def split(compute_ms, load_ms):
    """How many of a prompt's first blocks to compute; the others are loaded."""
    raise NotImplementedError("llm_serving_frontier.prefix_tiers")


def evict(view):
    """Names of view["count"] blocks that leave a tier."""
    raise NotImplementedError("llm_serving_frontier.prefix_tiers")


def splits(prompts: list[list[list]]) -> list[int]:
    """What the check calls: `split` for each prompt."""
    return [int(split(compute_ms, load_ms)) for compute_ms, load_ms in prompts]


def evicted(text: str) -> list[int]:
    """What the check calls: `evict`, for a view in JSON."""
    return list(map(int, evict(json.loads(text))))
