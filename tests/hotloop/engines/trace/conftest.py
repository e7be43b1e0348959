"""Real traces of a small training loop on a CPU, made once with the installed torch."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule

STEPS = 3


@dataclass(frozen=True)
class Recorded:
    """A trace file, and the profiler's own figures for the same run."""

    path: Path
    self_us: dict[str, float]
    calls: dict[str, int]


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """Three steps with shapes, memory and stacks."""
    path = tmp_path_factory.mktemp("trace") / "full.json"
    return record(
        lambda prof: prof.export_chrome_trace(str(path)),
        path,
        record_shapes=True,
        profile_memory=True,
        with_stack=True,
    )


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """Three steps without further recordings, in TensorBoard's compressed format."""
    folder = tmp_path_factory.mktemp("tensorboard")
    handler = torch.profiler.tensorboard_trace_handler(str(folder), use_gzip=True)
    made = record(handler, folder)
    (path,) = folder.glob("*.pt.trace.json.gz")
    return Recorded(path, made.self_us, made.calls)


def record(export: Callable[[Any], object], path: Path, **what: bool) -> Recorded:
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3),
        torch.nn.ReLU(),
        torch.nn.Flatten(),
        torch.nn.Linear(8 * 14 * 14, 10),
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    def step() -> None:
        with record_function("load <b>data</b>"):
            images, labels = torch.randn(8, 3, 16, 16), torch.randint(0, 10, (8,))
        with record_function("forward"):
            loss = torch.nn.functional.cross_entropy(model(images), labels)
        with record_function("backward"):
            loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        loss.item()

    averages: list[Any] = []

    def ready(prof: Any) -> None:
        export(prof)
        averages.extend(prof.key_averages())

    plan = schedule(wait=1, warmup=1, active=STEPS)
    with profile(
        activities=[ProfilerActivity.CPU], schedule=plan, on_trace_ready=ready, **what
    ) as prof:
        for _ in range(2 + STEPS):
            step()
            prof.step()
    self_us = {average.key: float(average.self_cpu_time_total) for average in averages}
    return Recorded(path, self_us, {average.key: average.count for average in averages})
