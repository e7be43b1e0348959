"""Routers over twenty traces of the module's simulator: goodput with an interval for its mean."""

from __future__ import annotations

import runpy
from collections.abc import Mapping
from typing import Any

import numpy as np

from hotloop.core import paths
from hotloop.tasks.modules.llm_serving_frontier import routing

TRACES, REQUESTS = 20, 300
CACHE_RATES, PREFILL_RATES = (75, 100, 125, 150), (26, 34, 42, 50)


def reference() -> dict[str, Any]:
    """The module's own routers."""
    return runpy.run_path(str(paths.solutions() / "llm_serving_frontier" / "router.py"))


def goodputs(make: str, per_s: float, traces: int = TRACES) -> dict[str, list[float]]:
    """The share of requests within both limits in each trace, by policy."""
    cluster, solved = routing.cluster(), reference()
    shared = make == "conversations"
    roles = routing.SHARED if shared else routing.APART
    stated = routing.CACHE_POLICIES if shared else routing.PREFILL_POLICIES

    def own(view: Mapping[str, Any]) -> list[int]:
        return [solved["route"](view)] * 2 if shared else solved["place"](view)

    policies = {name: policy() for name, policy in stated.items()}
    found: dict[str, list[float]] = {}
    for name, decide in {**policies, "reference": own}.items():
        found[name] = []
        for seed in range(traces):
            trace = getattr(cluster, make)(np.random.default_rng(seed), REQUESTS, per_s)
            found[name].append(routing.played(trace, roles, decide) / REQUESTS)
    return found


def told(shares: list[float]) -> str:
    """Mean and an interval of 95 % for it, by the normal approximation."""
    half = 1.96 * float(np.std(shares, ddof=1)) / len(shares) ** 0.5
    return f"{100 * float(np.mean(shares)):3.0f} ± {100 * half:1.0f}"


def main() -> None:
    """A table for each kind of trace."""
    for make, rates in (("conversations", CACHE_RATES), ("documents", PREFILL_RATES)):
        columns = [goodputs(make, float(rate)) for rate in rates]
        print(f"{make}, requests/s".ljust(26) + "".join(f"{rate:>9}" for rate in rates))
        for name in columns[0]:
            shares = "".join(f"{told(column[name]):>9}" for column in columns)
            print(f"{name:26}{shares}")


if __name__ == "__main__":
    main()
