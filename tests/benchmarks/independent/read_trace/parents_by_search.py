import json
from statistics import median


def answers(path):
    doc = json.loads(open(path).read())
    lasting = list(filter(lambda e: e.get("ph") == "X", doc["traceEvents"]))

    def pick(cat, test=lambda name: True):
        return [e for e in lasting if e.get("cat") == cat and test(e["name"])]

    steps = pick("user_annotation", lambda name: name.startswith("ProfilerStep#"))
    launches = [
        e
        for e in pick("cuda_runtime") + pick("cuda_driver")
        if e["name"].replace("cuda", "cu").startswith(("cuLaunchKernel", "cuGraphLaunch"))
    ]
    to_device = pick("gpu_memcpy", lambda name: "HtoD" in name)
    gpu = pick("kernel") + pick("gpu_memcpy") + pick("gpu_memset")

    ops = pick("cpu_op")
    inner = [0.0] * len(ops)
    for i, op in enumerate(ops):
        parent = parent_of(i, op, ops)
        if parent is not None:
            inner[parent] += op["dur"]
    own = {}
    for op, taken in zip(ops, inner):
        own[op["name"]] = own.get(op["name"], 0.0) + op["dur"] - taken
    ranking = sorted(own, key=own.__getitem__)

    sizes = [e["args"]["Bytes"] for e in doc["traceEvents"] if e.get("name") == "[memory]"]
    sizes = [size for size in sizes if size > 0] or [None]
    out = {"steps": len(steps), "step_ms": median([s["dur"] for s in steps]) / 1000.0}
    out["slowest_op"] = ranking[-1]
    out["slowest_op_share"] = own[ranking[-1]] / sum(own.values())
    out["launches_per_step"] = len([e for e in launches if step_of(e, steps)]) / len(steps)
    out["copies_to_device"] = len([e for e in to_device if step_of(e, steps)])
    out["gpu_idle_share"] = idle_share(gpu, steps) if gpu else None
    out["largest_allocation"] = max(sizes)
    return out


def parent_of(i, op, ops):
    """The shortest operator on the same thread that holds this one."""
    found = None
    for j, other in enumerate(ops):
        if i == j or (other["pid"], other["tid"]) != (op["pid"], op["tid"]):
            continue
        begins = other["ts"] <= op["ts"]
        ends = other["ts"] + other["dur"] >= op["ts"] + op["dur"]
        same = (other["ts"], other["dur"]) == (op["ts"], op["dur"])
        if begins and ends and not (same and j > i):
            if found is None or other["dur"] < ops[found]["dur"]:
                found = j
    return found


def step_of(event, steps):
    for step in steps:
        if step["ts"] <= event["ts"] < step["ts"] + step["dur"]:
            return step["name"]
    return None


def idle_share(gpu, steps):
    total = sum(s["dur"] for s in steps)
    idle = 0.0
    for s in steps:
        gaps = [(s["ts"], s["ts"] + s["dur"])]
        for work in gpu:
            a, b = work["ts"], work["ts"] + work["dur"]
            rest = []
            for left, right in gaps:
                if left < a:
                    rest.append((left, min(a, right)))
                if b < right:
                    rest.append((max(b, left), right))
            gaps = [gap for gap in rest if gap[0] < gap[1]]
        idle += sum(right - left for left, right in gaps)
    return idle / total
