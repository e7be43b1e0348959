"""Adds up the busy time of all streams: two that work at once make the GPU twice as busy.

fails: read_trace.correct
"""


### BEGIN SOLUTION profile_training_loop.read_trace
def answers(path):
    events = json.loads(Path(path).read_text())["traceEvents"]
    lasting = [e for e in events if e.get("ph") == "X"]
    steps = [
        (e["ts"], e["ts"] + e["dur"])
        for e in lasting
        if e.get("cat") == "user_annotation" and e["name"].startswith("ProfilerStep#")
    ]
    own = self_times(lasting)
    slowest = max(own, key=own.get)
    gpu = [e for e in lasting if e.get("cat") in {"kernel", "gpu_memcpy", "gpu_memset"}]
    launches = [
        e
        for e in lasting
        if e.get("cat") == "cuda_runtime" and e["name"].startswith("cudaLaunchKernel")
    ]
    copies = [e for e in gpu if e["cat"] == "gpu_memcpy" and "HtoD" in e["name"]]
    sizes = [e["args"]["Bytes"] for e in events if e.get("name") == "[memory]"]
    return {
        "steps": len(steps),
        "step_ms": statistics.median(end - start for start, end in steps) / 1000,
        "slowest_op": slowest,
        "slowest_op_share": own[slowest] / sum(own.values()),
        "launches_per_step": sum(starts_within(e, steps) for e in launches) / len(steps),
        "copies_to_device": sum(starts_within(e, steps) for e in copies),
        "gpu_idle_share": idle_share(gpu, steps) if gpu else None,
        "largest_allocation": max((size for size in sizes if size > 0), default=None),
    }


def starts_within(event, steps):
    return any(start <= event["ts"] < end for start, end in steps)


def self_times(lasting):
    own = {}
    threads = {}
    for event in lasting:
        if event.get("cat") == "cpu_op":
            threads.setdefault((event["pid"], event["tid"]), []).append(event)
    for thread in threads.values():
        thread.sort(key=lambda e: (e["ts"], -e["dur"]))
        open_events = []
        for event in thread:
            while open_events and event["ts"] >= open_events[-1]["ts"] + open_events[-1]["dur"]:
                open_events.pop()
            own[event["name"]] = own.get(event["name"], 0.0) + event["dur"]
            if open_events:
                own[open_events[-1]["name"]] -= event["dur"]
            open_events.append(event)
    return own


def idle_share(gpu, steps):
    busy = 0.0
    for start, end in steps:
        for event in gpu:
            first = max(event["ts"], start)
            last = min(event["ts"] + event["dur"], end)
            busy += max(0.0, last - first)
    return 1 - busy / sum(end - start for start, end in steps)


### END SOLUTION
