"""One bad request in a batch: who else gets an error. First in plain Python, then on the server."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from hotloop.engines.serving.inference import Client, InferenceFailed

sys.path.append(str(Path(__file__).parent))
from live.real_server import ask, python, served, together

CARELESS = """
class TritonPythonModel:
    def execute(self, requests):
        for request in requests:
            if numbers(request).min() < 0:
                raise ValueError("a negative number")
        return [answer(numbers(request)) for request in requests]
"""
CAREFUL = """
class TritonPythonModel:
    def execute(self, requests):
        return [self.one(request) for request in requests]

    def one(self, request):
        if numbers(request).min() < 0:
            return pb.InferenceResponse(error=pb.TritonError("a negative number"))
        return answer(numbers(request))
"""
SHORT = """
class TritonPythonModel:
    def execute(self, requests):
        return [answer(numbers(r)) for r in requests if numbers(r).min() >= 0]
"""
BATCHED = (
    "max_batch_size: 4 "
    "dynamic_batching { preferred_batch_size: [ 4 ] max_queue_delay_microseconds: 2000000 }"
)


def careless(requests: list[float]) -> list[str]:
    """Looks at all, then answers all."""
    if min(requests) < 0:
        raise ValueError
    return ["answer" for _ in requests]


def careful(requests: list[float]) -> list[str]:
    """One response for each request, in order; an error is a response."""
    return ["error" if value < 0 else "answer" for value in requests]


def errors(execute: Callable[[list[float]], list[str]], requests: list[float]) -> int:
    """How many callers get an error."""
    try:
        return execute(requests).count("error")
    except ValueError:
        return len(requests)


def measured() -> None:
    """Four clients at once, one of them with a bad request: one batch."""
    models = {
        "careless": python(BATCHED, CARELESS),
        "careful": python(BATCHED, CAREFUL),
        "short": python(BATCHED, SHORT),
    }
    with served(models) as running:
        if running is None:
            return
        server, _ = running
        failed: dict[str, dict[int, str]] = {name: {} for name in models}

        def work(client: Client, number: int, name: str) -> None:
            try:
                ask(client, name, -1.0 if number == 0 else 1.0)
            except InferenceFailed as error:
                failed[name][number] = str(error)

        for name in models:
            together(server, 4, lambda client, number, name=name: work(client, number, name))
    for name, found in failed.items():
        message = " ".join(next(iter(found.values())).split())
        print(f"on the real server, {name}: {len(found)} of 4 fail, {message[:100]!r}")
    assert set(failed["careless"]) == {0, 1, 2, 3}
    assert set(failed["careful"]) == {0}
    assert len(failed["short"]) == 4, "a response too few fails all"


if __name__ == "__main__":
    batch = [-1.0, 1.0, 2.0, 3.0]
    print(f"careless: {errors(careless, batch)} of 4 fail; careful: {errors(careful, batch)} of 4")
    assert (errors(careless, batch), errors(careful, batch)) == (4, 1)
    share = 1 - 0.99**8
    print(f"1 bad request in 100, batches of 8: {share:.1%} of the requests share a batch with one")
    assert 0.07 < share < 0.08
    measured()
