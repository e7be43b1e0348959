"""What a run says about itself, from the lines that it writes down: `events.md` says which.

Paths come as texts or as `Path`s.
"""

import json
import math
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

QUANTILES = {"p50_s": 0.5, "p95_s": 0.95, "p99_s": 0.99}
BUCKETS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
"""Upper ends of the histogram's buckets, in seconds."""


def read_events(path):
    """One event after the other; a file of millions is never in memory as a whole."""
    with Path(path).open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


### BEGIN SOLUTION portable_trainer.monitor summary
### STUB def summary(path):
### STUB     """A dict of
### STUB
### STUB     "steps": that count; "lost_steps": runs of a step that were lost;
### STUB     "p50_s", "p95_s", "p99_s": percentiles of the steady steps; "mfu": of these steps;
### STUB     "compiles", "recompiles", "compile_s"; "fallbacks", "restarts";
### STUB     "goodput": tokens a second; "memory_peak_bytes": the largest of all devices and steps.
### STUB     """
### STUB     raise NotImplementedError("portable_trainer.monitor")
@dataclass
class Seen:
    """What all of a run's events say together."""

    run: dict = field(default_factory=dict)
    ran: list = field(default_factory=list)
    steady: list = field(default_factory=list)
    compiles: Counter = field(default_factory=Counter)
    compile_s: float = 0.0
    fallbacks: Counter = field(default_factory=Counter)
    restarts: int = 0
    at: float = 0.0

    @property
    def counting(self):
        """Each step as it ran last, by its number."""
        return {event["step"]: event for event in self.ran}

    @property
    def mfu(self):
        """Of the steady steps."""
        run = self.run
        flops = 6 * run["parameters"] + 12 * run["layers"] * run["hidden"] * run["sequence"]
        tokens = sum(event["tokens"] for event in self.steady)
        seconds = sum(event["seconds"] for event in self.steady)
        return flops * tokens / (seconds * run["devices"] * run["peak_flops"])

    @property
    def memory(self):
        """The peak of each device."""
        return [max(each) for each in zip(*(e["memory_bytes"] for e in self.ran), strict=True)]


def look(path):
    """All events of a file, taken together."""
    seen, compiled_now = Seen(), False
    for event in read_events(path):
        seen.at = event.get("at", seen.at)
        match event["event"]:
            case "run":
                seen.run = event
            case "compile":
                seen.compiles[event["graph"]] += 1
                seen.compile_s += event["seconds"]
                compiled_now = True
            case "step":
                seen.ran.append(event)
                if not compiled_now:
                    seen.steady.append(event)
                compiled_now = False
            case "fallback":
                seen.fallbacks[event["from"], event["to"], event["reason"]] += 1
            case "restart":
                seen.restarts += 1
                compiled_now = False
    return seen


def ranked(ordered, q):
    """The number of rank ⌈q n⌉."""
    return ordered[math.ceil(q * len(ordered)) - 1]


def summary(path):
    """Figures of a run, as a dict."""
    seen = look(path)
    ordered = sorted(event["seconds"] for event in seen.steady)
    counting = seen.counting.values()
    return {
        "steps": len(counting),
        "lost_steps": len(seen.ran) - len(counting),
        **{name: ranked(ordered, q) for name, q in QUANTILES.items()},
        "mfu": seen.mfu,
        "compiles": seen.compiles.total(),
        "recompiles": seen.compiles.total() - len(seen.compiles),
        "compile_s": seen.compile_s,
        "fallbacks": seen.fallbacks.total(),
        "restarts": seen.restarts,
        "goodput": sum(event["tokens"] for event in counting) / seen.at,
        "memory_peak_bytes": max(seen.memory),
    }


### END SOLUTION


### BEGIN SOLUTION portable_trainer.monitor sketch
### STUB def sketch(path, target):
### STUB     """Write to `target` what the percentiles of one rank's steady steps need.
### STUB
### STUB     At most 16 KiB, however many steps there are: a list of steps is no sketch.
### STUB     """
### STUB     raise NotImplementedError("portable_trainer.monitor")
### STUB
### STUB
### STUB def merged_quantiles(*paths):
### STUB     """{"p50_s", "p95_s", "p99_s"} of all ranks' steady steps, from the ranks' sketches.
### STUB
### STUB     Within 1 %, for times from a millisecond to 100 seconds.
### STUB     """
### STUB     raise NotImplementedError("portable_trainer.monitor")
GROWTH = 1.015
"""Each bucket ends so many times higher than the one below; its middle is within 0.75 %."""


