"""Counts steps in which something compiled among the steady ones.

fails: monitor.figures
"""


### BEGIN SOLUTION portable_trainer.monitor summary
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
                if compiled_now is not None:
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
