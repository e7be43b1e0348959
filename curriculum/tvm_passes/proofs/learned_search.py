"""MetaSchedule's searches with three cost models on the same budget, as they were recorded.

The recording is exercises/tvm_passes/recorded_searches.json; nothing is measured here. The default
of the warm-up is read from TVM itself.
"""

from __future__ import annotations

import json
from statistics import median

from tvm.s_tir.meta_schedule.cost_model import XGBModel

from hotloop.core import paths

FAILED_S = 1e9
RECORDED = paths.exercises() / "tvm_passes" / "recorded_searches.json"


# --8<-- [start:curve]
def best_after(searches: list[list[float]], trials: int) -> float:
    """The best time within a budget: the median over searches from several seeds."""
    return median(min(times[:trials]) for times in searches)


# --8<-- [end:curve]


def main() -> None:
    """Print the best times after equal budgets, and the warm-up."""
    recorded: dict[str, list[list[float]]] = json.loads(RECORDED.read_text())
    budget = min(len(times) for searches in recorded.values() for times in searches)
    budgets = [n for n in (16, 32, 48, 64) if n <= budget]
    print(f"best of n trials, median of {len(recorded['random'])} seeds, in ms")
    print(f"{'n':16}" + "".join(f"{n:8}" for n in budgets))
    for name, searches in recorded.items():
        curve = [best_after(searches, n) for n in budgets]
        print(f"{name:16}" + "".join(f"{1e3 * each:8.3f}" for each in curve))
    goal = best_after(recorded["random"], budget)
    as_good = [n for n in range(1, budget + 1) if best_after(recorded["xgb"], n) <= goal]
    if as_good:
        print(f"xgb is as good as random's {budget} trials after {as_good[0]}")
    for name in ("random", "xgb"):
        print(f"{name}: each seed's best {[round(1e3 * min(t), 3) for t in recorded[name]]}")
    defaults = XGBModel.__init__.__kwdefaults__ or {}
    warm_up = defaults["num_warmup_samples"]
    print(f"num_warmup_samples is {warm_up}: scores are random before that, here {budget} trials")
    assert warm_up > budget


if __name__ == "__main__":
    main()
