"""Lines by hand with help, comments and empty lines, labels in another order, integers as integers."""


### BEGIN SOLUTION portable_trainer.monitor prometheus
def prometheus(path, target):
    steps, lost_at, tokens, compile_s, restarts = 0, None, 0, 0.0, 0
    graphs, falls, peaks, steady, compiled = {}, {}, [], [], False
    run = None
    for event in read_events(path):
        kind = event["event"]
        if kind == "run":
            run = event
        elif kind == "compile":
            graphs.setdefault(event["graph"], -1)
            graphs[event["graph"]] += 1
            compile_s += event["seconds"]
            compiled = True
        elif kind == "step":
            steps, tokens, lost_at = steps + 1, tokens + event["tokens"], event["step"]
            peaks = [max(pair) for pair in zip(peaks or event["memory_bytes"], event["memory_bytes"])]
            if not compiled:
                steady.append((event["seconds"], event["tokens"]))
            compiled = False
        elif kind == "fallback":
            key = tuple(event[name] for name in ("reason", "to", "from"))
            falls[key] = falls.get(key, 0) + 1
        elif kind == "restart":
            restarts += 1
            compiled = False
    seconds = [s for s, _ in steady]
    flops = 6 * run["parameters"] + 12 * run["layers"] * run["hidden"] * run["sequence"]
    peak = run["devices"] * run["peak_flops"]
    mfu = flops * sum(t for _, t in steady) / (sum(seconds) * peak)

    def quoted(text):
        swaps = (("\\", "\\\\"), ("\n", "\\n"), ('"', '\\"'))
        for old, new in swaps:
            text = text.replace(old, new)
        return f'"{text}"'

    lines = ["# written by monitor.py", ""]

    def family(name, kind, *samples):
        base = name.removesuffix("_total")
        lines.append(f"# HELP {name} {base} of the run")
        lines.append(f"# TYPE {name} {kind}")
        lines.extend(samples)
        lines.append("")

    family("trainer_steps_total", "counter", f"trainer_steps_total {steps}")
    family("trainer_tokens_total", "counter", f"trainer_tokens_total {tokens}")
    recompiles = [f"trainer_recompiles_total{{graph={quoted(g)}}} {n}" for g, n in graphs.items()]
    family("trainer_recompiles_total", "counter", *recompiles)
    family(
        "trainer_compile_seconds_total",
        "counter",
        f"trainer_compile_seconds_total {compile_s:.17g}",
    )
    names = ("reason", "to", "from")
    family(
        "trainer_fallbacks_total",
        "counter",
        *(
            "trainer_fallbacks_total{"
            + ", ".join(f"{name}={quoted(text)}" for name, text in zip(names, key))
            + f"}} {count}"
            for key, count in falls.items()
        ),
    )
    family("trainer_restarts_total", "counter", f"trainer_restarts_total {restarts}")
    family("trainer_step", "gauge", f"trainer_step {lost_at}")
    family("trainer_mfu", "gauge", f"trainer_mfu {mfu!r}")
    rows = [f'trainer_memory_peak_bytes{{device="{n}"}} {b}' for n, b in enumerate(peaks)]
    family("trainer_memory_peak_bytes", "gauge", *rows)
    buckets = [
        f'trainer_step_seconds_bucket{{le="{end}"}} {sum(s <= end for s in seconds)}'
        for end in (0.01, 0.03, 0.1, 0.3, 1, 3, 10)
    ]
    buckets.append(f'trainer_step_seconds_bucket{{le="+Inf"}} {len(seconds)}')
    buckets.append(f"trainer_step_seconds_sum {math.fsum(seconds)!r}")
    buckets.append(f"trainer_step_seconds_count {len(seconds)}")
    family("trainer_step_seconds", "histogram", *buckets)
    Path(target).write_text("\n".join(lines))


### END SOLUTION
