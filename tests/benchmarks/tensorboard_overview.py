"""Does TensorBoard's plugin compute the bars that the task `timeline` asks for?

    pip install --no-deps --target plugin torch-tb-profiler
    PYTHONPATH=plugin python tests/benchmarks/tensorboard_overview.py

Feeds traces of the task to the plugin's parser, with the categories that PyTorch writes today, and
with the names that the plugin knows. Prints the plugin's bars and ours in microseconds a step.
"""

import copy
import sys
from types import ModuleType
from typing import Any, cast
from unittest import mock

import numpy as np

from hotloop.tasks.modules.profile_training_loop.viewed import Viewed, decisive

ROLES = (0, 1, 2, 4, 5, 6, 7)
"""The plugin's numbers for our bars: 3 is communication."""
EXACT = 1e-6


def old_names(event: dict[str, Any]) -> dict[str, Any]:
    """Return an event with the category that the plugin knows."""
    kind, step = event.get("cat"), event["name"].startswith("ProfilerStep#")
    known = {"cuda_runtime": "runtime", "user_annotation": "" if step else "cpu_op"}.get(str(kind))
    return {**event, "cat": known} if known else event


def bars(events: list[dict[str, Any]]) -> list[float]:
    """Return the plugin's bars for the events of a trace."""
    from torch_tb_profiler.profiler import trace  # type: ignore
    from torch_tb_profiler.profiler.event_parser import EventParser  # type: ignore
    from torch_tb_profiler.profiler.overall_parser import OverallParser  # type: ignore

    read = cast("Any", trace).create_event
    known = [event for event in (read(event, False) for event in events) if event is not None]
    parser = cast("Any", EventParser)()
    parser.parse(sorted(known, key=lambda event: event.ts), {})
    overall = cast("Any", OverallParser)()
    overall.aggregate(parser.steps, parser.role_ranges)
    return [overall.avg_costs.costs[role] for role in ROLES]


def main() -> int:
    """Compare three traces; the exit code is 1 if a bar differs under the names it knows."""
    pandas = ModuleType("pandas")  # for tables of kernels only, which are not asked for
    cast("Any", pandas).DataFrame = object
    worst = 0.0
    with mock.patch.dict(sys.modules, {"pandas": pandas}):
        for loop in decisive(np.random.default_rng(0)):
            events = copy.deepcopy(loop.document()["traceEvents"])
            ours = [float(cast("float", bar)) for bar in Viewed(loop.events).overview().values()]
            theirs = bars([old_names(event) for event in events])
            for name, row in (("ours", ours), ("old names", theirs), ("today's", bars(events))):
                print(f"{name:10}", *(f"{bar:9.2f}" for bar in row))
            worst = max(worst, *(abs(a - b) for a, b in zip(ours, theirs, strict=True)))
    print(f"largest difference under the old names: {worst:.6f}")
    return int(worst > EXACT)


if __name__ == "__main__":
    sys.exit(main())
