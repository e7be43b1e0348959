"""How many machines a class needs: `python tests/benchmarks/class_simulation.py`.

A discrete-event simulation of 10,000 learners before a deadline on 1 to 64 GPUs, and of a hiring
team's steady stream. Its service times are measured (`--measure` measures them on this machine and
writes `results/service_times.json`; do that on the kind of machine to plan for).

Assumed, and not measured: a learner hands in once, an exponential time before the deadline (mean
`--rush-hours`); candidates arrive as a Poisson process; each task is right with probability
`--share-right`, independent of the other tasks; every node has one GPU and runs `--places` gradings
at once, which do not slow each other down; measuring on a GPU takes as long as on the device that
the times are from; nothing fails; submissions start in order of arrival.

`machine`, `device` and `none` are what a measurement of speed locks: the node, its GPU, or nothing,
which would measure wrongly and is the lower bound for any lease. `--check` compares the model with
real gradings, and with the judge's own lease.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from simulation.drawing import chart
from simulation.model import Arrival, Lease, Outcome, Site, simulate
from simulation.times import ServiceTimes
from simulation.workloads import HOUR_S, deadline, stream

FOLDER = Path(__file__).parent / "results"
TIMES = FOLDER / "service_times.json"
RESULTS = FOLDER / "class_simulation.json"
FIGURE = Path(__file__).parents[2] / "site" / "pages" / "assets" / "grading-at-scale.svg"
GPUS = (1, 2, 4, 8, 16, 32, 64)
LEASES: tuple[Lease, ...] = ("machine", "device", "none")
PROMISE_S = 600.0
KEPT = 0.95
"""Share of learners who must have feedback within PROMISE_S."""


def main() -> None:
    """Simulate and print; with --measure, measure the service times instead."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--learners", type=int, default=10_000)
    parser.add_argument("--rush-hours", type=float, default=3.0)
    parser.add_argument("--day-hours", type=float, default=48.0)
    parser.add_argument("--an-hour", type=float, default=20.0, help="candidates of the hiring team")
    parser.add_argument("--share-right", type=float, default=0.7)
    parser.add_argument("--places", type=int, default=8, help="gradings at once on a node")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--times", type=Path, default=TIMES)
    parser.add_argument("--measure", metavar="MODULE", help="take the service times of a module")
    parser.add_argument("--wrong", type=int, default=1, help="wrong answers a task to measure")
    parser.add_argument("--check", action="store_true", help="compare the model with real runs")
    parser.add_argument("--keep", action="store_true", help="write result and figure")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    arguments = parser.parse_args()
    if arguments.measure:
        take_times(arguments.measure, arguments.wrong, arguments.times)
        return
    if not arguments.times.is_file():
        raise SystemExit(f"no {arguments.times}: take the times first, with --measure MODULE")
    times = ServiceTimes.load(arguments.times)
    result = document(times, arguments)
    if arguments.keep:
        RESULTS.write_text(json.dumps(result, indent=1) + "\n")
        FIGURE.write_text(figure(result))
    print(json.dumps(result, indent=1) if arguments.json else table(result))


def take_times(module: str, wrong: int, path: Path) -> None:
    """Measure service times on this machine and write the file."""
    from simulation.measuring import measure

    path.write_text(measure(module, wrong).model_dump_json(indent=1) + "\n")


def document(times: ServiceTimes, arguments: argparse.Namespace) -> dict[str, Any]:
    """Return all scenarios' results; with --check, also the comparison with real runs."""
    rows = list(simulated(times, arguments))
    return {
        "device": times.device,
        "date": datetime.now(UTC).date().isoformat(),
        "times_taken": times.date,
        "module": times.module,
        "learners": arguments.learners,
        "rush_hours": arguments.rush_hours,
        "candidates_an_hour": arguments.an_hour,
        "share_right": arguments.share_right,
        "gradings_at_once_on_a_node": arguments.places,
        "seed": arguments.seed,
        **needed(rows),
        **(checked(times, arguments.seed) if arguments.check else {}),
        "rows": rows,
    }


