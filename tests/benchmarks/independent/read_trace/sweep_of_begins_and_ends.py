import json
from collections import Counter, namedtuple
from itertools import chain

Span = namedtuple("Span", "cat name begin end lane")


def answers(path):
    events = json.load(open(path))["traceEvents"]
    spans = [
        Span(e.get("cat"), e["name"], e["ts"], e["ts"] + e["dur"], (e["pid"], e["tid"]))
        for e in events
        if e.get("ph") == "X"
    ]
    steps = sorted(
        (s.begin, s.end)
        for s in spans
        if s.cat == "user_annotation" and s.name.startswith("ProfilerStep#")
    )
    lengths = sorted(end - begin for begin, end in steps)
    half = len(lengths) // 2
    middle = lengths[half] if len(lengths) % 2 else (lengths[half - 1] + lengths[half]) / 2

    exclusive = Counter()
    for lane in {s.lane for s in spans if s.cat == "cpu_op"}:
        exclusive.update(
            exclusive_times([s for s in spans if s.cat == "cpu_op" and s.lane == lane])
        )
    (winner, winner_time), *_ = exclusive.most_common(1)

    device = [s for s in spans if s.cat in ("kernel", "gpu_memcpy", "gpu_memset")]
    runtime = [s for s in spans if s.cat == "cuda_runtime"]
    driver = [s for s in spans if s.cat == "cuda_driver"]
    launches = [s for s in runtime if s.name[:16] == "cudaLaunchKernel"]
    launches += [s for s in runtime if s.name[:15] == "cudaGraphLaunch"]
    launches += [s for s in driver if s.name[:14] == "cuLaunchKernel"]
    launches += [s for s in driver if s.name[:13] == "cuGraphLaunch"]
    uploads = [s for s in device if s.cat == "gpu_memcpy" and s.name.find("HtoD") != -1]
    allocated = [e["args"]["Bytes"] for e in events if e.get("name") == "[memory]"]
    return {
        "steps": len(steps),
        "step_ms": middle / 1000,
        "slowest_op": winner,
        "slowest_op_share": winner_time / sum(exclusive.values()),
        "launches_per_step": len(begun_in(launches, steps)) / len(steps),
        "copies_to_device": len(begun_in(uploads, steps)),
        "gpu_idle_share": None if not device else 1 - covered(device, steps),
        "largest_allocation": max(filter(lambda b: b > 0, allocated), default=None),
    }


def begun_in(spans, steps):
    return [s for s in spans for begin, end in steps if begin <= s.begin < end]


def exclusive_times(ops):
    """Walks along a thread: whoever began last is the one that the time belongs to."""
    times = Counter()
    marks = sorted(
        chain(
            ((op.begin, 1, -op.end, op.name) for op in ops),
            ((op.end, 0, -op.begin, op.name) for op in ops),
        )
    )
    active, clock = [], 0
    for moment, is_begin, _, name in marks:
        if active:
            times[active[-1]] += moment - clock
        clock = moment
        if is_begin:
            active.append(name)
        else:
            active.pop()
    return times


def covered(device, steps):
    marks = Counter()
    for s in device:
        marks[s.begin] += 1
        marks[s.end] -= 1
    for begin, end in steps:
        marks[begin] += 0
        marks[end] += 0
    busy = depth = 0
    points = sorted(marks)
    for here, there in zip(points, points[1:]):
        depth += marks[here]
        if depth and any(begin <= here < end for begin, end in steps):
            busy += there - here
    return busy / sum(end - begin for begin, end in steps)
