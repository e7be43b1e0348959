"""Two baseline policies for a learner's scheduler: first come, first served, and vLLM's.

Both decide from the same view as a learner's policy. vLLM's rules are those of its V1 scheduler
(vllm/v1/core/sched/scheduler.py, policy "fcfs", chunked prefill, no prefix cache, no
long_prefill_token_threshold), implemented anew:

- Running requests come first, in order: each gets all of its tokens that are not computed yet, or
  the rest of the token budget.
- If blocks are missing for a request, the last running request is preempted, until there are enough
  blocks or the request itself is preempted; then no other running request is scheduled.
- Only if none was preempted: waiting requests in order, while rows, tokens and blocks last, the
  last one with a chunk of its prompt.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

View = Mapping[str, Any]
Decision = dict[str, list[Any]]
Policy = Callable[[View], Decision]


def vllm(view: View) -> Decision:
    """Schedule decoding and prompt chunks in the same step."""
    running, free, budget = list(view["running"]), view["free_blocks"], view["most_tokens"]
    run, preempt, place = list[list[int]](), list[int](), 0
    while place < len(running) and budget > 0:
        request = running[place]
        count = min(request["tokens"] - request["computed"], budget)
        while _blocks(view, request, count) > free:
            last = running.pop()
            preempt.append(last["id"])
            free += last["blocks"]
            if last is request:
                break
        if request["id"] in preempt:
            break
        run.append([request["id"], count])
        free, budget, place = free - _blocks(view, request, count), budget - count, place + 1
    if preempt:
        # If no rows are left, schedule the first waiting request that fits.
        return {"run": run or _first(view, free, preempt), "preempt": preempt}
    for request in view["waiting"]:
        if budget < 1 or len(running) == view["most_rows"]:
            break
        count = min(request["tokens"], budget)
        if _blocks(view, request, count) > free:
            break
        run.append([request["id"], count])
        running.append(request)
        free, budget = free - _blocks(view, request, count), budget - count
    return {"run": run, "preempt": preempt}


def first_come(view: View) -> Decision:
    """Schedule whole prompts first; if none fits, one token for each running request.

    Engines did this before chunked prefill: decoding requests wait for every new prompt.
    """
    free, budget, places = view["free_blocks"], view["most_tokens"], view["most_rows"]
    places -= len(view["running"])
    run = list[list[int]]()
    for request in view["waiting"]:
        count, blocks = request["tokens"], _blocks(view, request, request["tokens"])
        if not places or count > budget or blocks + len(view["running"]) + len(run) > free:
            break
        run.append([request["id"], count])
        free, budget, places = free - blocks, budget - count, places - 1
    return {"run": run, "preempt": []} if run else vllm({**view, "waiting": []})


def _first(view: View, free: int, preempted: list[int]) -> list[list[int]]:
    """Return a waiting request that fits, for when all running ones were preempted."""
    for request in view["waiting"]:
        count = min(request["tokens"], view["most_tokens"])
        if request["id"] not in preempted and _blocks(view, request, count) <= free:
            return [[request["id"], count]]
    return []


def _blocks(view: View, request: Mapping[str, Any], count: int) -> int:
    return math.ceil((request["computed"] + count) / view["block_size"]) - request["blocks"]
