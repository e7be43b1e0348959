"""What each option of the profiler adds to the same four steps."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile

OPTIONS: dict[str, dict[str, Any]] = {
    "operators only": {},
    "and shapes, memory": {"record_shapes": True, "profile_memory": True},
    "and stacks": {"record_shapes": True, "profile_memory": True, "with_stack": True},
}


def one_more(x: torch.Tensor) -> torch.Tensor:
    """One small operation."""
    return x + 1


def step(x: torch.Tensor) -> torch.Tensor:
    """Fifty small operations: hardly any arithmetic, so that what is added shows."""
    for _ in range(50):
        x = one_more(x)
    return x


def recorded(x: torch.Tensor, options: dict[str, Any]) -> tuple[int, int, float]:
    """Events, bytes of the trace, and the steps' processor seconds while recording."""
    with profile(activities=[ProfilerActivity.CPU], acc_events=True, **options) as profiler:
        step(x)  # the first call pays for the set-up
        began = time.thread_time()
        for _ in range(4):
            step(x)
        seconds = time.thread_time() - began
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(path))
        text = path.read_text(encoding="utf-8")
    events = [e for e in json.loads(text)["traceEvents"] if e.get("ph") in {"X", "i"}]
    return len(events), len(text), seconds


def main() -> None:
    """Print what is recorded, and the fastest timing of each."""
    x = torch.ones(8)
    step(x)
    plain = float("inf")
    for _ in range(20):
        began = time.thread_time()
        for _ in range(4):
            step(x)
        plain = min(plain, time.thread_time() - began)
    events, sizes = [], []
    for name, options in OPTIONS.items():
        found, size, seconds = recorded(x, options)
        events.append(found)
        sizes.append(size)
        told = f"{events[-1]} events, {sizes[-1]:,} bytes, {seconds / plain:.1f} times as long"
        print(f"measured: {name}: {told}")
        assert seconds > plain, "recording is never free where operations are small"
    assert events[0] < events[1] < events[2]
    assert sizes[0] < sizes[1] < sizes[2]


if __name__ == "__main__":
    main()
