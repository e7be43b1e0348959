"""Prometheus' own client, SummaryWriter of PyTorch, and units in brackets on the dashboard."""


### BEGIN SOLUTION portable_trainer.monitor summary
def scanned(path):
    """(run, steps that ran, steady ones, compilations by graph, fallbacks, restarts, the end)."""
    run, ran, steady, fallbacks, restarts, end = {}, [], [], [], 0, 0.0
    graphs, compile_s, dirty = {}, 0.0, False
    for event in read_events(path):
        end = event.get("at", end)
        kind = event["event"]
        if kind == "run":
            run = event
        elif kind == "compile":
            graphs[event["graph"]] = graphs.get(event["graph"], 0) + 1
            compile_s += event["seconds"]
            dirty = True
        elif kind == "step":
            ran.append(event)
            steady += [] if dirty else [event]
            dirty = False
        elif kind == "fallback":
            fallbacks.append((event["from"], event["to"], event["reason"]))
        elif kind == "restart":
            restarts, dirty = restarts + 1, False
    return run, ran, steady, (graphs, compile_s), fallbacks, restarts, end


def mfu_of(run, steady):
    per_token = 6 * run["parameters"] + 12 * run["layers"] * run["hidden"] * run["sequence"]
    rate = sum(e["tokens"] for e in steady) / sum(e["seconds"] for e in steady)
    return per_token * rate / (run["devices"] * run["peak_flops"])


def summary(path):
    run, ran, steady, (graphs, compile_s), fallbacks, restarts, end = scanned(path)
    last = {event["step"]: event for event in ran}
    times = sorted(event["seconds"] for event in steady)
    count = sum(graphs.values())
    found = {f"p{q}_s": times[-(-q * len(times) // 100) - 1] for q in (50, 95, 99)}
    return found | {
        "steps": len(last),
        "lost_steps": len(ran) - len(last),
        "mfu": mfu_of(run, steady),
        "compiles": count,
        "recompiles": count - len(graphs),
        "compile_s": compile_s,
        "fallbacks": len(fallbacks),
        "restarts": restarts,
        "goodput": sum(event["tokens"] for event in last.values()) / end,
        "memory_peak_bytes": max(max(event["memory_bytes"]) for event in ran),
    }


### END SOLUTION


### BEGIN SOLUTION portable_trainer.monitor sketch
def sketch(path, target):
    import numpy as np

    times = np.array([event["seconds"] for event in scanned(path)[2]])
    places = np.floor(np.log2(times) * 64).astype(int)
    values, counts = np.unique(places, return_counts=True)
    with open(target, "wb") as file:
        np.save(file, np.stack([values, counts]).astype(np.int32))


def merged_quantiles(*paths):
    import numpy as np

    values, counts = np.concatenate([np.load(path) for path in paths], axis=1)
    order = np.argsort(values)
    total = np.cumsum(counts[order])
    found = {}
    for key, q in QUANTILES.items():
        rank = math.ceil(q * int(total[-1]))
        place = int(values[order][np.searchsorted(total, rank)])
        found[key] = 2 ** ((place + 0.5) / 64)
    return found


### END SOLUTION


### BEGIN SOLUTION portable_trainer.monitor prometheus
def prometheus(path, target):
    import prometheus_client as pc

    run, ran, steady, (graphs, compile_s), fallbacks, restarts, _ = scanned(path)
    registry = pc.CollectorRegistry()

    def counter(name, value):
        pc.Counter(f"trainer_{name}", name, registry=registry).inc(value)

    counter("steps", len(ran))
    counter("tokens", sum(event["tokens"] for event in ran))
    counter("compile_seconds", compile_s)
    counter("restarts", restarts)
    recompiles = pc.Counter("trainer_recompiles", "by graph", ["graph"], registry=registry)
    for graph, count in graphs.items():
        recompiles.labels(graph=graph).inc(count - 1)
    falls = pc.Counter("trainer_fallbacks", "why", ["from", "to", "reason"], registry=registry)
    for key in fallbacks:
        falls.labels(*key).inc()
    pc.Gauge("trainer_step", "last", registry=registry).set(ran[-1]["step"])
    pc.Gauge("trainer_mfu", "share", registry=registry).set(mfu_of(run, steady))
    peaks = pc.Gauge("trainer_memory_peak_bytes", "peak", ["device"], registry=registry)
    for device in range(len(ran[0]["memory_bytes"])):
        peaks.labels(device).set(max(event["memory_bytes"][device] for event in ran))
    times = pc.Histogram("trainer_step_seconds", "steady", buckets=BUCKETS, registry=registry)
    for event in steady:
        times.observe(event["seconds"])
    pc.Gauge("python_threads", "another metric of the process", registry=registry).set(4)
    Path(target).write_bytes(pc.generate_latest(registry))


### END SOLUTION


### BEGIN SOLUTION portable_trainer.monitor tensorboard
def tensorboard(path, target):
    import tempfile

    from torch.utils.tensorboard import SummaryWriter

    last = {event["step"]: event for event in scanned(path)[1]}
    with tempfile.TemporaryDirectory() as folder:
        with SummaryWriter(folder) as writer:
            for step in sorted(last):
                event = last[step]
                for tag, value in (
                    ("step/seconds", event["seconds"]),
                    ("step/loss", event["loss"]),
                    ("memory/peak_bytes", max(event["memory_bytes"])),
                ):
                    writer.add_scalar(tag, value, global_step=step, walltime=event["at"])
        (written,) = Path(folder).iterdir()
        Path(target).write_bytes(written.read_bytes())


### END SOLUTION


### BEGIN SOLUTION portable_trainer.monitor dashboard
def dashboard(path):
    told = summary(path)
    rows = [
        ("Steps", told["steps"]),
        ("lost steps", told["lost_steps"]),
        ("P50 [ms]", 1000 * told["p50_s"]),
        ("p95 [ms]", 1000 * told["p95_s"]),
        ("p99 [ms]", 1000 * told["p99_s"]),
        ("MFU (%)", 100 * told["mfu"]),
        ("recompiles", told["recompiles"]),
        ("Goodput (tokens/s)", told["goodput"]),
        ("memory (GB)", told["memory_peak_bytes"] / 1e9),
        ("fallbacks", told["fallbacks"]),
    ]
    lines = ["TRAINING RUN", "-" * 40]
    for label, value in rows:
        figure = str(value) if isinstance(value, int) else f"{value:.3f}"
        lines.append(f"{label:<24}{figure:>16}")
    return "\n".join(lines)


### END SOLUTION
