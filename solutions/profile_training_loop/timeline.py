"""What you would read off a timeline in Perfetto or TensorBoard, computed from the trace itself.

Each function gets the path of a plain `.json` trace with a GPU in it. Times are microseconds, as
in the file. Events are dicts: `ph` "X" lasts from `ts` for `dur`; `args["correlation"]` connects a
call of the CUDA API with the work that it queued on the GPU, which a viewer draws as an arrow.
"""

import json
from pathlib import Path

LOADER = "enumerate(DataLoader)"
SYNCHRONIZES = ("cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize")


### BEGIN SOLUTION profile_training_loop.timeline helpers
### STUB # Helpers go here.
WORK = {"kernel": "Kernel", "gpu_memcpy": "Memcpy", "gpu_memset": "Memset"}


def read(path):
    return json.loads(Path(path).read_text())["traceEvents"]


def of(events, *kinds):
    return [e for e in events if e.get("ph") == "X" and e.get("cat") in kinds]


def end(event):
    return event["ts"] + event.get("dur", 0)


def steps_of(events):
    """The steps as pairs of a number and the event, by time."""
    notes = of(events, "user_annotation")
    steps = [(n["name"].partition("#")[2], n) for n in notes if n["name"].startswith("ProfilerS")]
    return sorted(((int(number), step) for number, step in steps), key=lambda pair: pair[1]["ts"])


def work_by_step(events, steps):
    """What the GPU did for each step: whatever a call within the step queued."""
    queued = {}
    for work in of(events, *WORK):
        queued.setdefault(work["args"]["correlation"], []).append(work)
    calls = of(events, "cuda_runtime", "cuda_driver")
    return [
        [
            work
            for call in calls
            if step["ts"] <= call["ts"] < end(step)
            for work in queued.get(call["args"]["correlation"], [])
        ]
        for _, step in steps
    ]


def innermost(events, event):
    """The operator that is open around an event on its thread, and no other one in between."""
    around = [
        op
        for op in of(events, "cpu_op")
        if op["tid"] == event["tid"] and op["ts"] <= event["ts"] and end(event) <= end(op)
    ]
    return max(around, key=lambda op: op["ts"])["name"]


def union(spans):
    """Disjoint intervals that cover what `spans` cover, by time."""
    merged = []
    for first, last in sorted(spans):
        if merged and first <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], last)
        else:
            merged.append([first, last])
    return merged


def shared(spans, windows):
    """The time in the union of `spans` that is in one of the `windows`, which are disjoint."""
    return sum(
        max(0, min(last, until) - max(first, start))
        for first, last in union(spans)
        for start, until in windows
    )


### END SOLUTION


### BEGIN SOLUTION profile_training_loop.timeline gap
### STUB def gap(path):
### STUB     """Return {"after": number of a step, "us": microseconds, "event": name}."""
### STUB     raise NotImplementedError("profile_training_loop.timeline")
def gap(path):
    events = read(path)
    steps = steps_of(events)
    work = work_by_step(events, steps)
    gaps = []
    for index in range(len(steps) - 1):
        last = max(end(w) for w in work[index])
        first = min(w["ts"] for w in work[index + 1])
        gaps.append((first - last, steps[index][0], (last, first)))
    us, after, window = max(gaps)
    own = {}
    stack = []
    thread = steps[0][1]["tid"]
    host = [e for e in of(events, "cpu_op", "user_annotation") if e["tid"] == thread]
    for event in sorted(host, key=lambda e: (e["ts"], -e["dur"])):
        while stack and event["ts"] >= end(stack[-1]):
            stack.pop()
        inside = shared([(event["ts"], end(event))], [window])
        own[event["name"]] = own.get(event["name"], 0) + inside
        if stack:
            own[stack[-1]["name"]] -= inside
        stack.append(event)
    names = [name for name in own if not name.startswith("ProfilerStep#")]
    return {"after": after, "us": us, "event": max(names, key=own.get)}


### END SOLUTION


### BEGIN SOLUTION profile_training_loop.timeline wait
### STUB def wait(path):
### STUB     """Return {"op": name, "us": microseconds, "kernel": name}."""
### STUB     raise NotImplementedError("profile_training_loop.timeline")
def wait(path):
    events = read(path)
    waits = {}
    for call in of(events, "cuda_runtime"):
        if call["name"].startswith(SYNCHRONIZES):
            waits.setdefault(innermost(events, call), []).append((call["ts"], end(call)))
    total = {op: sum(last - first for first, last in spans) for op, spans in waits.items()}
    op = max(total, key=total.get)
    spans = {}
    for kernel in of(events, "kernel"):
        spans.setdefault(kernel["name"], []).append((kernel["ts"], end(kernel)))
    kernel = max(spans, key=lambda name: shared(spans[name], waits[op]))
    return {"op": op, "us": total[op], "kernel": kernel}


### END SOLUTION


### BEGIN SOLUTION profile_training_loop.timeline memory_peak
### STUB def memory_peak(path):
### STUB     """Return {"bytes": allocated at once, "step": number, "op": name}."""
### STUB     raise NotImplementedError("profile_training_loop.timeline")
def memory_peak(path):
    events = read(path)
    on_gpu = [e for e in events if e.get("name") == "[memory]" and e["args"]["Device Type"] == 1]
    top = max(on_gpu, key=lambda e: e["args"]["Total Allocated"])
    step = next(number for number, s in steps_of(events) if s["ts"] <= top["ts"] < end(s))
    return {
        "bytes": top["args"]["Total Allocated"],
        "step": step,
        "op": innermost(events, top),
    }


### END SOLUTION


### BEGIN SOLUTION profile_training_loop.timeline overview
### STUB def overview(path):
### STUB     """Return the mean microseconds a step, by TensorBoard's categories."""
### STUB     raise NotImplementedError("profile_training_loop.timeline")
def overview(path):
    events = read(path)
    steps = steps_of(events)
    windows, reached = [], 0
    for (_, step), work in zip(steps, work_by_step(events, steps), strict=True):
        until = max([end(step), *(end(w) for w in work)])
        windows.append((max(step["ts"], reached), until))
        reached = until
    spans = {name: [(w["ts"], end(w)) for w in of(events, cat)] for cat, name in WORK.items()}
    spans["Runtime"] = [(c["ts"], end(c)) for c in of(events, "cuda_runtime")]
    spans["DataLoader"], spans["CPU Exec"] = [], []
    for event in of(events, "cpu_op", "user_annotation"):
        if not event["name"].startswith("ProfilerStep#"):
            category = "DataLoader" if event["name"].startswith(LOADER) else "CPU Exec"
            spans[category].append((event["ts"], end(event)))
    bars, above, before = {}, [], 0
    for name, own in spans.items():
        above += own
        covered = shared(above, windows)
        bars[name], before = (covered - before) / len(steps), covered
    bars["Other"] = (sum(last - first for first, last in windows) - before) / len(steps)
    return bars


### END SOLUTION
