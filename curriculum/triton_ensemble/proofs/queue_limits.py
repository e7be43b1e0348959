"""A server that is asked for 120 % of what it can do, with and without a limit to its queue."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path

from hotloop.engines.serving.inference import Client, InferenceFailed

sys.path.append(str(Path(__file__).parent))
from live.real_server import SLEEPER, ask, python, served, together

SERVICE_MS, INTERVAL_MS, LENGTH_MS = 10.0, 10.0 / 1.2, 60_000.0
PATIENCE_MS = 500.0
"""After which the caller has given up and nobody reads the answer."""


@dataclass(frozen=True)
class Result:
    """worst_ms: of those answered. useful: share of all requests that was answered in time."""

    rejected: float
    worst_ms: float
    useful: float
    useful_at_the_end: float


def overload(most_waiting: int | None) -> Result:
    """One after the other; who finds the queue full is refused at once."""
    ends: list[float] = []  # of those in the queue or being served
    free, rejected, latencies = 0.0, 0, list[tuple[float, float]]()
    asked = int(LENGTH_MS / INTERVAL_MS)
    for number in range(asked):
        now = number * INTERVAL_MS
        ends = [end for end in ends if end > now]
        if most_waiting is not None and len(ends) > most_waiting:
            rejected += 1
            continue
        free = max(now, free) + SERVICE_MS
        ends.append(free)
        latencies.append((now, free - now))
    in_time = [when for when, ms in latencies if ms <= PATIENCE_MS]
    last = [when for when in in_time if when > LENGTH_MS * 5 / 6]
    return Result(
        rejected / asked,
        max(ms for _, ms in latencies),
        len(in_time) / asked,
        len(last) / (asked / 6),
    )


def model() -> None:
    """A minute of it."""
    found = {limit: overload(limit) for limit in (None, 10)}
    for limit, result in found.items():
        name = "no limit" if limit is None else f"at most {limit} wait"
        print(
            f"{name:15} refused {result.rejected:4.0%}  slowest answer {result.worst_ms:6.0f} ms  "
            f"answered in time {result.useful:4.0%}, in the last ten seconds "
            f"{result.useful_at_the_end:4.0%}"
        )
    assert found[None].rejected == 0
    assert found[None].useful_at_the_end == 0, "busy all the time, and of no use to anybody"
    assert found[10].worst_ms <= 11 * SERVICE_MS + 1e-9, "(limit + 1) × service"
    assert 0.15 < found[10].rejected < 0.18, "1 - 1 / 1.2: no limit makes it faster"


def measured() -> None:
    """Twelve at once for a model of 300 ms with room for two; then eight with little patience."""

    def policy(text: str) -> str:
        return f"max_batch_size: 2 dynamic_batching {{ default_queue_policy {{ {text} }} }}"

    short = "timeout_action: REJECT default_timeout_microseconds: 50000"
    models = {
        "limited": python(policy("max_queue_size: 2"), SLEEPER.format(seconds=0.3)),
        "timed": python(policy(short), SLEEPER.format(seconds=0.3)),
    }
    with served(models) as running:
        if running is None:
            return
        server, _ = running
        refused: dict[str, list[tuple[int, str, float]]] = {"limited": [], "timed": []}

        def work(name: str, client: Client) -> None:
            began = time.perf_counter()
            try:
                ask(client, name)
            except InferenceFailed as failed:
                refused[name].append((failed.status, str(failed), time.perf_counter() - began))

        together(server, 12, lambda client, _: work("limited", client))
        together(server, 8, lambda client, _: work("timed", client))
        text = server.metrics_text()
    for name, failures in refused.items():
        assert failures, f"{name} refused nobody"
        status, message, _ = failures[0]
        slowest = max(seconds for *_, seconds in failures) * 1e3
        told = f"{status} {message.partition('] ')[2] or message!r}, after at most {slowest:.0f} ms"
        print(f"measured: on the real server, {name}: {len(failures)} refused, {told}")
    assert len(refused["limited"]) >= 12 - 6, "two run, two wait"
    assert {status for status, *_ in refused["limited"]} == {503}
    fastest = min(seconds for *_, seconds in refused["limited"])
    assert fastest < 0.3, "a refusal does not wait for the model"
    # A timeout of 50 ms, noticed when the batcher looks at the queue again: after 300 ms.
    assert max(seconds for *_, seconds in refused["timed"]) > 0.2
    assert 'reason="REJECTED"' in text


if __name__ == "__main__":
    model()
    measured()
