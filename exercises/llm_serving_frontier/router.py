"""Routers in front of several workers: tasks 2 and 3. `cluster.py` says what a view holds."""

import json
import math

### TASK llm_serving_frontier.cache_router
def route(view):
    """The id of the worker that computes a request's prompt and decodes."""
    raise NotImplementedError("llm_serving_frontier.cache_router")


### TASK llm_serving_frontier.prefill_router
def place(view):
    """[worker that computes the prompt, worker that decodes], by their ids."""
    raise NotImplementedError("llm_serving_frontier.prefill_router")


def routed(text: str) -> int:
    """What the check calls: `route`, for a view in JSON."""
    return route(json.loads(text))


def placed(text: str) -> list[int]:
    """What the check calls: `place`, for a view in JSON."""
    return list(place(json.loads(text)))
