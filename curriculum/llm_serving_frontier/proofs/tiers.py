"""What a prefix cache in two tiers saves on ten traces, by the policy that chooses what leaves."""

from __future__ import annotations

import runpy
from typing import Any

import numpy as np

from hotloop.core import paths
from hotloop.tasks.modules.llm_serving_frontier import offloading
from hotloop.tasks.modules.llm_serving_frontier.given import given_module

TRACES, PROMPTS = 10, 260
SIZES = {"gpu": 60, "host": 120}


def shares(policy: offloading.Policy) -> list[float]:
    """The share of all computation that is saved, by trace."""
    tiers = given_module("tiers")
    found: list[float] = []
    for seed in range(TRACES):
        trace = tiers.prompts(np.random.default_rng(seed), PROMPTS)
        played = tiers.play(tiers.Tiers(SIZES, tiers.Costs()), trace, policy)
        found.append(played.saved_ms / (played.saved_ms + played.ms))
    return found


def main() -> None:
    """A line for each policy, and two ends of a prompt over a slow link."""
    solved: dict[str, Any] = runpy.run_path(
        str(paths.solutions() / "llm_serving_frontier" / "offload.py")
    )
    for name, policy in {**offloading.stated(), "uses by age": solved["evict"]}.items():
        found = shares(policy)
        half = 1.96 * float(np.std(found, ddof=1)) / len(found) ** 0.5
        print(f"{name:20} {100 * float(np.mean(found)):.0f} ± {100 * half:.0f} % saved")
    compute, load = [2.0] * 12, [3.0] * 12
    count = solved["split"](compute, load)
    both = max(sum(compute[:count]), sum(load[count:]))
    print(
        f"12 blocks over a slow link: computed {sum(compute):.0f} ms, loaded {sum(load):.0f} ms, "
        f"{count} computed and {12 - count} loaded {both:.0f} ms"
    )


if __name__ == "__main__":
    main()
