"""What max_queue_delay_microseconds costs a client that is alone, and when it costs nothing.

The real server, beside what the arithmetic says; proofs/batcher_model.py has all of it.
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
from live.real_server import SLEEPER, latencies, python, served

SERVICE_MS, DELAY_MS = 10, 100


def arithmetic() -> None:
    """Of one who waits for nobody and of one who waits for three that do not come."""
    slower = (DELAY_MS + SERVICE_MS) / SERVICE_MS
    print(f"alone, a model of {SERVICE_MS} ms behind a delay of {DELAY_MS} ms: {slower:.0f} times")
    assert slower == 11


def measured() -> None:
    """A model that takes 10 ms for a batch of any size."""
    code = SLEEPER.format(seconds=SERVICE_MS / 1e3)
    patient = f"preferred_batch_size: [ 4 ] max_queue_delay_microseconds: {DELAY_MS * 1000}"
    models = {
        "eager": python("max_batch_size: 4 dynamic_batching { }", code),
        "patient": python(f"max_batch_size: 4 dynamic_batching {{ {patient} }}", code),
    }
    with served(models) as running:
        if running is None:
            return
        server, _ = running
        p50 = {
            (name, clients): statistics.median(latencies(server, name, clients, each=12))
            for name in models
            for clients in (1, 4)
        }
    for (name, clients), value in p50.items():
        print(f"measured: on the real server, {name}, c={clients}: p50 {value:.1f} ms")
    assert p50["patient", 1] >= DELAY_MS, "it waits for three who do not come"
    assert p50["eager", 1] < DELAY_MS
    assert p50["patient", 4] < DELAY_MS, "four fill the batch"


if __name__ == "__main__":
    arithmetic()
    measured()