def simulated(times: ServiceTimes, arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield one row per scenario, lease and number of nodes."""
    share = arguments.share_right
    window = {
        "day_s": arguments.day_hours * HOUR_S,
        "rush_s": arguments.rush_hours * HOUR_S,
        "share_right": share,
    }
    speed = deadline(times, arguments.learners, arguments.seed, **window)
    plain = deadline(times, arguments.learners, arguments.seed, **window, speed=False)
    week = 5 * 8.0
    hiring = stream(times, arguments.an_hour, week, arguments.seed, share_right=share)
    for gpus in GPUS:
        for lease in LEASES:
            yield row("deadline", speed, Site(gpus, arguments.places, lease))
        yield row("deadline, correctness only", plain, Site(gpus, arguments.places, "none"))
    for nodes in (1, 2, 4):
        for lease in LEASES:
            yield row("hiring", hiring, Site(nodes, arguments.places, lease))


def row(scenario: str, arrivals: Sequence[Arrival], site: Site) -> dict[str, Any]:
    """Return the result of one scenario on one site."""
    outcome: Outcome = simulate(site, arrivals)
    waited = np.quantile(outcome.waited, [0.5, 0.95, 0.99]) / 60
    answered = np.quantile(outcome.answered, [0.5, 0.95, 0.99]) / 60
    return {
        "scenario": scenario,
        "gpus": site.nodes,
        "lease": site.lease,
        **{f"waited_p{p}_min": float(v) for p, v in zip((50, 95, 99), waited, strict=True)},
        **{f"answered_p{p}_min": float(v) for p, v in zip((50, 95, 99), answered, strict=True)},
        "within_10_min": float(np.mean(np.asarray(outcome.answered) <= PROMISE_S)),
        "places_use": outcome.places_use,
        "devices_use": outcome.devices_use,
    }


def needed(rows: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Return the fewest nodes that answer the share KEPT of a scenario's submissions in time."""
    found: dict[str, str] = {}
    for scenario, lease in dict.fromkeys((one["scenario"], one["lease"]) for one in rows):
        mine = [one for one in rows if (one["scenario"], one["lease"]) == (scenario, lease)]
        kept = [one["gpus"] for one in mine if one["within_10_min"] >= KEPT]
        name = f"nodes for 10 min: {scenario}, lease {lease}"
        found[name] = str(min(kept)) if kept else f"more than {mine[-1]['gpus']}"
    return found


def checked(times: ServiceTimes, seed: int) -> dict[str, float]:
    """Compare the model with real runs on this machine."""
    from simulation.measuring import against_real_gradings, against_real_lease

    gradings, lease = against_real_gradings(), against_real_lease(times, seed)
    return {
        **{f"check_gradings_{name}": value for name, value in gradings.items()},
        **{f"check_lease_{name}": value for name, value in lease.items()},
    }


def figure(result: dict[str, Any]) -> str:
    """Draw the 95th percentile of the time to feedback over the number of GPUs."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for one in result["rows"]:
        if one["scenario"] == "hiring":
            continue
        only = one["scenario"] != "deadline"
        name = "correctness only" if only else f"lease: {one['lease']}"
        lines.setdefault(name, []).append((one["gpus"], max(one["answered_p95_min"], 0.1)))
    title = f"{result['learners']:,} learners before a deadline"
    y_name = "minutes to feedback, 95 % of learners"
    return chart(title, "GPUs", y_name, lines, (PROMISE_S / 60, "ten minutes"))


def table(result: dict[str, Any]) -> str:
    """Format the result as text."""
    lines = [f"{'scenario':28}{'GPUs':>5} {'lease':8}{'p50':>9}{'p95':>9}{'p99':>9}  in 10 min"]
    for one in result["rows"]:
        times = "".join(f"{one[f'answered_p{p}_min']:9.1f}" for p in (50, 95, 99))
        use = f"GPUs in use {one['devices_use']:4.0%}, places {one['places_use']:4.0%}"
        head = f"{one['scenario']:28}{one['gpus']:5} {one['lease']:8}"
        lines.append(f"{head}{times} {one['within_10_min']:10.1%}   {use}")
    told = [f"{name}: {value}" for name, value in result.items() if name.startswith("nodes for")]
    told += [f"{name}: {v:.2f}" for name, v in result.items() if name.startswith("check_")]
    return "\n".join([*lines, *told])


if __name__ == "__main__":
    main()
