"""When a second instance helps, and when instances take work from each other."""

from __future__ import annotations

import statistics
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
from live.real_server import SLEEPER, latencies, python, served

CLIENTS = 16
STEP_MS = 0.05


@dataclass
class Instance:
    """What it works on: whose rows, how much of it is left to wait and to compute."""

    rows: int = 0
    waits_ms: float = 0.0
    work_ms: float = 0.0


@dataclass(frozen=True)
class Machine:
    """Supposed costs. waits_ms: of an execution, without a processor, such as for a database.

    most: rows in an execution.
    fixed_ms, row_ms: processor time of an execution and of each of its rows. switch: how much
    slower each gets for every instance beyond the cores: caches, switches, threads that spin.
    """

    cores: int
    waits_ms: float
    fixed_ms: float
    row_ms: float
    switch: float = 0.0
    most: int = CLIENTS


def throughput(machine: Machine, instances: int, length_ms: float = 2000.0) -> float:
    """Rows a second with dynamic batching, 16 clients, instances that share the cores fairly."""
    working = [Instance() for _ in range(instances)]
    queue, done = CLIENTS, 0
    for _ in range(int(length_ms / STEP_MS)):
        for instance in working:
            if instance.rows == 0 and queue:
                rows = min(queue, machine.most, max(CLIENTS // instances, 1))
                queue -= rows
                instance.rows, instance.waits_ms = rows, machine.waits_ms
                instance.work_ms = machine.fixed_ms + machine.row_ms * rows
        computing = [i for i in working if i.rows and i.waits_ms <= 0]
        crowd = max(len(computing) - machine.cores, 0)
        share = min(1.0, machine.cores / max(len(computing), 1)) / (1 + machine.switch * crowd)
        for instance in working:
            if instance.waits_ms > 0:
                instance.waits_ms -= STEP_MS
            elif instance.rows:
                instance.work_ms -= STEP_MS * share
                if instance.work_ms <= 0:
                    done, queue, instance.rows = done + instance.rows, queue + instance.rows, 0
    return done / length_ms * 1e3


def model() -> None:
    """Two cores; a model that computes, one that waits row by row, and one that is crowded."""
    machines = {
        "computes": Machine(2, 0.0, 2.0, 0.5),
        "waits": Machine(2, 20.0, 0.1, 0.05, most=1),
        "computes, and crowds": Machine(2, 0.0, 2.0, 0.5, switch=0.1),
    }
    found = {name: {n: throughput(m, n) for n in (1, 2, 4, 8)} for name, m in machines.items()}
    for name, rates in found.items():
        shown = "  ".join(f"{n} instances: {rate:5.0f}/s" for n, rate in rates.items())
        print(f"{name:21} {shown}")
    computes = found["computes"]
    assert computes[2] > 1.3 * computes[1], "a second core"
    assert computes[8] < computes[2], "the same cores, smaller batches, the fixed cost more often"
    assert found["computes, and crowds"][8] < 0.8 * computes[8]
    assert found["waits"][8] > 7 * found["waits"][1], "who waits leaves the processor to others"


def measured() -> None:
    """A model that waits 50 ms for each request, one by one."""
    code = SLEEPER.format(seconds=0.05)
    models = {
        f"{count}_instances": python("max_batch_size: 1", code, instances=count) for count in (1, 4)
    }
    with served(models) as running:
        if running is None:
            return
        server, _ = running
        p50 = {name: statistics.median(latencies(server, name, 4, each=5)) for name in models}
    for name, value in p50.items():
        print(f"measured: on the real server, {name}, c=4, 50 ms a call: p50 {value:.0f} ms")
    assert p50["4_instances"] < 0.7 * p50["1_instances"]


if __name__ == "__main__":
    model()
    measured()
