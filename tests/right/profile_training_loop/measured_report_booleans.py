"""A timeline of whole microseconds, of which a set holds the busy ones in parts of a step."""


### BEGIN SOLUTION profile_training_loop.measured_report
def measured_report(before, after):
    rows = {"step time, ms": [], "utilization, %": []}
    for path in (before, after):
        kinds = {}
        for event in json.loads(Path(path).read_text())["traceEvents"]:
            if event.get("ph") == "X":
                kind = event.get("cat")
                if kind == "user_annotation":
                    kind = "step" if event["name"].startswith("ProfilerStep#") else None
                kinds.setdefault(kind, []).append((event["ts"], event["ts"] + event["dur"]))
        gpu = [span for name in ("kernel", "gpu_memcpy", "gpu_memset") for span in kinds.get(name, [])]
        steps, work = kinds["step"], gpu or kinds["cpu_op"]
        points = sorted({point for span in steps + work for point in span})
        total = busy = 0.0
        for begin, end in steps:
            total += end - begin
            inside = [p for p in points if begin <= p <= end]
            spans = [s for s in work if s[0] < end and s[1] > begin]
            for left, right in zip(inside, inside[1:]):
                busy += (right - left) * any(s[0] <= left and right <= s[1] for s in spans)
        rows["step time, ms"].append(statistics.median(e - s for s, e in steps) / 1000)
        rows["utilization, %"].append(busy / total * 100)
    (t0, t1), (u0, u1) = rows.values()
    changes = [f"{(t1 - t0) / t0 * 100:.1f} %", f"{u1 - u0:.1f}"]
    lines = ["Measured from both profiles.", "", "| | before | after | change |", "|-|-|-|-|"]
    for (name, (a, b)), change in zip(rows.items(), changes):
        lines.append(f"| {name} | {a:.1f} | {b:.1f} | {change} |")
    return "\n".join(lines)


### END SOLUTION
