"""A policy for continuous batching: which requests run in the next step, and how many tokens each.

`python simulator.py` tries it on a practice trace.
"""

import json
import math

### TASK llm_serving_engine.scheduler
def decide(view: dict) -> dict:
    """{"run": [[id, tokens], …], "preempt": [id, …]} for the next step."""
    raise NotImplementedError("llm_serving_engine.scheduler")


def schedule(text: str) -> dict:
    """What the check calls: `decide`, for a view in JSON."""
    return decide(json.loads(text))
