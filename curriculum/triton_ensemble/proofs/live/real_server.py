"""A real tritonserver over small models, for proofs whose claims are about the server.

Where `hotloop doctor --install tritonserver` was never run there is none, and a proof says that it
has not measured.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from hotloop.engines.serving import metrics, preflight
from hotloop.engines.serving.environment import ServingEnvironment
from hotloop.engines.serving.inference import Client, InferenceFailed
from hotloop.engines.serving.options import Options
from hotloop.engines.serving.server import TritonServer
from hotloop.engines.serving.unavailable import ServingUnavailable

ONE_NUMBER = """
input [ { name: "X" data_type: TYPE_FP32 dims: [ 1 ] } ]
output [ { name: "Y" data_type: TYPE_FP32 dims: [ 1 ] } ]
"""
"""Tensors of most models here: a number in, a number out."""

HEAD = """
import time
import numpy as np
import triton_python_backend_utils as pb


def numbers(request):
    return pb.get_input_tensor_by_name(request, "X").as_numpy()


def answer(values):
    return pb.InferenceResponse([pb.Tensor("Y", np.asarray(values, np.float32))])
"""
"""What all their model.py files begin with."""

SLEEPER = """
class TritonPythonModel:
    def execute(self, requests):
        time.sleep({seconds})
        return [answer(numbers(request)) for request in requests]
"""
"""Takes so long for a batch of any size, and uses no processor meanwhile."""


@dataclass(frozen=True)
class Model:
    """config: of config.pbtxt, without the name.

    code: of model.py, after HEAD; by version where there are several; an ensemble has none.
    """

    config: str
    code: str | Mapping[int, str] = ""

    @property
    def versions(self) -> Mapping[int, str]:
        """The code of each version."""
        return {1: self.code} if isinstance(self.code, str) else self.code


def python(config: str, code: str | Mapping[int, str], instances: int = 1) -> Model:
    """A model of the Python backend with one number in and one out."""
    group = f"instance_group [ {{ kind: KIND_CPU count: {instances} }} ]"
    return Model(f'backend: "python"\n{ONE_NUMBER}{group}\n{config}', code)


def lay_out(folder: Path, models: Mapping[str, Model]) -> None:
    """Write a model repository."""
    for name, model in models.items():
        for version, code in model.versions.items():
            place = folder / name / str(version)
            place.mkdir(parents=True)
            if code:
                (place / "model.py").write_text(HEAD + code, encoding="utf-8")
        text = f'name: "{name}"\n{model.config}\n'
        (folder / name / "config.pbtxt").write_text(text, encoding="utf-8")


@contextmanager
def served(
    models: Mapping[str, Model], **options: Any
) -> Generator[tuple[TritonServer, Path] | None]:
    """A ready server and its repository; None, and a line with the reason, where there is none."""
    environment = _environment()
    if isinstance(environment, str):
        print(f"not measured here: {environment}")
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="hotloop-proof-") as name:
        folder = Path(name)
        lay_out(folder, models)
        with TritonServer(folder, environment, Options(isolation="none", **options)) as server:
            server.wait_ready()
            yield server, folder


@cache
def _environment() -> ServingEnvironment | str:
    """Looked at once in a process, as that takes seconds; a text says what is missing."""
    try:
        return preflight.require()
    except ServingUnavailable as gap:
        return str(gap)


def ask(client: Client, model: str, value: float = 1.0, **options: Any) -> float:
    """One row with one number."""
    rows = np.array([[value]], np.float32)
    return float(client.infer(model, {"X": rows}, **options)["Y"][0, 0])


def together(server: TritonServer, clients: int, work: Callable[[Client, int], None]) -> float:
    """Run `work` in so many threads, each with a connection of its own; seconds for all."""

    def run(number: int) -> None:
        with Client(server) as client:
            work(client, number)

    began = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(run, range(clients)))
    return time.perf_counter() - began


def latencies(server: TritonServer, model: str, clients: int, each: int) -> list[float]:
    """Milliseconds of each request of `clients` closed loops with `each` requests."""
    found: list[float] = []

    def work(client: Client, number: int) -> None:
        for step in range(each):
            began = time.perf_counter()
            ask(client, model, float(1000 * number + step))
            found.append((time.perf_counter() - began) * 1e3)

    together(server, clients, work)
    return found


def counted(server: TritonServer, name: str, model: str) -> float:
    """A counter of a model, once it stands still: it grows after the answer has gone out."""

    def read() -> float:
        return metrics.value(server.metrics(), name, model=model)

    found = read()
    for _ in range(20):
        time.sleep(0.3)
        before, found = found, read()
        if found == before:
            return found
    raise AssertionError(f"{name} of {model} still grows, and nobody asks")


def refusal(client: Client, model: str, rows: Any, **options: Any) -> str:
    """What the server says to a request that it refuses. AssertionError when it does not."""
    try:
        client.infer(model, {"X": np.asarray(rows, np.float32)}, **options)
    except InferenceFailed as failed:
        return str(failed)
    raise AssertionError(f"{model} answered")
