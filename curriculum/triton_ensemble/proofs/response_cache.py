"""What the response cache remembers: answers to bytes, and not whose answers they were."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import numpy as np

from hotloop.engines.serving.inference import Client

sys.path.append(str(Path(__file__).parent))
from live.real_server import HEAD, ONE_NUMBER, Model, ask, counted, python, served

TIMES = """
class TritonPythonModel:
    def execute(self, requests):
        time.sleep(0.05)
        return [answer(numbers(request) * {factor}) for request in requests]
"""
CLOCK = """
class TritonPythonModel:
    def execute(self, requests):
        return [answer(numbers(request) * 0 + time.monotonic() % 10) for request in requests]
"""
COUNTERS = (
    "nv_cache_num_hits_per_model",
    "nv_cache_num_misses_per_model",
    "nv_inference_exec_count",
)
CACHED = "max_batch_size: 4 response_cache { enable: true }"
WHOLE = f"""
platform: "ensemble" {CACHED} {ONE_NUMBER}
ensemble_scheduling {{
  step [ {{
    model_name: "step"  model_version: -1
    input_map {{ key: "X"  value: "X" }}  output_map {{ key: "Y"  value: "Y" }}
  }} ]
}}
"""


def key(model: str, version: int, *rows: str) -> str:
    """A stand-in for the server's: model, version, and the inputs' bytes."""
    return hashlib.sha256("\0".join((model, str(version), *rows)).encode()).hexdigest()


def keys() -> None:
    """What counts as the same question."""
    same = key("bert", 1, "Where is my order?")
    others = {
        "a space more": key("bert", 1, "Where is my order? "),
        "other letters": key("bert", 1, "where is my order?"),
        "in a batch of two": key("bert", 1, "Where is my order?", "Thanks!"),
        "the next version": key("bert", 2, "Where is my order?"),
    }
    for name, other in others.items():
        print(f"{name}: {'a hit' if other == same else 'a miss'}")
        assert other != same


def measured() -> None:
    """Hits, a hidden input, and new weights under an old number."""
    models = {
        "times": python(CACHED, TIMES.format(factor=10)),
        "clock": python(CACHED, CLOCK),
    }
    with served(models, cache_bytes=1 << 20, explicit=True, load=("*",)) as running:
        if running is None:
            return
        server, folder = running
        with Client(server) as client:
            first = [ask(client, "times", value) for value in (1.0, 1.0, 2.0)]
            pair = client.infer("times", {"X": np.array([[1.0], [2.0]], np.float32)})["Y"]
            hits, misses, runs = (counted(server, name, "times") for name in COUNTERS)
            frozen = [ask(client, "clock") for _ in range(3)]
            retrained = HEAD + TIMES.format(factor=11)
            (folder / "times" / "1" / "model.py").write_text(retrained, encoding="utf-8")
            client.load("times")
            after = {value: ask(client, "times", value) for value in (1.0, 3.0)}
    told = f"{hits:.0f} hit, {misses:.0f} misses, {runs:.0f} runs of the model"
    print(f"on the real server: 4 requests, {told}")
    told = ", ".join(f"{value:.3f}" for value in frozen)
    print(f"measured: a model that tells the time, three times: {told}")
    told = f"1 gives {after[1.0]:.0f}, 3 gives {after[3.0]:.0f}"
    print(f"reloaded with factor 11 in place of 10: {told}")
    assert first == [10.0, 10.0, 20.0]
    assert pair.tolist() == [[10.0], [20.0]]
    assert (hits, misses, runs) == (1, 3, 3), "two known rows are no known pair"
    assert len(set(frozen)) == 1, "what is no input is not in the key"
    assert after == {1.0: 10.0, 3.0: 33.0}, "the old model's answer, from the new model's server"


def measured_ensemble() -> None:
    """A cached ensemble over a step that gets a new version, with a new number."""
    models = {"step": python("max_batch_size: 4", TIMES.format(factor=10)), "whole": Model(WHOLE)}
    with served(models, cache_bytes=1 << 20, explicit=True, load=("*",)) as running:
        if running is None:
            return
        server, folder = running
        with Client(server) as client:
            first = [ask(client, "whole") for _ in range(3)]
            runs = counted(server, "nv_inference_exec_count", "step")
            second = folder / "step" / "2"
            second.mkdir()
            retrained = HEAD + TIMES.format(factor=11)
            (second / "model.py").write_text(retrained, encoding="utf-8")
            client.load("step")
            step, whole = ask(client, "step"), ask(client, "whole")
            unknown = ask(client, "whole", 3.0)
    print(f"an ensemble with a cache of its own, asked three times: {runs:.0f} run of its step")
    told = f"the step gives {step:.0f} for 1, the ensemble {whole:.0f}; and {unknown:.0f} for 3"
    print(f"its step gets version 2: {told}")
    assert first == [10.0] * 3
    assert runs == 1, "the whole pipeline was skipped"
    assert step == 11.0
    assert whole == 10.0, "the key has the ensemble's version, which did not change"
    assert unknown == 33.0


if __name__ == "__main__":
    keys()
    measured()
    measured_ensemble()
