"""A step of PyTorch/XLA under PyTorch's profiler, which sees operators recorded, and XLA's."""

import gzip
import importlib.util
import json
import os
from pathlib import Path

# Read when torch_xla is imported. On a TPU it is TPU.
os.environ.setdefault("PJRT_DEVICE", "CPU")

import torch
import torch_xla
import torch_xla.debug.profiler as xp
from torch_xla.core import xla_model


def load(path):
    """The module in a file, which has begin(device), batch(number) and step(state, batch)."""
    spec = importlib.util.spec_from_file_location("given", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


### BEGIN SOLUTION xla_vs_eager.xla_profile record
### STUB def record(folder, steps, label, given):
### STUB     """Record so many steps of the module in the file `given`, with both profilers at once.
### STUB
### STUB     Return two paths in `folder`: XLA's trace, a .trace.json.gz, and PyTorch's.
### STUB     """
### STUB     raise NotImplementedError("xla_vs_eager.xla_profile")
def record(folder, steps, label, given):
    """Record so many steps of the module in the file `given`, with both profilers at once.

    Return two paths in `folder`: XLA's trace, a .trace.json.gz, and PyTorch's.
    """
    module = load(given)
    device = torch_xla.device()
    state = module.begin(device)
    host = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU])
    with host:
        xp.start_trace(folder)
        for number in range(steps):
            with torch.profiler.record_function(f"{label} {number}"):
                with xp.StepTrace(label, step_num=number):
                    with xp.Trace("load"):
                        batch = module.batch(number).to(device)
                    state = module.step(state, batch)
                # StepTrace has started the step's graph where it ends, and waits for nothing.
                xla_model.wait_device_ops()
        xp.stop_trace()
    path = Path(folder, "host.json")
    host.export_chrome_trace(str(path))
    (theirs,) = Path(folder).rglob("*.trace.json.gz")
    return [str(theirs), str(path)]


### END SOLUTION


### BEGIN SOLUTION xla_vs_eager.xla_profile split
### STUB def split(path):
### STUB     """What each step of XLA's trace spends on what; the keys are in the notebook."""
### STUB     raise NotImplementedError("xla_vs_eager.xla_profile")
def split(path):
    """What each step of XLA's trace spends on what; the keys are in the notebook."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        events = [e for e in json.load(file)["traceEvents"] if e.get("ph") == "X"]
    steps = sorted((e for e in events if "step_num" in e.get("args", {})), key=lambda e: e["ts"])
    ends = [step["ts"] for step in steps[1:]] + [float("inf")]
    return [
        {
            "step": int(step["args"]["step_num"]),
            **spent([e for e in events if step["ts"] <= e["ts"] < end]),
        }
        for step, end in zip(steps, ends, strict=True)
    ]


def spent(events):
    """Microseconds of a step's events by their kind."""

    def total(belongs):
        return sum(e["dur"] for e in events if belongs(e))

    return {
        "load_us": total(lambda e: e["name"] == "load"),
        "compile_us": total(lambda e: e["name"] == "PjRtComputationClient::Compile"),
        "execute_us": total(lambda e: "hlo_op" in e.get("args", {})),
    }


### END SOLUTION
