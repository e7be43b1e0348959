import json
import statistics


def answers(path):
    facts = {"step": [], "op": {}, "launch": [], "upload": [], "gpu": [], "bytes": []}
    for event in json.loads(open(path).read())["traceEvents"]:
        match event:
            case {"name": "[memory]", "args": {"Bytes": size}} if size > 0:
                facts["bytes"].append(size)
            case {"ph": "X", "cat": "user_annotation", "name": name, "ts": ts, "dur": dur}:
                if name.startswith("ProfilerStep#"):
                    facts["step"].append((ts, dur))
            case {"ph": "X", "cat": "cpu_op", "pid": pid, "tid": tid}:
                facts["op"].setdefault(pid, {}).setdefault(tid, []).append(event)
            case {"ph": "X", "cat": "cuda_runtime", "name": name, "ts": ts}:
                if name.startswith(("cudaLaunchKernel", "cudaGraphLaunch")):
                    facts["launch"].append(ts)
            case {"ph": "X", "cat": "cuda_driver", "name": name, "ts": ts}:
                if name.startswith(("cuLaunchKernel", "cuGraphLaunch")):
                    facts["launch"].append(ts)
            case {"ph": "X", "cat": "kernel" | "gpu_memset", "ts": ts, "dur": dur}:
                facts["gpu"].append((ts, dur))
            case {"ph": "X", "cat": "gpu_memcpy", "name": name, "ts": ts, "dur": dur}:
                facts["gpu"].append((ts, dur))
                if "HtoD" in name:
                    facts["upload"].append(ts)
    steps = facts["step"]
    names, shares = ranked(facts["op"])
    return {
        "steps": len(steps),
        "step_ms": statistics.median(dur for _, dur in steps) / 1000,
        "slowest_op": names[0],
        "slowest_op_share": shares[0],
        "launches_per_step": sum(stepwise(facts["launch"], steps)) / len(steps),
        "copies_to_device": sum(stepwise(facts["upload"], steps)),
        "gpu_idle_share": idle(facts["gpu"], steps),
        "largest_allocation": max(facts["bytes"]) if facts["bytes"] else None,
    }


def stepwise(moments, steps):
    return [sum(ts <= m < ts + dur for m in moments) for ts, dur in steps]


def ranked(processes):
    own = {}
    for threads in processes.values():
        for ops in threads.values():
            ops = sorted(ops, key=lambda op: (op["ts"], -op["dur"]))
            for number, op in enumerate(ops):
                time = op["dur"]
                skip_until = op["ts"]
                for later in ops[number + 1 :]:
                    if later["ts"] >= op["ts"] + op["dur"]:
                        break
                    if later["ts"] >= skip_until:
                        time -= later["dur"]
                        skip_until = later["ts"] + later["dur"]
                own[op["name"]] = own.get(op["name"], 0) + time
    names = sorted(own, key=own.get, reverse=True)
    return names, [own[name] / sum(own.values()) for name in names]


def idle(work, steps):
    if len(work) == 0:
        return None
    work = sorted(work)
    blocks = [list(work[0])]
    for ts, dur in work[1:]:
        if ts > sum(blocks[-1]):
            blocks.append([ts, dur])
        else:
            blocks[-1][1] = max(blocks[-1][1], ts + dur - blocks[-1][0])
    busy = 0
    for start, length in steps:
        for ts, dur in blocks:
            overlap = min(start + length, ts + dur) - max(start, ts)
            if overlap > 0:
                busy += overlap
    return 1 - busy / sum(length for _, length in steps)
