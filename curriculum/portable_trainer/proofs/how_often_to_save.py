"""How often to save a run that is interrupted: Young's rule, and a simulation without it."""

from __future__ import annotations

import math
import random

DAYS, INTERRUPTIONS = 54, 466
"""Llama 3 405B on 16,384 GPUs: https://arxiv.org/abs/2407.21783, section 3.3.4."""

SAVE_S, RESTART_S = 60.0, 600.0
"""Supposed: how long training stands still for a checkpoint, and after an interruption."""


# --8<-- [start:young]
def best_interval_s(save_s: float, between_s: float) -> float:
    """Between two checkpoints. https://doi.org/10.1145/361147.361115"""
    return math.sqrt(2 * save_s * between_s)
    # --8<-- [end:young]


def useful_share(interval_s: float, between_s: float, seed: int = 1) -> float:
    """Of the elapsed time; interruptions come at random."""
    rng = random.Random(seed)
    elapsed = useful = 0.0
    failing = rng.expovariate(1 / between_s)
    while elapsed < 2000 * between_s:
        end = elapsed + interval_s + SAVE_S
        if failing < end:
            elapsed = failing + RESTART_S
            failing = elapsed + rng.expovariate(1 / between_s)
            continue
        elapsed, useful = end, useful + interval_s
    return useful / elapsed


def main() -> None:
    """Print the rule's answer and the shares of a few intervals."""
    between = DAYS * 86400 / INTERRUPTIONS
    best = best_interval_s(SAVE_S, between)
    print(f"{INTERRUPTIONS} interruptions in {DAYS} days: one every {between / 3600:.1f} h")
    print(f"a checkpoint costs {SAVE_S:.0f} s: save every {best / 60:.0f} minutes")
    shares = {m: useful_share(60 * m, between) for m in (2, 10, 18, 30, 60, 180)}
    for minutes, share in shares.items():
        print(f"  every {minutes:3} minutes: {100 * share:.0f} % of the time is useful")
    assert max(shares, key=lambda m: shares[m]) in (10, 18, 30)
    per_device = between * 16384
    alone = best_interval_s(SAVE_S, per_device / 256)
    print(f"the same devices, 256 of them: one every {per_device / 256 / 86400:.1f} days,")
    print(f"  save every {alone / 3600:.1f} h")
    assert 2.7 < between / 3600 < 2.9


if __name__ == "__main__":
    main()
