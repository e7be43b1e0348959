"""A regular expression of the launching calls, columns of NumPy, and idle time by a difference array."""

### BEGIN SOLUTION profile_training_loop.read_trace
import re
from itertools import groupby

import numpy as np

LAUNCH = re.compile(r"(?:cuda_runtime:cuda|cuda_driver:cu)(?:LaunchKernel|GraphLaunch)")


def answers(path):
    with open(path) as file:
        events = json.load(file)["traceEvents"]
    spans = [e for e in events if e.get("ph") == "X"]
    start = np.array([e["ts"] for e in spans], float)
    stop = start + np.array([e["dur"] for e in spans], float)
    labels = [f"{e.get('cat')}:{e['name']}" for e in spans]

    def rows(pattern):
        return np.array([bool(re.match(pattern, label)) for label in labels])

    steps = rows(r"user_annotation:ProfilerStep#")
    first, last = start[steps], stop[steps]

    def within(mask):
        at = start[mask][:, None]
        return int(((first <= at) & (at < last)).sum())

    gpu = rows(r"kernel:|gpu_memcpy:|gpu_memset:")
    own = self_time([e for e in spans if e.get("cat") == "cpu_op"])
    top = max(own, key=own.get)
    sizes = [e["args"]["Bytes"] for e in events if e.get("name") == "[memory]"]
    return {
        "steps": int(steps.sum()),
        "step_ms": float(np.median(last - first)) / 1000,
        "slowest_op": top,
        "slowest_op_share": own[top] / sum(own.values()),
        "launches_per_step": within(rows(LAUNCH)) / int(steps.sum()),
        "copies_to_device": within(rows(r"gpu_memcpy:.*HtoD")),
        "gpu_idle_share": idle(start[gpu], stop[gpu], first, last) if gpu.any() else None,
        "largest_allocation": max([s for s in sizes if s > 0], default=None),
    }


def self_time(ops):
    def lane(e):
        return str(e["pid"]), str(e["tid"])

    own = {}
    for _, group in groupby(sorted(ops, key=lambda e: (lane(e), e["ts"], -e["dur"])), lane):
        above = []
        for e in group:
            above = [a for a in above if e["ts"] < a["ts"] + a["dur"]]
            own[e["name"]] = own.get(e["name"], 0) + e["dur"]
            if above:
                own[above[-1]["name"]] -= e["dur"]
            above.append(e)
    return own


def idle(begin, end, first, last):
    points = np.unique(np.concatenate([begin, end, first, last]))
    depth = np.zeros(len(points))
    np.add.at(depth, np.searchsorted(points, begin), 1)
    np.add.at(depth, np.searchsorted(points, end), -1)
    in_step = np.zeros(len(points))
    np.add.at(in_step, np.searchsorted(points, first), 1)
    np.add.at(in_step, np.searchsorted(points, last), -1)
    lengths = np.diff(points, append=points[-1])
    free = (np.cumsum(depth) == 0) & (np.cumsum(in_step) > 0)
    return float(lengths[free].sum() / (last - first).sum())


### END SOLUTION