def sketch(path, target):
    """Write how many steady steps fell into each bucket of growing width."""
    counts = Counter(math.ceil(math.log(event["seconds"], GROWTH)) for event in look(path).steady)
    Path(target).write_text(json.dumps(counts, separators=(",", ":")), encoding="utf-8")


def merged_quantiles(*paths):
    """Buckets of ranks add up; their percentiles would not."""
    counts = Counter()
    for path in paths:
        told = json.loads(Path(path).read_text(encoding="utf-8"))
        counts.update({int(index): count for index, count in told.items()})
    found = {}
    for name, q in QUANTILES.items():
        rank = math.ceil(q * counts.total())
        for index in sorted(counts):
            rank -= counts[index]
            if rank <= 0:
                break
        found[name] = GROWTH ** (index - 0.5)
    return found


### END SOLUTION


### BEGIN SOLUTION portable_trainer.monitor prometheus
### STUB def prometheus(path, target):
### STUB     """Write the run's metrics as Prometheus reads them; events.md has names and types."""
### STUB     raise NotImplementedError("portable_trainer.monitor")
def escaped(text):
    """As it may stand in a label's quotation marks."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


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


### BEGIN SOLUTION portable_trainer.monitor tensorboard
### STUB def tensorboard(path, target):
### STUB     """Write the run's curves as an event file for TensorBoard; events.md has the names."""
### STUB     raise NotImplementedError("portable_trainer.monitor")
def tensorboard(path, target):
    """Write the run's curves as an event file for TensorBoard."""
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.summary.writer.record_writer import RecordWriter

    with Path(target).open("wb") as file:
        writer = RecordWriter(file)
        first = Event(wall_time=time.time(), file_version="brain.Event:2")
        writer.write(first.SerializeToString())
        for number, event in sorted(look(path).counting.items()):
            curves = {
                "step/seconds": event["seconds"],
                "step/loss": event["loss"],
                "memory/peak_bytes": max(event["memory_bytes"]),
            }
            values = [Summary.Value(tag=tag, simple_value=y) for tag, y in curves.items()]
            told = Event(wall_time=event["at"], step=number, summary=Summary(value=values))
            writer.write(told.SerializeToString())
        writer.flush()


### END SOLUTION


### BEGIN SOLUTION portable_trainer.monitor dashboard
### STUB def dashboard(path):
### STUB     """The run's figures as a text of lines of at most 80 characters, without colors.
### STUB
### STUB     Each on a line of its own, its label, then its figure: "steps", "lost steps", "p50",
### STUB     "p95", "p99" (in ms), "MFU" (in %), "recompiles", "goodput" (tokens/s), "memory" (GB of
### STUB     1e9 bytes), "fallbacks". Three digits at least, as in `1.23`, `45.6` or `789`; whole
### STUB     numbers whole, and no separators in them.
### STUB     """
### STUB     raise NotImplementedError("portable_trainer.monitor")
def digits(number):
    """Three of them at least."""
    if number >= 99.95:
        return f"{number:.0f}"
    return f"{number:#.3g}"


def dashboard(path):
    """The run's figures as a table for a terminal."""
    told = summary(path)
    rows = {
        "steps": f"{told['steps']}",
        "lost steps": f"{told['lost_steps']}",
        **{name[:3]: f"{digits(1e3 * told[name])} ms" for name in QUANTILES},
        "MFU": f"{digits(100 * told['mfu'])} %",
        "recompiles": f"{told['recompiles']}",
        "goodput": f"{digits(told['goodput'])} tokens/s",
        "memory": f"{digits(told['memory_peak_bytes'] / 1e9)} GB",
        "fallbacks": f"{told['fallbacks']}",
    }
    table = Table(title="training", width=40)
    table.add_column("figure")
    table.add_column("now", justify="right")
    for label, value in rows.items():
        table.add_row(label, value)
    console = Console(width=80, color_system=None, force_terminal=False)
    with console.capture() as captured:
        console.print(table)
    return captured.get()


### END SOLUTION
