"""Our onnxruntime backend reads a configuration as NVIDIA's does."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.hotloop.engines.serving.repository_cases import together

from hotloop.engines.serving import backend_folder
from hotloop.engines.serving.environment import ServingEnvironment
from hotloop.engines.serving.inference import Client
from hotloop.engines.serving.server import TritonServer

StartServer = Callable[..., TritonServer]
BACKEND = backend_folder.OWN / "onnxruntime" / "model.py"
ASK = """
import importlib.util, json, sys, types
sys.modules["triton_python_backend_utils"] = types.ModuleType("triton_python_backend_utils")
spec = importlib.util.spec_from_file_location("backend", sys.argv[1])
backend = importlib.util.module_from_spec(spec)
spec.loader.exec_module(backend)
options = backend._options(json.loads(sys.argv[2]))
print(options.graph_optimization_level.name, options.intra_op_num_threads)
"""


@pytest.mark.slow
@pytest.mark.serving
@pytest.mark.parametrize(
    ("config", "level", "threads"),
    [
        ({}, "ORT_ENABLE_ALL", 1),
        ({"optimization": {"graph": {"level": 0}}}, "ORT_ENABLE_ALL", 1),
        ({"optimization": {"graph": {"level": -1}}}, "ORT_ENABLE_BASIC", 1),
        ({"optimization": {"graph": {"level": 1}}}, "ORT_ENABLE_EXTENDED", 1),
        ({"optimization": {"graph": {"level": 2}}}, "ORT_DISABLE_ALL", 1),
        ({"parameters": {"intra_op_thread_count": {"string_value": "2"}}}, "ORT_ENABLE_ALL", 2),
    ],
)
def test_levels_and_threads(
    installed: ServingEnvironment, config: dict[str, object], level: str, threads: int
) -> None:
    command = [str(installed.python), "-I", "-c", ASK, str(BACKEND), json.dumps(config)]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert told.split() == [level, str(threads)]


@pytest.mark.serving
@pytest.mark.slow
def test_a_server_takes_the_level_as_it_is_written(start: StartServer, topics: Path) -> None:
    path = topics / "bert" / "config.pbtxt"
    path.write_text(path.read_text() + "optimization { graph { level: 1 } }\n")
    server = start(topics)
    server.wait_ready()
    with server.http() as http:
        config = http.get("/v2/models/bert/config").json()
    assert config["optimization"]["graph"]["level"] == 1
    assert not re.search(r"^E\d+ .*bert", server.log(), re.MULTILINE)


@pytest.mark.serving
@pytest.mark.slow
def test_a_configuration_is_completed_from_the_model(start: StartServer, tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    from tests.hotloop.engines.serving.onnx_cases import CASES

    wanted = ("onnx_alone", "onnx_folder_alone", "onnx_minimal_scalars", "onnx_reshape")
    names = [case.name for case in together(CASES, tmp_path) if case.name in wanted]
    assert sorted(names) == sorted(wanted)
    server = start(tmp_path, explicit=True, load=wanted)
    server.wait_ready()
    rows = np.array([[-1, 2, -3, 4], [5, -6, 7, -8]], np.float32)
    with Client(server) as client:
        for name in ("onnx_alone", "onnx_folder_alone"):
            config = client.get(f"/v2/models/{name}/config")
            assert config["max_batch_size"] == 4
            assert "dynamic_batching" in config
            assert np.array_equal(client.infer(name, {"X": rows})["Y"], rows.clip(0))
        largest = client.infer("onnx_minimal_scalars", {"X": rows})["Y"]
        assert np.array_equal(largest, [[4], [7]])
        column = rows[:, :1]
        assert np.array_equal(client.infer("onnx_reshape", {"X": column})["Y"], column.clip(0))
