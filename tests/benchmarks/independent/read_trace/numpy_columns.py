import json

import numpy as np


def answers(path):
    raw = json.loads(open(path, encoding="utf-8").read())["traceEvents"]
    x = [e for e in raw if e.get("ph") == "X"]
    cat = np.array([e.get("cat", "") for e in x])
    name = np.array([e["name"] for e in x])
    ts = np.array([e["ts"] for e in x], dtype=float)
    dur = np.array([e["dur"] for e in x], dtype=float)

    is_step = (cat == "user_annotation") & np.char.startswith(name, "ProfilerStep#")
    begin, length = ts[is_step], dur[is_step]

    def in_steps(which):
        t = ts[which][:, None]
        return int(((t >= begin) & (t < begin + length)).any(axis=1).sum())

    launch = np.zeros(len(x), dtype=bool)
    for kind, api in (("cuda_runtime", "cuda"), ("cuda_driver", "cu")):
        for call in ("LaunchKernel", "GraphLaunch"):
            launch |= (cat == kind) & np.char.startswith(name, api + call)
    copy = (cat == "gpu_memcpy") & (np.char.find(name, "HtoD") >= 0)
    gpu = np.isin(cat, ["kernel", "gpu_memcpy", "gpu_memset"])

    lane = [f"{e['pid']}/{e['tid']}" for e in x]
    op_rows = np.flatnonzero(cat == "cpu_op")
    order = sorted(op_rows, key=lambda i: (lane[i], ts[i], -dur[i]))
    remaining = dur.copy()
    path_down = []
    for i in order:
        while path_down and (
            lane[path_down[-1]] != lane[i] or ts[i] >= _end(path_down[-1], ts, dur)
        ):
            path_down.pop()
        if path_down:
            remaining[path_down[-1]] -= dur[i]
        path_down.append(i)
    names, which = np.unique(name[op_rows], return_inverse=True)
    sums = np.bincount(which, weights=remaining[op_rows])

    bytes_ = np.array([e["args"]["Bytes"] for e in raw if e.get("name") == "[memory]"])
    bytes_ = bytes_[bytes_ > 0] if bytes_.size else bytes_
    return {
        "steps": int(is_step.sum()),
        "step_ms": float(np.median(length)) / 1000,
        "slowest_op": str(names[sums.argmax()]),
        "slowest_op_share": float(sums.max() / sums.sum()),
        "launches_per_step": in_steps(launch) / int(is_step.sum()),
        "copies_to_device": in_steps(copy),
        "gpu_idle_share": _idle(ts[gpu], dur[gpu], begin, length) if gpu.any() else None,
        "largest_allocation": int(bytes_.max()) if bytes_.size else None,
    }


def _end(i, ts, dur):
    return ts[i] + dur[i]


def _idle(ts, dur, begin, length):
    cuts = np.unique(np.concatenate([ts, ts + dur, begin, begin + length]))
    middle = (cuts[1:] + cuts[:-1]) / 2
    width = np.diff(cuts)
    in_step = ((middle[:, None] > begin) & (middle[:, None] < begin + length)).any(axis=1)
    at_work = ((middle[:, None] > ts) & (middle[:, None] < ts + dur)).any(axis=1)
    return float(width[in_step & ~at_work].sum() / width[in_step].sum())
