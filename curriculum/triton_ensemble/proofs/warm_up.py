"""The first request pays for what the model puts off, unless the server has asked it before."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from hotloop.engines.serving.inference import Client

sys.path.append(str(Path(__file__).parent))
from live.real_server import ask, python, served

LAZY_S = 0.5
LAZY = f"""
class TritonPythonModel:
    seen = ()

    def execute(self, requests):
        for request in requests:
            shape = numbers(request).shape
            if shape not in self.seen:  # as a compiler or an autotuner does, shape by shape
                time.sleep({LAZY_S})
                self.seen = (*self.seen, shape)
        return [answer(numbers(request)) for request in requests]
"""
WARM = """
model_warmup [ {
  name: "one row" batch_size: 1
  inputs { key: "X" value { data_type: TYPE_FP32 dims: [ 1 ] zero_data: true } }
} ]
"""


def tail() -> None:
    """How much of a percentile the first requests are."""
    requests, instances = 1000, 16
    share = instances / requests
    print(f"{instances} instances that are cold once, {requests} requests: the slowest {share:.1%}")
    assert share > 0.01, "all of p99 is the start"


def measured() -> None:
    """The same model, cold and warmed."""
    config = "max_batch_size: 4"
    models = {"cold": python(config, LAZY), "warm": python(config + WARM, LAZY)}
    with served(models) as running:
        if running is None:
            return
        server, _ = running
        seconds: dict[tuple[str, str], float] = {}
        with Client(server) as client:
            for name in models:
                for turn in ("first", "second"):
                    began = time.perf_counter()
                    ask(client, name)
                    seconds[name, turn] = time.perf_counter() - began
            began = time.perf_counter()
            client.infer("warm", {"X": np.ones((3, 1), np.float32)})
            other_shape = time.perf_counter() - began
    for (name, turn), value in seconds.items():
        print(f"measured: on the real server, {name}, {turn} request: {value * 1e3:.0f} ms")
    print(f"measured: warm, but three rows at once: {other_shape * 1e3:.0f} ms")
    assert seconds["cold", "first"] >= LAZY_S
    assert max(seconds["cold", "second"], seconds["warm", "first"]) < LAZY_S
    assert other_shape >= LAZY_S, "warm-up is for the shapes that were asked, and no others"


if __name__ == "__main__":
    tail()
    measured()
