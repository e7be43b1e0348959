import bisect
import json
import pathlib
import statistics


def answers(path):
    events = load(path)
    step_list = steps_of(events)
    own = own_times(events)
    slowest = sorted(own.items(), key=lambda pair: -pair[1])[0][0]
    return {
        "steps": len(step_list),
        "step_ms": step_milliseconds(step_list),
        "slowest_op": slowest,
        "slowest_op_share": own[slowest] / sum(own.values()),
        "launches_per_step": launches(events, step_list) / len(step_list),
        "copies_to_device": copies(events, step_list),
        "gpu_idle_share": idle(events, step_list),
        "largest_allocation": largest(events),
    }


def load(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf8"))["traceEvents"]


def complete(events, category):
    for event in events:
        if event.get("ph") == "X" and event.get("cat") == category:
            yield event


def steps_of(events):
    found = []
    for event in complete(events, "user_annotation"):
        if event["name"].startswith("ProfilerStep#"):
            found.append((event["ts"], event["ts"] + event["dur"]))
    return sorted(found)


def step_milliseconds(step_list):
    return statistics.median([stop - start for start, stop in step_list]) * 1e-3


def is_within(moment, step_list):
    place = bisect.bisect_right([start for start, _ in step_list], moment)
    return place > 0 and moment < step_list[place - 1][1]


def launches(events, step_list):
    number = 0
    for category, names in (
        ("cuda_runtime", ("cudaLaunchKernel", "cudaGraphLaunch")),
        ("cuda_driver", ("cuLaunchKernel", "cuGraphLaunch")),
    ):
        for event in complete(events, category):
            if event["name"].startswith(names) and is_within(event["ts"], step_list):
                number += 1
    return number


def copies(events, step_list):
    number = 0
    for event in complete(events, "gpu_memcpy"):
        if "HtoD" in event["name"] and is_within(event["ts"], step_list):
            number += 1
    return number


def own_times(events):
    by_thread = {}
    for event in complete(events, "cpu_op"):
        key = f"{event['pid']}:{event['tid']}"
        by_thread[key] = [*by_thread.get(key, []), event]
    times = {}
    for group in by_thread.values():
        ends, labels = [], []
        for event in sorted(group, key=lambda e: (e["ts"], -e["dur"])):
            while ends and ends[-1] <= event["ts"]:
                ends.pop()
                labels.pop()
            if labels:
                times[labels[-1]] = times[labels[-1]] - event["dur"]
            times[event["name"]] = times.get(event["name"], 0) + event["dur"]
            ends.append(event["ts"] + event["dur"])
            labels.append(event["name"])
    return times


def idle(events, step_list):
    work = []
    for category in ("kernel", "gpu_memcpy", "gpu_memset"):
        work += [(e["ts"], e["ts"] + e["dur"]) for e in complete(events, category)]
    if not work:
        return None
    unused = 0
    for start, stop in step_list:
        cursor = start
        for begin, end in sorted(work):
            if begin >= stop:
                break
            if begin > cursor:
                unused += begin - cursor
            cursor = max(cursor, end)
        unused += max(0, stop - cursor)
    return unused / sum(stop - start for start, stop in step_list)


def largest(events):
    best = 0
    for event in events:
        if event.get("name") == "[memory]":
            best = max(best, event["args"]["Bytes"])
    return best or None
