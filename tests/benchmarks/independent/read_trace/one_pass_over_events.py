import json
import statistics
from collections import defaultdict


LAUNCHERS = {
    ("cuda_runtime", "cuda"),
    ("cuda_runtime", "cudaGraph"),
    ("cuda_driver", "cu"),
    ("cuda_driver", "cuGraph"),
}


def is_kernel_or_graph(name):
    return "Graph" in name or "LaunchKernel" in name


def answers(path):
    with open(path) as f:
        trace = json.load(f)

    spans, durations = [], []
    ops = defaultdict(list)
    launch_starts, h2d_starts, gpu_spans = [], [], []
    biggest = None
    for ev in trace["traceEvents"]:
        if ev.get("name") == "[memory]":
            size = ev["args"]["Bytes"]
            if size > 0 and (biggest is None or size > biggest):
                biggest = size
        if ev.get("ph") != "X":
            continue
        kind, name, t0, t1 = ev.get("cat"), ev["name"], ev["ts"], ev["ts"] + ev["dur"]
        if kind == "user_annotation" and name.startswith("ProfilerStep#"):
            spans.append((t0, t1))
            durations.append(ev["dur"])
        elif kind == "cpu_op":
            ops[ev["pid"], ev["tid"]].append((t0, -t1, name))
        elif (kind, name[: name.find("Launch")]) in LAUNCHERS and is_kernel_or_graph(name):
            launch_starts.append(t0)
        elif kind in ("kernel", "gpu_memcpy", "gpu_memset"):
            gpu_spans.append((t0, t1))
            if kind == "gpu_memcpy" and "HtoD" in name:
                h2d_starts.append(t0)

    total_self = defaultdict(float)
    for calls in ops.values():
        stack = []
        for t0, neg_t1, name in sorted(calls):
            while stack and stack[-1][0] <= t0:
                stack.pop()
            length = -neg_t1 - t0
            total_self[name] += length
            if stack:
                total_self[stack[-1][1]] -= length
            stack.append((-neg_t1, name))
    top = max(total_self, key=lambda n: total_self[n])

    def inside(t):
        return any(a <= t < b for a, b in spans)

    idle = None
    if gpu_spans:
        merged = []
        for a, b in sorted(gpu_spans):
            if merged and a <= merged[-1][1]:
                merged[-1][1] = max(merged[-1][1], b)
            else:
                merged.append([a, b])
        busy = sum(max(0, min(b, s1) - max(a, s0)) for a, b in merged for s0, s1 in spans)
        idle = 1 - busy / sum(s1 - s0 for s0, s1 in spans)
    return dict(
        steps=len(spans),
        step_ms=statistics.median(durations) / 1e3,
        slowest_op=top,
        slowest_op_share=total_self[top] / sum(total_self.values()),
        launches_per_step=sum(map(inside, launch_starts)) / len(spans),
        copies_to_device=sum(map(inside, h2d_starts)),
        gpu_idle_share=idle,
        largest_allocation=biggest,
    )
