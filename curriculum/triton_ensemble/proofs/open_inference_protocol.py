"""One request of the open inference protocol, as JSON and in binary, and what a server answers."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from hotloop.engines.serving.inference import Client, encode

sys.path.append(str(Path(__file__).parent))
from live.real_server import Model, python, served

SAME = """
class TritonPythonModel:
    def execute(self, requests):
        return [answer(numbers(request)) for request in requests]
"""
WIDE = """
backend: "python" max_batch_size: 8
input [ { name: "X" data_type: TYPE_FP32 dims: [ 1000 ] } ]
output [ { name: "Y" data_type: TYPE_FP32 dims: [ 1000 ] } ]
instance_group [ { kind: KIND_CPU } ]
"""
MODEL = "/v2/models/same"
REQUIRED = ("/v2", "/v2/health/live", "/v2/health/ready", MODEL, f"{MODEL}/ready")
"""With GET; POST to the model's /infer is the sixth."""


# --8<-- [start:request]
def request(values: list[list[float]]) -> dict[str, Any]:
    """Name, type and shape go with the data: the server need not guess any of them."""
    flat = [value for row in values for value in row]
    shape = [len(values), len(values[0])]
    return {"inputs": [{"name": "X", "datatype": "FP32", "shape": shape, "data": flat}]}


def of_tensorflow_serving(values: list[list[float]]) -> dict[str, Any]:
    """The row format of TF Serving's REST interface: a list, of what the signature says."""
    return {"instances": values}


# --8<-- [end:request]


def sizes() -> None:
    """A thousand numbers with all their digits."""
    rows = np.random.default_rng(1).normal(size=(1, 1000)).astype(np.float32)
    as_json = json.dumps(request([[float(value) for value in row] for row in rows])).encode()
    as_binary, header = encode({"X": rows})
    print(f"1000 FP32: {len(as_json)} bytes as JSON, {len(as_binary)} in binary, header {header}")
    assert len(as_json) > 4 * len(as_binary)
    described = request([[1.0, 2.0], [3.0, 4.0]])["inputs"][0]
    bare = of_tensorflow_serving([[1.0, 2.0], [3.0, 4.0]])
    print(f"open inference protocol: {json.dumps(described)}")
    print(f"TF Serving:              {json.dumps(bare)}")
    assert set(described) - {"data"} == {"name", "datatype", "shape"}
    assert set(bare) == {"instances"}


def measured() -> None:
    """The protocol's six calls, and an error."""
    models = {"same": python("max_batch_size: 8", SAME), "wide": Model(WIDE, SAME)}
    with served(models) as running:
        if running is None:
            return
        server, _ = running
        with server.http() as http, Client(server) as client:
            statuses = {path: http.get(path).status for path in REQUIRED}
            document = request([[1.0], [2.0]])
            answer = http.post(f"{MODEL}/infer", json.dumps(document).encode(), {}).json()
            bare = json.dumps(of_tensorflow_serving([[1.0]])).encode()
            wrong = http.post(f"{MODEL}/infer", bare, {})
            about = client.get(MODEL)
            extensions = client.get("/v2")["extensions"]
            client.infer("wide", {"X": np.ones((1, 1000), np.float32)})
    print(f"on the real server: {statuses}")
    print(f"answer: {json.dumps(answer['outputs'])}")
    print(f"TF Serving's request: {wrong.status}, {wrong.text()}")
    print(f"what this server adds: {', '.join(extensions)}")
    assert set(statuses.values()) == {200}
    assert answer["outputs"][0] == {
        "name": "Y", "datatype": "FP32", "shape": [2, 1], "data": [1.0, 2.0],
    }  # fmt: skip
    assert wrong.status >= 400
    assert about["inputs"] == [{"name": "X", "datatype": "FP32", "shape": [-1, 1]}]
    assert {"binary_tensor_data", "model_repository", "statistics"} <= set(extensions)


if __name__ == "__main__":
    sizes()
    measured()
