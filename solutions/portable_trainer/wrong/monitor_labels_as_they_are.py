"""Writes labels as they are, with quotation marks and line breaks in them.

fails: monitor.prometheus
"""


### BEGIN SOLUTION portable_trainer.monitor prometheus
def escaped(text):
    """As it may stand in a label's quotation marks."""
    return text


def family(name, kind, samples):
    """A metric's lines. samples: of (suffix, labels, value)."""
    lines = [f"# TYPE {name} {kind}"]
    for suffix, labels, value in samples:
        told = ",".join(f'{key}="{escaped(text)}"' for key, text in labels.items())
        braces = f"{{{told}}}" if told else ""
        lines.append(f"{name}{suffix}{braces} {float(value)!r}")
    return lines


def histogram(seconds):
    """Samples of a histogram: each bucket counts everything up to its end."""
    counts = [sum(s <= end for s in seconds) for end in BUCKETS]
    ends = [*map(repr, BUCKETS), "+Inf"]
    for end, count in zip(ends, [*counts, len(seconds)], strict=True):
        yield "_bucket", {"le": end}, count
    yield "_sum", {}, sum(seconds)
    yield "_count", {}, len(seconds)


def prometheus(path, target):
    """Write the run's metrics as Prometheus reads them."""
    seen = look(path)
    names = ("from", "to", "reason")
    counters = {
        "steps": [({}, len(seen.ran))],
        "tokens": [({}, sum(event["tokens"] for event in seen.ran))],
        "recompiles": [({"graph": name}, n - 1) for name, n in seen.compiles.items()],
        "compile_seconds": [({}, seen.compile_s)],
        "fallbacks": [(dict(zip(names, key, strict=True)), n) for key, n in seen.fallbacks.items()],
        "restarts": [({}, seen.restarts)],
    }
    gauges = {
        "step": [({}, seen.ran[-1]["step"])],
        "mfu": [({}, seen.mfu)],
        "memory_peak_bytes": [({"device": str(n)}, b) for n, b in enumerate(seen.memory)],
    }
    lines = []
    for name, found in counters.items():
        samples = [("", labels, value) for labels, value in found]
        lines += family(f"trainer_{name}_total", "counter", samples)
    for name, found in gauges.items():
        samples = [("", labels, value) for labels, value in found]
        lines += family(f"trainer_{name}", "gauge", samples)
    seconds = [event["seconds"] for event in seen.steady]
    lines += family("trainer_step_seconds", "histogram", histogram(seconds))
    Path(target).write_text("\n".join(lines) + "\n", encoding="utf-8")


### END SOLUTION
