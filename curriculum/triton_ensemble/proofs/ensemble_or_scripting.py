"""A pipeline as an ensemble and as a script: who runs which step, and who is kept busy."""

from __future__ import annotations

import sys
from pathlib import Path

from hotloop.engines.serving.inference import Client
from hotloop.engines.serving.server import TritonServer

sys.path.append(str(Path(__file__).parent))
from live.real_server import ONE_NUMBER, Model, ask, counted, python, served, together

SLOW_MS = 100
ADD_ONE = """
class TritonPythonModel:
    def execute(self, requests):
        return [answer(numbers(request) + 1) for request in requests]
"""
DOUBLE_SLOWLY = f"""
class TritonPythonModel:
    def execute(self, requests):
        time.sleep({SLOW_MS / 1e3})
        return [answer(numbers(request) * 2) for request in requests]
"""
SCRIPT = """
class TritonPythonModel:
    def execute(self, requests):
        return [self.one(request) for request in requests]

    def one(self, request):
        value = call("add_one", numbers(request))
        if value.max() < 0:  # what no ensemble can say
            return answer(value)
        return answer(call("double", value))


def call(model, values):
    inner = pb.InferenceRequest(
        model_name=model, requested_output_names=["Y"], inputs=[pb.Tensor("X", values)]
    )
    response = inner.exec()
    if response.has_error():
        raise pb.TritonModelException(response.error().message())
    return pb.get_output_tensor_by_name(response, "Y").as_numpy()
"""
ENSEMBLE = f"""
platform: "ensemble"
max_batch_size: 8
{ONE_NUMBER}
ensemble_scheduling {{
  step [
    {{ model_name: "add_one" model_version: -1
       input_map {{ key: "X" value: "X" }} output_map {{ key: "Y" value: "larger" }} }},
    {{ model_name: "double" model_version: -1
       input_map {{ key: "X" value: "larger" }} output_map {{ key: "Y" value: "Y" }} }}
  ]
}}
"""
MODELS = {
    "add_one": python("max_batch_size: 8", ADD_ONE),
    "double": python("max_batch_size: 8", DOUBLE_SLOWLY, instances=4),
    "ensemble": Model(ENSEMBLE),
    "script": python("max_batch_size: 8", SCRIPT),
}


def cascade() -> None:
    """What a request costs when the second step is needed by few; supposed milliseconds."""
    first, second, calls = 2.0, 20.0, 1.0
    for needed in (0.1, 0.5, 1.0):
        ensemble = first + second
        script = calls + first + needed * (calls + second)
        print(f"{needed:4.0%} need step 2: ensemble {ensemble:.0f} ms, script {script:.1f} ms")
    assert calls + first + 0.1 * (calls + second) < first + second
    assert calls + first + 1.0 * (calls + second) > first + second


def measured() -> None:
    """One server with both."""
    with served(MODELS) as running:
        if running is None:
            return
        server, _ = running
        runs = {name: _second_steps(server, name) for name in ("ensemble", "script")}
        seconds = {
            name: together(server, 4, lambda client, number, name=name: _ask(client, name, number))
            for name in ("ensemble", "script")
        }
    for name, count in runs.items():
        print(
            f"measured: on the real server, {name:8} 5 requests that need no step 2 ran it "
            f"{count:.0f} times; 4 clients at once took {seconds[name] * 1e3:.0f} ms"
        )
    assert runs == {"ensemble": 5, "script": 0}
    assert seconds["script"] >= 4 * SLOW_MS / 1e3, "its one instance waits inside execute"
    assert seconds["ensemble"] < seconds["script"], "an ensemble has no instance that could wait"


def _second_steps(server: TritonServer, model: str) -> float:
    name = "nv_inference_exec_count"
    before = counted(server, name, "double")
    with Client(server) as client:
        answers = [ask(client, model, -5.0 - step) for step in range(5)]
    assert all(value < 0 for value in answers)
    return counted(server, name, "double") - before


def _ask(client: Client, model: str, number: int) -> None:
    assert ask(client, model, float(number)) == 2 * (number + 1)


if __name__ == "__main__":
    cascade()
    measured()
