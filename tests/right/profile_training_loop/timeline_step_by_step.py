"""Plain loops over sorted events, with the parents of operators linked first; overview by edges."""

### BEGIN SOLUTION profile_training_loop.timeline helpers
def events_of(path):
    with open(path) as file:
        found = json.load(file)["traceEvents"]
    for event in found:
        event["end"] = event.get("ts", 0) + event.get("dur", 0)
    return found


def lasting(events, *kinds):
    return sorted((e for e in events if e.get("cat") in kinds and e["ph"] == "X"), key=by_start)


def by_start(event):
    return event["ts"], -event["end"]


def is_step(event):
    return event["name"].startswith("ProfilerStep#")


def number(step):
    return int(step["name"].split("#")[1])


def the_steps(events):
    return [e for e in lasting(events, "user_annotation") if is_step(e)]


def attach_work(events):
    """Give each step a list of its device work."""
    steps = the_steps(events)
    owner = {}
    for call in lasting(events, "cuda_runtime", "cuda_driver"):
        for step in steps:
            if step["ts"] <= call["ts"] < step["end"]:
                owner[call["args"]["correlation"]] = step
    for step in steps:
        step["work"] = []
    for work in lasting(events, "kernel", "gpu_memcpy", "gpu_memset"):
        owner[work["args"]["correlation"]]["work"].append(work)
    return steps


def smallest_around(candidates, start, end):
    """The shortest of these events around a time."""
    fits = [e for e in candidates if e["ts"] <= start and end <= e["end"]]
    return min(fits, key=lambda e: e["end"] - e["ts"]) if fits else None


### END SOLUTION


### BEGIN SOLUTION profile_training_loop.timeline gap
def gap(path):
    events = events_of(path)
    steps = attach_work(events)
    best = None
    for one, two in zip(steps, steps[1:]):
        a, b = max(w["end"] for w in one["work"]), min(w["ts"] for w in two["work"])
        if best is None or b - a > best[2] - best[1]:
            best = one, a, b
    step, a, b = best
    on_thread = [
        e
        for e in lasting(events, "cpu_op", "user_annotation")
        if e["tid"] == step["tid"] and not is_step(e)
    ]
    edges = {a, b} | {t for e in on_thread for t in (e["ts"], e["end"]) if a < t < b}
    edges = sorted(edges)
    time_of = {}
    for left, right in zip(edges, edges[1:]):
        event = smallest_around(on_thread, left, right)
        if event is not None:
            time_of[event["name"]] = time_of.get(event["name"], 0) + right - left
    return {"after": number(step), "us": b - a, "event": max(time_of, key=time_of.get)}


### END SOLUTION


### BEGIN SOLUTION profile_training_loop.timeline wait
def wait(path):
    events = events_of(path)
    ops = lasting(events, "cpu_op")
    waits = {}
    for call in lasting(events, "cuda_runtime"):
        if "Synchronize" in call["name"]:
            op = smallest_around([o for o in ops if o["tid"] == call["tid"]], call["ts"], call["end"])
            waits.setdefault(op["name"], []).append(call)
    us = {op: sum(c["dur"] for c in calls) for op, calls in waits.items()}
    op = sorted(us, key=us.get)[-1]
    during = {}
    for kernel in lasting(events, "kernel"):
        for call in waits[op]:
            both = min(kernel["end"], call["end"]) - max(kernel["ts"], call["ts"])
            during[kernel["name"]] = during.get(kernel["name"], 0) + max(both, 0)
    return dict(op=op, us=us[op], kernel=sorted(during, key=during.get)[-1])


### END SOLUTION


### BEGIN SOLUTION profile_training_loop.timeline memory_peak
def memory_peak(path):
    events = events_of(path)
    peak = {"args": {"Total Allocated": -1}}
    for e in events:
        if e.get("name") == "[memory]" and e["args"]["Device Type"] == 1:
            if e["args"]["Total Allocated"] > peak["args"]["Total Allocated"]:
                peak = e
    ops = [o for o in lasting(events, "cpu_op") if o["tid"] == peak["tid"]]
    return {
        "bytes": peak["args"]["Total Allocated"],
        "op": smallest_around(ops, peak["ts"], peak["ts"])["name"],
        "step": number(smallest_around(the_steps(events), peak["ts"], peak["ts"])),
    }


### END SOLUTION


### BEGIN SOLUTION profile_training_loop.timeline overview
def overview(path):
    events = events_of(path)
    steps = attach_work(events)
    kinds = {"kernel": "Kernel", "gpu_memcpy": "Memcpy", "gpu_memset": "Memset"}
    kinds["cuda_runtime"] = "Runtime"
    changes = []
    order = ["Kernel", "Memcpy", "Memset", "Runtime", "DataLoader", "CPU Exec", "Other"]
    for e in lasting(events, *kinds, "cpu_op", "user_annotation"):
        if is_step(e):
            continue
        host = "DataLoader" if e["name"].startswith(LOADER) else "CPU Exec"
        rank = order.index(kinds.get(e["cat"], host))
        changes += [(e["ts"], rank, 1), (e["end"], rank, -1)]
    reached = None
    for step in steps:
        begin = step["ts"] if reached is None else max(step["ts"], reached)
        reached = max([step["end"]] + [w["end"] for w in step["work"]])
        changes += [(begin, 6, 1), (reached, 6, -1)]
    open_now, total, last = [0] * 7, dict.fromkeys(order, 0), None
    for at, rank, change in sorted(changes):
        if open_now[6]:
            highest = next(i for i in range(7) if open_now[i])
            total[order[highest]] += at - last
        open_now[rank] += change
        last = at
    return {name: us / len(steps) for name, us in total.items()}


### END SOLUTION
