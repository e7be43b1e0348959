"""Sweeps over NumPy arrays of starts and ends; a stack of open events decides what is innermost."""

### BEGIN SOLUTION profile_training_loop.timeline helpers
import collections
import re

import numpy as np

GPU = ("kernel", "gpu_memcpy", "gpu_memset")


class Table:
    """The lasting events of some categories as columns."""

    def __init__(self, events, categories):
        rows = [e for e in events if e.get("ph") == "X" and e.get("cat") in categories]
        rows.sort(key=lambda e: (e["ts"], -e["dur"]))
        self.rows = rows
        self.start = np.array([e["ts"] for e in rows])
        self.stop = self.start + np.array([e["dur"] for e in rows])


def load(path):
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    marks = [e for e in Table(events, ("user_annotation",)).rows if e["name"][:13] == "ProfilerStep#"]
    return events, [(int(re.sub(r"\D", "", e["name"])), e["ts"], e["ts"] + e["dur"]) for e in marks]


def device_spans(events, steps):
    """First start and last end of each step's device work, by the correlation of its call."""
    host = Table(events, ("cuda_runtime", "cuda_driver"))
    where = np.searchsorted([start for _, start, _ in steps], host.start, side="right") - 1
    step_of = {e["args"]["correlation"]: int(i) for e, i in zip(host.rows, where, strict=True)}
    spans = {}
    for e in Table(events, GPU).rows:
        i = step_of[e["args"]["correlation"]]
        first, last = spans.get(i, (np.inf, -np.inf))
        spans[i] = min(first, e["ts"]), max(last, e["ts"] + e["dur"])
    return spans


def open_at(events, thread, kinds, moments):
    """For each moment, sorted, the name of the innermost event of a thread that is open then."""
    table = Table([e for e in events if e.get("tid") == thread], kinds)
    names, stack, index = [], [], 0
    for moment in moments:
        while index < len(table.rows) and table.start[index] <= moment:
            while stack and table.stop[stack[-1]] <= table.start[index]:
                stack.pop()
            stack.append(index)
            index += 1
        while stack and table.stop[stack[-1]] <= moment:
            stack.pop()
        names.append(table.rows[stack[-1]]["name"] if stack else None)
    return names


### END SOLUTION


### BEGIN SOLUTION profile_training_loop.timeline gap
def gap(path):
    events, steps = load(path)
    spans = device_spans(events, steps)
    widths = [spans[i + 1][0] - spans[i][1] for i in range(len(steps) - 1)]
    i = int(np.argmax(widths))
    (thread,) = {e["tid"] for e in events if str(e.get("name")).startswith("ProfilerStep#")}
    moments = range(int(spans[i][1]), int(spans[i + 1][0]))
    names = collections.Counter(open_at(events, thread, ("cpu_op", "user_annotation"), moments))
    for name in [None, *(f"ProfilerStep#{number}" for number, _, _ in steps)]:
        names.pop(name, None)
    return {"after": steps[i][0], "us": float(widths[i]), "event": names.most_common(1)[0][0]}


### END SOLUTION


### BEGIN SOLUTION profile_training_loop.timeline wait
def wait(path):
    events, _ = load(path)
    calls = [e for e in Table(events, ("cuda_runtime",)).rows if e["name"] in SYNCHRONIZES]
    by_op = collections.defaultdict(list)
    for call in calls:
        (op,) = open_at(events, call["tid"], ("cpu_op",), [call["ts"]])
        by_op[op].append((call["ts"], call["ts"] + call["dur"]))
    op = max(by_op, key=lambda name: sum(b - a for a, b in by_op[name]))
    times = collections.Counter()
    kernels = Table(events, ("kernel",))
    for a, b in by_op[op]:
        inside = np.clip(np.minimum(kernels.stop, b) - np.maximum(kernels.start, a), 0, None)
        for e, us in zip(kernels.rows, inside, strict=True):
            times[e["name"]] += int(us)
    us = sum(b - a for a, b in by_op[op])
    return {"op": op, "us": us, "kernel": times.most_common(1)[0][0]}


### END SOLUTION


### BEGIN SOLUTION profile_training_loop.timeline memory_peak
def memory_peak(path):
    events, steps = load(path)
    points = [
        (e["args"]["Total Allocated"], e["ts"], e["tid"])
        for e in events
        if e.get("name") == "[memory]" and e["args"]["Device Id"] >= 0
    ]
    total, at, thread = max(points)
    (op,) = open_at(events, thread, ("cpu_op",), [at])
    (step,) = [number for number, start, stop in steps if start <= at < stop]
    return {"op": op, "step": step, "bytes": total}


### END SOLUTION


### BEGIN SOLUTION profile_training_loop.timeline overview
def overview(path):
    events, steps = load(path)
    spans = device_spans(events, steps)
    ends = [max(stop, spans[i][1]) for i, (_, _, stop) in enumerate(steps)]
    origin, size = steps[0][1], int(max(ends)) - steps[0][1]
    rank = np.full(size, 6)
    host = Table(events, ("cpu_op", "user_annotation")).rows
    host = [e for e in host if not e["name"].startswith("ProfilerStep#")]
    loads = [e["name"].startswith(LOADER) for e in host]
    layers = [
        *(Table(events, (kind,)).rows for kind in (*GPU, "cuda_runtime")),
        [e for e, is_load in zip(host, loads, strict=True) if is_load],
        [e for e, is_load in zip(host, loads, strict=True) if not is_load],
    ]
    for level in reversed(range(6)):
        for e in layers[level]:
            first, last = e["ts"] - origin, e["ts"] + e["dur"] - origin
            rank[max(0, first) : max(0, last)] = level
    inside, reached = np.zeros(size, bool), 0
    for (_, start, _), stop in zip(steps, ends, strict=True):
        inside[max(start, reached) - origin : int(stop) - origin] = True
        reached = stop
    counts = np.bincount(rank[inside], minlength=7) / len(steps)
    bars = ("Kernel", "Memcpy", "Memset", "Runtime", "DataLoader", "CPU Exec", "Other")
    return dict(zip(bars, counts.tolist(), strict=True))


### END SOLUTION
