"""Two profiles of one loop, before and after a change: the range that grew, or that none did."""

from __future__ import annotations

import time

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule

STEPS = 3


def step(x: torch.Tensor, augment_s: float, logging_s: float) -> None:
    """Named ranges for all that the author thought of."""
    with record_function("loader"):
        with record_function("loader/read"):
            time.sleep(0.004)
        with record_function("loader/augment"):
            time.sleep(augment_s)
    with record_function("forward"):
        (x @ x).sum()
    time.sleep(logging_s)  # nobody named this one


def milliseconds(augment_s: float, logging_s: float) -> dict[str, float]:
    """The mean time of each range in a step."""
    x = torch.ones(8, 8)
    plan = schedule(wait=0, warmup=1, active=STEPS, repeat=1)
    with profile(activities=[ProfilerActivity.CPU], schedule=plan, acc_events=True) as profiler:
        for _ in range(1 + STEPS):
            step(x, augment_s, logging_s)
            profiler.step()
    found = {e.key: e.cpu_time_total / 1e3 / STEPS for e in profiler.key_averages()}
    named = {"loader", "loader/read", "loader/augment", "forward"}
    table = {name: found[name] for name in sorted(named)}
    table["step"] = found["ProfilerStep*"]
    table["in no range"] = table["step"] - table["loader"] - table["forward"]
    return table


def grown(before: dict[str, float], after: dict[str, float]) -> str:
    """The innermost range that took most of what the step took more; a parent only by itself."""
    more = {name: after[name] - before[name] for name in before if name != "step"}
    for parent in [name for name in more if "/" not in name]:
        more[parent] -= sum(v for name, v in more.items() if name.startswith(parent + "/"))
    return max(more, key=lambda name: more[name])


def main() -> None:
    """Two changes, each found."""
    before = milliseconds(0.004, 0.001)
    for changed, wanted in (((0.060, 0.001), "loader/augment"), ((0.004, 0.060), "in no range")):
        after = milliseconds(*changed)
        for name, value in after.items():
            print(f"measured: {name:15} {before[name]:6.1f} ms then {value:6.1f} ms")
        print("grew:", grown(before, after))
        assert grown(before, after) == wanted


if __name__ == "__main__":
    main()
