"""Steps and idle share from the package's reader; operators of a CPU merged one by one."""


### BEGIN SOLUTION profile_training_loop.measured_report
from hotloop.engines import trace as traces


def measured_report(before, after):
    times, busy = [], []
    for path in (before, after):
        read = traces.read(path)
        times.append(statistics.median(step.duration_us for step in read.steps) / 1000)
        idle = read.gpu_idle_share()
        busy.append(100 * (1 - idle) if idle is not None else of_operators(path))
    rows = [
        ["", "before", "after", "change"],
        ["---"] * 4,
        ["step time (ms)", *(f"{t:.2f}" for t in times), f"{(times[1] / times[0] - 1):+.2%}"],
        ["utilization (%)", *(f"{b:.2f}" for b in busy), f"{busy[1] - busy[0]:+.2f} points"],
    ]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def of_operators(path):
    events = json.loads(Path(path).read_text())["traceEvents"]
    operators = sorted(
        [e["ts"], e["ts"] + e["dur"]] for e in events if e.get("cat") == "cpu_op" and e["ph"] == "X"
    )
    merged = []
    for start, end in operators:
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    whole = inside = 0.0
    for event in events:
        if event.get("cat") == "user_annotation" and event["name"].startswith("ProfilerStep#"):
            begin, stop = event["ts"], event["ts"] + event["dur"]
            whole += stop - begin
            inside += sum(max(0.0, min(end, stop) - max(start, begin)) for start, end in merged)
    return 100 * inside / whole


### END SOLUTION
