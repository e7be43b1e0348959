"""torch.profiler from the schedule to the file, on a loop small enough for any machine."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional

# --8<-- [start:profile]
from torch.profiler import (
    ProfilerActivity,
    profile,
    record_function,
    schedule,
    tensorboard_trace_handler,
)


def profiled(loop: list[Any], model: nn.Module, optimizer: Any, folder: Path) -> Any:
    """Skip two steps, warm the profiler up for one, record three, write them to `folder`."""
    with profile(
        activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA][: 1 + torch.cuda.is_available()],
        schedule=schedule(wait=2, warmup=1, active=3, repeat=1),
        on_trace_ready=tensorboard_trace_handler(str(folder), worker_name="laptop"),
        record_shapes=True,
        profile_memory=True,
        with_stack=True,
        acc_events=True,
    ) as profiler:
        batches = iter(loop)
        for _ in range(len(loop)):
            with record_function("loader"):
                x, y = next(batches)
            with record_function("forward"):
                loss = functional.cross_entropy(model(x), y)
            with record_function("backward"):
                loss.backward()
            with record_function("optimizer"):
                optimizer.step()
                optimizer.zero_grad()
            profiler.step()
    return profiler


# --8<-- [end:profile]


def main() -> None:
    """Record, then read the file as anybody could."""
    model = nn.Sequential(nn.Flatten(), nn.Linear(192, 32), nn.ReLU(), nn.Linear(32, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loop = [(torch.randn(16, 3, 8, 8), torch.randint(0, 10, (16,))) for _ in range(6)]
    with tempfile.TemporaryDirectory() as name:
        profiler = profiled(loop, model, optimizer, Path(name))
        (path,) = Path(name).iterdir()
        trace = json.loads(path.read_text(encoding="utf-8"))
    print("file:", path.name.replace(path.name.split(".")[1], "<nanoseconds>"))
    assert path.name.startswith("laptop.")
    assert path.name.endswith(".pt.trace.json")

    events = trace["traceEvents"]
    complete = [e for e in events if e.get("ph") == "X"]
    steps = [e for e in complete if e["name"].startswith("ProfilerStep#")]
    print("steps in it:", [e["name"] for e in steps])
    assert len(steps) == 3
    assert steps[0]["name"] == "ProfilerStep#3"
    by_category = {e.get("cat") for e in complete}
    assert {"user_annotation", "cpu_op", "python_function"} <= by_category
    memory = [e["args"]["Bytes"] for e in events if e.get("name") == "[memory]"]
    print(f"memory events: {len(memory)}, the largest allocation {max(memory):,} bytes")
    assert max(memory) == 192 * 32 * 4, "the first weight's gradient: zero_grad freed the last one"

    table = {e.key: e for e in profiler.key_averages()}
    linear, product = table["aten::linear"], table["aten::addmm"]
    print(
        f"measured: aten::linear self {linear.self_cpu_time_total:.0f} µs "
        f"of {linear.cpu_time_total:.0f}; "
        f"aten::addmm inside it self {product.self_cpu_time_total:.0f} µs"
    )
    assert linear.self_cpu_time_total < linear.cpu_time_total
    everything = sum(e.cpu_time_total for e in table.values())
    selves = sum(e.self_cpu_time_total for e in table.values())
    recorded = table["ProfilerStep*"].cpu_time_total
    print(
        f"measured: added up, total {everything / recorded:.1f} times the steps, "
        f"self {selves / recorded:.2f}"
    )
    assert everything > 1.5 * recorded, "totals count children again and again"
    assert selves < everything / 1.2, "self times share the time out once"


if __name__ == "__main__":
    main()
