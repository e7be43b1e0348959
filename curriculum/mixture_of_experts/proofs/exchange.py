"""The time of three plans of an exchange, over the lower bound, for demands with and without skew.

The demands and the model of the links are those of the task `all_to_all`.
"""

from __future__ import annotations

import json
import runpy
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from hotloop.core import paths
from hotloop.tasks.modules.mixture_of_experts import exchange_plans

PLANNER = paths.solutions() / "mixture_of_experts" / "planner.py"
Plan = list[list[list[Any]]]


def straight(wants: list[list[list[int]]], _per_node: int) -> Plan:
    """Return a plan where each rank sends to each rank: all_to_all without a look at nodes."""
    step: dict[tuple[int, int], list[list[int]]] = defaultdict(list)
    for rank, tokens in enumerate(wants):
        for number, wanted in enumerate(tokens):
            for target in wanted:
                if target != rank:
                    step[rank, target].append([rank, number])
    return [[[a, b, tokens] for (a, b), tokens in step.items()]]


def by_rail(wants: list[list[list[int]]], per_node: int) -> Plan:
    """Return a plan where rank i of a node sends to rank i of the other nodes, which forwards."""
    there: dict[tuple[int, int], set[tuple[int, int]]] = defaultdict(set)
    within: dict[tuple[int, int], set[tuple[int, int]]] = defaultdict(set)
    for rank, tokens in enumerate(wants):
        for number, wanted in enumerate(tokens):
            for target in wanted:
                first = target // per_node * per_node + rank % per_node
                if first != rank:
                    there[rank, first].add((rank, number))
                if first != target:
                    within[first, target].add((rank, number))
    return [
        [[a, b, [list(token) for token in tokens]] for (a, b), tokens in step.items()]
        for step in (there, within)
    ]


def balanced(wants: list[list[list[int]]], per_node: int) -> Plan:
    """Return the reference's plan."""
    planner: Any = runpy.run_path(str(PLANNER))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wants.json"
        path.write_text(json.dumps(wants), encoding="utf-8")
        return planner["plan_exchange"](path, per_node)


PLANS: dict[str, Callable[..., Plan]] = {
    "rank to rank": straight,
    "by rail, forwarded": by_rail,
    "balanced, forwarded": balanced,
}


def ratios() -> dict[str, dict[str, tuple[float, float]]]:
    """Return crossings and time over their lower bounds, by plan and demand."""
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for name, plan in PLANS.items():
        found[name] = {}
        for demand in exchange_plans.demands(np.random.default_rng(7)):
            outcome = exchange_plans.simulated(demand, plan(demand.wants, demand.per_node))
            crossed = outcome.crossed / max(1, demand.crossings().total())
            found[name][demand.label] = (crossed, outcome.time / demand.least_time())
    return found


if __name__ == "__main__":
    for name, of_plan in ratios().items():
        for label, (crossed, time) in of_plan.items():
            print(f"{name:20s} {label:26s} {crossed:.2f} times the crossings, {time:.2f} the time")
