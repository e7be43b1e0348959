"""What the PyTorch profiler writes down, whoever opens it, and which names of older guides warn."""

from __future__ import annotations

import json
import tempfile
import warnings
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile, tensorboard_trace_handler


def main() -> None:
    """Write a trace by the handler that is named after TensorBoard, and read it as JSON."""
    x = torch.randn(64, 64)
    with tempfile.TemporaryDirectory() as folder:
        with profile(
            activities=[ProfilerActivity.CPU],
            on_trace_ready=tensorboard_trace_handler(folder, worker_name="one"),
        ):
            torch.relu(x @ x)
        (path,) = Path(folder).iterdir()
        suffix = "".join(path.suffixes[-3:])
        events = json.loads(path.read_text(encoding="utf-8"))["traceEvents"]
    ops = [e["name"].removeprefix("aten::") for e in events if e.get("cat") == "cpu_op"]
    names = [name for name in ops if name in ("matmul", "mm", "relu")]
    print(f"the handler named after TensorBoard writes *{suffix}, with a list of trace events")
    print("operators in it:", names)
    assert suffix == ".pt.trace.json"
    assert names == ["matmul", "mm", "relu"]
    keys = {key for event in events for key in event.get("args", {})}
    hardware = [k for k in keys if "bandwidth" in k.lower() or "cache" in k.lower()]
    print("counters of the hardware in it:", hardware)
    assert not hardware, "why a kernel is slow is not in a timeline"

    for name, use in (
        ("torch.cuda.amp.autocast()", lambda: torch.cuda.amp.autocast(enabled=False)),
        ("torch.cuda.amp.GradScaler()", lambda: torch.cuda.amp.GradScaler(enabled=False)),
        ("torch.amp.autocast('cpu')", lambda: torch.amp.autocast("cpu")),
    ):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            use()
        old = any(issubclass(w.category, FutureWarning) for w in said)
        print(f"{name:28} {'deprecated' if old else 'today’s name'}")
        assert old is name.startswith("torch.cuda")


if __name__ == "__main__":
    main()
