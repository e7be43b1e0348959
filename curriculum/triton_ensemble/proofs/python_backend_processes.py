"""Each instance of a Python model is a process: what that gives, and what it takes."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from hotloop.engines.serving import shm
from hotloop.engines.serving.inference import Client, InferenceFailed

sys.path.append(str(Path(__file__).parent))
from live.real_server import ask, python, served, together

WHO = """
import os


class TritonPythonModel:
    calls = 0

    def execute(self, requests):
        type(self).calls += 1
        time.sleep(0.05)
        if any(numbers(request).min() < 0 for request in requests):
            os._exit(3)
        return [answer(numbers(request) * 0 + [[os.getpid() % 2**20]]) for request in requests]
"""
COUNT = """
class TritonPythonModel:
    calls = 0

    def execute(self, requests):
        type(self).calls += 1
        time.sleep(0.05)
        return [answer(numbers(request) * 0 + self.calls) for request in requests]
"""


def copies(instances: int, mib: int) -> int:
    """Memory of a model that every process loads for itself."""
    return instances * mib


def measured() -> None:
    """Two instances each: one pair counts, the other pair is asked to die."""
    models = {
        "count": python("max_batch_size: 4", COUNT, instances=2),
        "who": python("max_batch_size: 4", WHO, instances=2),
    }
    with served(models) as running:
        if running is None:
            return
        server, _ = running
        counted: list[float] = []
        pids: set[float] = set()
        together(server, 4, lambda client, _: counted.append(ask(client, "count")))
        together(server, 4, lambda client, _: pids.add(ask(client, "who")))
        regions = len(list(Path("/dev/shm").glob(f"{shm.prefix(server.tag)}*")))
        with Client(server) as client:
            died = _outcome(client, -1.0)
            later = [_outcome(client, 1.0) for _ in range(10)]
            time.sleep(0.5)
            still = [_outcome(client, 1.0) for _ in range(10)]
            ask(client, "count")
        with server.http() as http:
            paths = ("/v2/health/ready", "/v2/models/who/ready")
            health = [http.get(path).status for path in paths]
    print(f"on the real server: {len(pids)} processes answered for `who`")
    print(f"measured: four calls, counted in a class variable: {sorted(counted)}")
    print(f"{regions} shared-memory regions for 4 instances")
    print(f"measured: one instance dies: {died!r}")
    print(f"measured: then {_failed(later)} of 10 fail, half a second later {_failed(still)} of 10")
    print(f"meanwhile the server's and the model's readiness: {health}")
    assert len(pids) == 2
    assert max(counted) < 4, "nobody has seen all calls: a cache or a counter there is one of two"
    assert regions == 4
    assert "not healthy" in died
    assert 0 < _failed(still) < 10, "one instance goes on, and the dead one is asked again"
    assert health == [200, 200], "a health check does not see it"


def _outcome(client: Client, value: float) -> str:
    try:
        ask(client, "who", value)
    except InferenceFailed as failed:
        return str(failed)
    return ""


def _failed(outcomes: list[str]) -> int:
    return sum(bool(outcome) for outcome in outcomes)


if __name__ == "__main__":
    print(f"400 MiB that each of 4 instances loads for itself: {copies(4, 400)} MiB")
    measured()
