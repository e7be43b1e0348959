"""Routers in front of several workers: tasks 2 and 3. `cluster.py` says what a view holds."""

import json
import math

### BEGIN SOLUTION llm_serving_frontier.cache_router
### STUB def route(view):
### STUB     """The id of the worker that computes a request's prompt and decodes."""
### STUB     raise NotImplementedError("llm_serving_frontier.cache_router")
AVERAGE_ROW = 40
"""Tokens of other work that a decoding request stands for: it will take that much of each step."""


def route(view):
    """The id of the worker that computes a request's prompt and decodes."""
    prompt = view["request"]["prompt"]

    def tokens_first(worker):
        missing = prompt - worker["cached_tokens"]
        return worker["queued_tokens"] + missing + AVERAGE_ROW * worker["decoding"]

    return min(view["workers"], key=tokens_first)["id"]


### END SOLUTION


### BEGIN SOLUTION llm_serving_frontier.prefill_router
### STUB def place(view):
### STUB     """[worker that computes the prompt, worker that decodes], by their ids."""
### STUB     raise NotImplementedError("llm_serving_frontier.prefill_router")
OUTPUT = 70
"""Tokens that a request generates on average."""


def place(view):
    """[worker that computes the prompt, worker that decodes], by their ids."""
    decoders = [worker for worker in view["workers"] if worker["role"] == "decode"]
    others = [worker for worker in view["workers"] if worker["role"] == "prefill"]
    pairs = [(p, d) for d in decoders for p in (*others, d)]
    prompt_at, decoder = min(pairs, key=lambda pair: cost(view, *pair))
    return [prompt_at["id"], decoder["id"]]


def cost(view, prompt_at, decoder):
    """How much the two latencies would be too long, and how long they are, in shares of limits."""
    prompt, own = view["request"]["prompt"], prompt_at is decoder
    queued = prompt_at["queued_tokens"] + prompt
    rows = prompt_at["decoding"] if own else 0
    steps = math.ceil(queued / max(1, view["most_tokens"] - rows))
    first = prompt_at["busy_ms"] + steps * (view["base_ms"] + view["token_ms"] * rows)
    first += view["token_ms"] * queued
    # Prompts that a decoder computes itself delay all tokens that it generates meanwhile.
    prompts = decoder["queued_tokens"] + (prompt if own else 0)
    gap = view["base_ms"] + view["token_ms"] * (decoder["decoding"] + 1 + prompts / OUTPUT)
    if not own:
        gap += (view["link_ms"] + view["kv_ms"] * prompt) / OUTPUT
    first, gap = first / view["ttft_ms"], gap / view["tpot_ms"]
    return max(0.0, first - 1) + 5 * max(0.0, gap - 1), first + gap


### END SOLUTION


def routed(text: str) -> int:
    """What the check calls: `route`, for a view in JSON."""
    return route(json.loads(text))


def placed(text: str) -> list[int]:
    """What the check calls: `place`, for a view in JSON."""
    return list(place(json.loads(text)))
