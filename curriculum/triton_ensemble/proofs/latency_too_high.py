"""Where a request's time goes, from two readings of /metrics and the client's own clock."""

from __future__ import annotations

import statistics
import sys
from dataclasses import dataclass
from pathlib import Path

from hotloop.engines.serving import metrics

sys.path.append(str(Path(__file__).parent))
from live.real_server import SLEEPER, latencies, python, served


# --8<-- [start:split]
@dataclass(frozen=True)
class Split:
    """Mean milliseconds a request. outside: what the client saw and the server did not."""

    queue: float
    copies: float
    compute: float
    outside: float
    mean_batch: float

    @property
    def suspect(self) -> str:
        """The largest part."""
        return max(("queue", "copies", "compute", "outside"), key=lambda part: getattr(self, part))


def split(before: str, after: str, model: str, client_ms: float) -> Split:
    """The counters only grow: what happened in between is their difference."""
    first, last = metrics.parse(before), metrics.parse(after)

    def grown(name: str) -> float:
        key = f"nv_inference_{name}"
        return metrics.value(last, key, model=model) - metrics.value(first, key, model=model)

    def each(name: str) -> float:
        return grown(f"{name}_duration_us") / grown("request_success") / 1e3

    return Split(
        queue=each("queue"),
        copies=each("compute_input") + each("compute_output"),
        compute=each("compute_infer"),
        outside=client_ms - each("request"),
        mean_batch=grown("count") / grown("exec_count"),
    )
    # --8<-- [end:split]


def text(requests: int, runs: int, **ms: float) -> str:
    """A reading with supposed milliseconds a request."""
    parts = {"queue": 0.0, "compute_input": 0.1, "compute_output": 0.1, **ms}
    parts["request"] = sum(parts.values())
    counters = {f"{name}_duration_us": value * requests * 1e3 for name, value in parts.items()}
    counters |= {"request_success": requests, "count": requests, "exec_count": runs}
    return "\n".join(f'nv_inference_{k}{{model="m"}} {v}' for k, v in counters.items())


def supposed() -> None:
    """Four deployments with the same complaint: 50 ms."""
    at_start = text(1000, 1000, compute_infer=9.0)

    def after(runs: int, **ms: float) -> str:
        """2000 further requests."""
        old, new = metrics.parse(at_start), metrics.parse(text(2000, runs, **ms))
        return "\n".join(
            f'{a.name}{{model="m"}} {a.value + b.value}' for a, b in zip(old, new, strict=True)
        )

    cases = {
        "queue": after(2000, queue=40.0, compute_infer=8.0),
        "compute": after(250, queue=4.0, compute_infer=44.0),
        "copies": after(1000, compute_input=30.0, compute_output=6.0, compute_infer=12.0),
        "outside": after(2000, queue=0.2, compute_infer=6.0),
    }
    for wanted, reading in cases.items():
        found = split(at_start, reading, "m", client_ms=50.0)
        print(
            f"queue {found.queue:4.1f}  copies {found.copies:4.1f}  compute {found.compute:4.1f}  "
            f"outside {found.outside:4.1f} ms, batches of {found.mean_batch:.0f}: {found.suspect}"
        )
        assert found.suspect == wanted
    never_subtracted = metrics.parse(cases["queue"])
    total = metrics.value(never_subtracted, "nv_inference_queue_duration_us", model="m")
    count = metrics.value(never_subtracted, "nv_inference_request_success", model="m")
    print(f"queue without subtracting the first reading: {total / count / 1e3:.1f} ms, not 40")
    assert total / count / 1e3 < 27


def measured() -> None:
    """A model of 20 ms: alone, with four clients, and with four clients and batches."""
    code = SLEEPER.format(seconds=0.020)
    models = {
        "alone": python("max_batch_size: 8", code),
        "crowded": python("max_batch_size: 8", code),
        "batched": python("max_batch_size: 8 dynamic_batching { }", code),
    }
    found: dict[str, Split] = {}
    with served(models) as running:
        if running is None:
            return
        server, _ = running
        for name in models:
            latencies(server, name, 1, 3)
            before = server.metrics_text()
            seen = latencies(server, name, 1 if name == "alone" else 4, 15)
            found[name] = split(before, server.metrics_text(), name, statistics.mean(seen))
    for name, parts in found.items():
        print(
            f"measured: on the real server, {name:8} queue {parts.queue:5.1f}  "
            f"compute {parts.compute:5.1f}  outside {parts.outside:4.1f} ms, "
            f"batches of {parts.mean_batch:.1f}"
        )
    assert found["alone"].suspect == "compute"
    assert found["crowded"].suspect == "queue", "each waits for three others"
    assert found["batched"].queue < found["crowded"].queue
    assert found["batched"].mean_batch > found["crowded"].mean_batch == 1
    assert all(parts.outside >= 0 for parts in found.values())


if __name__ == "__main__":
    supposed()
    measured()
