"""How well cost models lead a search among counted candidates, as it was recorded.

The recording is recordings/cost_model_shares.json, which recordings/record_shares.py wrote; nothing
is searched here. What the candidates cost was counted, not timed.
"""

from __future__ import annotations

import json

import numpy as np

from hotloop.core import paths
from hotloop.tasks.modules.tvm_passes import cost_models

RECORDED = paths.root() / "curriculum" / "tvm_passes" / "recordings" / "cost_model_shares.json"


def main() -> None:
    """Print the spread of the costs, and each model's mean share for each operator."""
    recorded: dict[str, dict[str, list[float]]] = json.loads(RECORDED.read_text())
    for pool in cost_models.pools():
        slower = np.sort(pool.seconds) / pool.seconds.min()
        middle, last = slower[len(slower) // 2], slower[-1]
        print(
            f"{pool.name}: {len(slower)} candidates, the middle one {middle:.1f} times and the "
            f"slowest {last:.0f} times as long as the best"
        )
    operators = list(recorded["random"])
    print(
        "% of the way from random candidates to the best, by what was measured after a round of 16"
    )
    print(f"{'':14}" + "".join(f"{name:>8}" for name in operators) + f"{'mean':>8}{'spread':>8}")
    for name, by_operator in recorded.items():
        means = [100 * float(np.mean(shares)) for shares in by_operator.values()]
        # A judging has two searches for each operator.
        pairs = np.array(list(by_operator.values())).reshape(len(operators), -1, 2)
        spread = 100 * float(pairs.mean(axis=(0, 2)).std())
        print(
            f"{name:14}"
            + "".join(f"{round(each):8}" for each in means)
            + f"{round(float(np.mean(means))):8}{round(spread):8}"
        )


if __name__ == "__main__":
    main()
