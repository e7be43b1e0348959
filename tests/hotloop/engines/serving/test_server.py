"""Real servers: ready in time, reachable from outside, refused with a reason, fully ended."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from hotloop.core.verdict import Verdict
from hotloop.engines.serving import metrics, programs, repository, shm, trial
from hotloop.engines.serving.environment import ServingEnvironment
from hotloop.engines.serving.inference import Client, InferenceFailed, texts
from hotloop.engines.serving.options import Options
from hotloop.engines.serving.server import ServerFailed, TritonServer
from hotloop.sandbox import processes

pytestmark = [pytest.mark.serving, pytest.mark.slow]
StartServer = Callable[..., TritonServer]

GRPC = """
import numpy as np
import tritonclient.grpc as grpc
client = grpc.InferenceServerClient("127.0.0.1:8001")
text = grpc.InferInput("TEXT", [1, 1], "BYTES")
text.set_data_from_numpy(np.array([[b"by gRPC"]], object))
print(client.infer("echo", [text]).as_numpy("SAME"))
"""


def model(folder: Path, code: str, *, batch: int = 8) -> Path:
    """Write a repository with one Python model with these methods."""
    version = folder / "models" / "m" / "1"
    version.mkdir(parents=True)
    (version.parent / "config.pbtxt").write_text(
        f'backend: "python" max_batch_size: {batch} dynamic_batching {{ }}\n'
        'input [ { name: "TEXT" data_type: TYPE_STRING dims: [ 1 ] } ]\n'
        'output [ { name: "SAME" data_type: TYPE_STRING dims: [ 1 ] } ]\n'
        "instance_group [ { kind: KIND_CPU count: 1 } ]\n"
    )
    head = "import os, time, socket, signal\nimport triton_python_backend_utils as pb\n"
    same = (
        "def same(request):\n"
        '    text = pb.get_input_tensor_by_name(request, "TEXT").as_numpy()\n'
        '    return pb.InferenceResponse([pb.Tensor("SAME", text)])\n'
    )
    (version / "model.py").write_text(f"{head}{same}class TritonPythonModel:\n{code}")
    return folder / "models"


ANSWER = "    def execute(self, requests):\n        return [same(r) for r in requests]\n"


@pytest.mark.parametrize("isolation", ["bubblewrap", "none"])
def test_it_is_up_in_five_seconds_and_answers(start: StartServer, isolation: str) -> None:
    server = start(trial.REPOSITORY, isolation=isolation)
    assert server.wait_ready() < 5
    trial.ask(server)
    assert _counted(server) == 1
    assert metrics.batch_histogram(server.statistics("echo"), "echo") == {1: 1}


@pytest.mark.sandbox
def test_grpc_and_perf_analyzer_reach_a_confined_server(start: StartServer, tmp_path: Path) -> None:
    server = start(trial.REPOSITORY)
    server.wait_ready()
    script = tmp_path / "client.py"
    script.write_text(GRPC)
    assert programs.run(server, programs.python(server, script)).output.strip() == "[[b'by gRPC']]"
    data = tmp_path / "data.json"
    data.write_text(json.dumps({"data": [{"TEXT": {"content": ["x"], "shape": [1]}}]}))
    command = programs.perf_analyzer(
        server, "echo", "--input-data", str(data), "-p", "500", "-r", "3", "-s", "90"
    )
    said = programs.run(server, command).output
    assert re.search(r"Concurrency: 1, throughput: [1-9][\d.]* infer/sec", said), said


@pytest.mark.sandbox
def test_nobody_else_can_reach_a_confined_server(start: StartServer) -> None:
    server = start(trial.REPOSITORY)
    server.wait_ready()
    own = Path(f"/proc/{os.getpid()}/ns/net").readlink()
    assert Path(f"/proc/{server.process.pid}/ns/net").readlink() != own
    found = [path.name for path in Path("/dev/shm").iterdir()]
    assert not [name for name in found if server.tag in name], "its shared memory is its own"
    listening = Path("/proc/self/net/tcp").read_text()
    inside = Path(f"/proc/{server.process.pid}/net/tcp").read_text()
    assert f":{server.ports.http:04X} 00000000:0000 0A" in inside
    with pytest.raises(ConnectionRefusedError):
        server.connect(9)
    assert listening != inside


@pytest.mark.sandbox
def test_a_model_sees_nothing_of_the_judge(start: StartServer, tmp_path: Path) -> None:
    look = (
        "    def initialize(self, args):\n"
        "        print('SEEN', os.path.exists('/opt/hotloop/hotloop/judge'),"
        ""
        " os.path.exists('/opt/hotloop/hotloop/engines/serving'),"
        " os.listdir('/submission'), flush=True)\n"
        "        try:\n"
        "            socket.create_connection(('1.1.1.1', 53), 1)\n"
        "        except OSError as error:\n"
        "            print('NETWORK', error.errno, flush=True)\n" + ANSWER
    )
    server = start(model(tmp_path, look))
    server.wait_ready()
    assert "SEEN False False ['m']" in server.log()
    assert "NETWORK 101" in server.log(), "the network is unreachable"


def test_a_repository_is_served_as_the_static_check_says(start: StartServer, topics: Path) -> None:
    assert repository.check(topics) == []
    server = start(topics)
    server.wait_ready()
    sentences = ["Return a randomly chosen element of a sequence.", "Close the socket."]
    with Client(server) as client:
        got = client.infer("topics", {"TEXT": texts(sentences)})
        assert got["TOPIC"].shape == got["CONFIDENCE"].shape == (2, 1)
        assert got["TOPIC"][0, 0] == b"numbers"
        for row, sentence in enumerate(sentences):
            alone = client.infer("topics", {"TEXT": texts([sentence])})
            assert alone["TOPIC"][0, 0] == got["TOPIC"][row, 0]
            np.testing.assert_allclose(alone["CONFIDENCE"][0], got["CONFIDENCE"][row], atol=1e-5)
        with pytest.raises(InferenceFailed, match="batch-size must be <= 16"):
            client.infer("topics", {"TEXT": texts(["x"] * 17)})
        with pytest.raises(InferenceFailed, match="unknown model") as failed:
            client.infer("nobody", {"TEXT": texts(["x"])})
        assert failed.value.status in {400, 404}


WRONG = {
    "unknown field": ("bert", "max_batch_size", "max_batchsize"),
    "batch dimension twice": ("bert", "dims: [ 32 ]", "dims: [ -1, 32 ]"),
    "type": ("bert", "TYPE_INT64", "TYPE_INT32"),
    "name": ("bert", '"input_ids"', '"ids"'),
    "broken wiring": ("topics", 'value: "mask"', 'value: "masks"'),
    "type in the ensemble": ("topics", "TYPE_FP32", "TYPE_FP64"),
    "unknown model": ("topics", 'model_name: "bert"', 'model_name: "bret"'),
    "larger batches": ("topics", "max_batch_size: 16", "max_batch_size: 32"),
    "no backend": ("bert", '"onnxruntime"', '"onnx"'),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_the_static_check_refuses_the_server_refuses(
    start: StartServer, topics: Path, what: str
) -> None:
    name, old, new = WRONG[what]
    path = topics / name / "config.pbtxt"
    path.write_text(path.read_text().replace(old, new, 1))
    assert repository.check(topics)
    server = start(topics)
    with pytest.raises(ServerFailed) as failed:
        server.wait_ready()
    assert len(str(failed.value)) > 20
    assert "not ready within" not in str(failed.value)


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("    def initialize(self, args):\n        raise ValueError('no vocabulary')\n" + ANSWER,
         "no vocabulary"),
        ("    def initialize(self, args)\n", "SyntaxError"),
        ("    def initialize(self, args):\n        os._exit(1)\n" + ANSWER, "m"),
    ],
)  # fmt: skip
def test_a_model_that_does_not_start_is_told(
    start: StartServer, tmp_path: Path, code: str, says: str
) -> None:
    server = start(model(tmp_path, code))
    with pytest.raises(ServerFailed, match=says):
        server.wait_ready()
    assert server.process.wait(10) is not None


def test_one_that_hangs_at_its_start_runs_into_the_limit(
    start: StartServer, tmp_path: Path
) -> None:
    code = "    def initialize(self, args):\n        time.sleep(600)\n" + ANSWER
    server = start(model(tmp_path, code), ready_s=4.0)
    began = time.monotonic()
    with pytest.raises(ServerFailed, match="not ready within 4 s"):
        server.wait_ready()
    assert time.monotonic() - began < 6


def ask(server: TritonServer, timeout_s: float = 5.0) -> object:
    with Client(server, timeout_s) as client:
        return client.infer("m", {"TEXT": texts(["x"])})["SAME"].tolist()


def test_a_model_that_hangs_costs_its_request_and_not_the_next_server(
    start: StartServer, tmp_path: Path
) -> None:
    code = "    def execute(self, requests):\n        time.sleep(600)\n"
    server = start(model(tmp_path, code))
    server.wait_ready()
    with pytest.raises(OSError, match="timed out"):
        ask(server, 1.0)
    server.stop()
    after = start(trial.REPOSITORY)
    after.wait_ready()
    trial.ask(after)


def test_one_that_prints_forever_is_ended(start: StartServer, tmp_path: Path) -> None:
    code = "    def execute(self, requests):\n        while True: print('x' * 1000, flush=True)\n"
    server = start(model(tmp_path, code), log_bytes=1 << 20)
    server.wait_ready()
    with pytest.raises((OSError, ValueError)):
        ask(server)
    assert server.process.wait(10) is not None
    assert server.death is Verdict.OUTPUT_LIMIT
    assert len(server.log()) <= 1 << 20


def test_one_that_takes_all_memory_is_ended(start: StartServer, tmp_path: Path) -> None:
    code = (
        "    def execute(self, requests):\n"
        "        self.kept = []\n"
        "        while True: self.kept.append(bytearray(os.urandom(1 << 20) * 16))\n"
    )
    server = start(model(tmp_path, code), memory_bytes=1 << 30)
    server.wait_ready()
    with pytest.raises((OSError, ValueError, InferenceFailed)):
        ask(server, 60.0)
    server.process.wait(10)
    assert server.death is Verdict.MEMORY_LIMIT


def test_one_that_kills_the_server_is_seen(start: StartServer, tmp_path: Path) -> None:
    code = "    def execute(self, requests):\n        os.kill(os.getppid(), signal.SIGKILL)\n"
    server = start(model(tmp_path, code))
    server.wait_ready()
    with pytest.raises((OSError, ValueError)):
        ask(server)
    assert server.process.wait(10) is not None
    assert not server.alive
    assert server.death is None
    assert not server.ready()


def test_one_that_crashes_fails_all_later_requests_of_a_server_that_says_it_is_ready(
    start: StartServer, tmp_path: Path
) -> None:
    """The server does not restart a stub: only requests show that the model is gone."""
    code = (
        "    count = 0\n"
        "    def execute(self, requests):\n"
        "        self.count += 1\n"
        "        if self.count == 3: os._exit(1)\n"
        "        return [same(r) for r in requests]\n"
    )
    server = start(model(tmp_path, code))
    server.wait_ready()
    told: list[bool] = []
    for _ in range(5):
        try:
            told.append(ask(server, 10.0) == [[b"x"]])
        except InferenceFailed as failed:
            told.append("is not healthy" not in str(failed))
    assert told == [True, True, False, False, False]
    assert server.alive
    assert server.ready()


def test_errors_are_per_request_and_other_rows_are_answered(
    start: StartServer, tmp_path: Path
) -> None:
    code = (
        "    def execute(self, requests):\n"
        "        time.sleep(0.2)\n"
        "        return [self.one(r) for r in requests]\n"
        "    def one(self, request):\n"
        '        text = pb.get_input_tensor_by_name(request, "TEXT").as_numpy()\n'
        "        if text[0, 0] == b'bad':\n"
        "            return pb.InferenceResponse([], pb.TritonError('an unreadable text'))\n"
        "        return same(request)\n"
    )
    server = start(model(tmp_path, code))
    server.wait_ready()
    got: dict[str, object] = {}

    def send(text: str) -> None:
        with Client(server) as client:
            try:
                got[text] = client.infer("m", {"TEXT": texts([text])})["SAME"].tolist()
            except InferenceFailed as failed:
                got[text] = str(failed)

    threads = [threading.Thread(target=send, args=(text,)) for text in ("first", "bad", "good")]
    for thread in threads:
        thread.start()
        time.sleep(0.02)
    for thread in threads:
        thread.join()
    assert got["first"] == [[b"first"]]
    assert got["good"] == [[b"good"]]
    assert "an unreadable text" in str(got["bad"])
    sizes = metrics.batch_histogram(server.statistics("m"), "m")
    assert max(sizes) >= 2, "they were batched"


def test_models_are_loaded_and_unloaded_by_request(start: StartServer, topics: Path) -> None:
    server = start(topics, explicit=True, load=("bert",))
    server.wait_ready()
    with Client(server) as client:
        assert client.get("/v2/models/bert")["versions"] == ["1"]
        with pytest.raises(InferenceFailed):
            client.get("/v2/models/topics/ready")
        client.load("topics")
        assert client.infer("topics", {"TEXT": texts(["Open the file."])})["TOPIC"].shape == (1, 1)
        client.unload("topics")
        with pytest.raises(InferenceFailed):
            client.infer("topics", {"TEXT": texts(["Open the file."])})


def test_the_response_cache_can_be_had(start: StartServer, topics: Path) -> None:
    with (topics / "bert" / "config.pbtxt").open("a") as stream:
        stream.write("response_cache { enable: true }\n")
    server = start(topics, cache_bytes=1 << 20)
    server.wait_ready()
    ids = np.ones((1, 32), np.int64)
    with Client(server) as client:
        for _ in range(3):
            client.infer("bert", {"input_ids": ids, "attention_mask": ids})
    assert _counted(server, "nv_cache_num_hits_per_model", "bert", least=2) == 2


def test_rows_of_a_shared_run_go_back_to_their_own_requests(
    start: StartServer, topics: Path
) -> None:
    """The onnxruntime backend merges requests into one run; each gets its own rows."""
    path = topics / "bert" / "config.pbtxt"
    late = "dynamic_batching { max_queue_delay_microseconds: 100000 }"
    path.write_text(path.read_text().replace("dynamic_batching { }", late))
    server = start(topics)
    server.wait_ready()
    random = np.random.default_rng(0)
    feeds = [
        {
            "input_ids": random.integers(5, 2000, (rows, 32)),
            "attention_mask": np.ones((rows, 32), np.int64),
        }
        for rows in (1, 2, 3, 1, 4, 1)
    ]
    alone: list[object] = []
    together: list[object] = [None] * len(feeds)
    with Client(server) as client:
        alone = [client.infer("bert", feed)["logits"] for feed in feeds]
    before = metrics.batch_histogram(server.statistics("bert"), "bert")

    def send(index: int) -> None:
        with Client(server) as client:
            together[index] = client.infer("bert", feeds[index])["logits"]

    threads = [threading.Thread(target=send, args=(index,)) for index in range(len(feeds))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for mine, shared in zip(alone, together, strict=True):
        np.testing.assert_allclose(np.asarray(shared), np.asarray(mine), atol=1e-4)
    after = metrics.batch_histogram(server.statistics("bert"), "bert")
    assert max(metrics.fewer(after, before)) > 4, "they shared a run"


@pytest.mark.slow
def test_a_gpu_that_is_not_there_is_told(start: StartServer, topics: Path) -> None:
    path = topics / "bert" / "config.pbtxt"
    path.write_text(path.read_text().replace("KIND_CPU", "KIND_GPU"))
    server = start(topics)
    with pytest.raises(ServerFailed, match="GPU"):
        server.wait_ready()


def test_an_ensemble_without_a_version_is_not_served(start: StartServer, topics: Path) -> None:
    (topics / "topics" / "1" / "README").unlink()
    (topics / "topics" / "1").rmdir()
    assert repository.check(topics)
    server = start(topics)
    with pytest.raises(ServerFailed, match="topics"):
        server.wait_ready()


def test_the_count_of_leaks_sees_what_is_there(
    start: StartServer, load_file: Callable[[Path], ModuleType]
) -> None:
    leaks = load_file(Path(__file__).parents[3] / "benchmarks" / "serving_leaks.py")
    before = leaks.remains()
    server = start(trial.REPOSITORY, isolation="none")
    server.wait_ready()
    during = leaks.remains()
    new = {kind: len(set(during[kind]) - set(before[kind])) for kind in during}
    assert new["processes"] == 2
    assert new["ports"] == 3
    assert new["shared memory"] >= 1
    server.stop()
    after = leaks.remains()
    assert {kind for kind in after if set(after[kind]) - set(before[kind])} == set()


@pytest.mark.parametrize("isolation", ["bubblewrap", "none"])
def test_after_stop_nothing_is_left(start: StartServer, isolation: str) -> None:
    server = start(trial.REPOSITORY, isolation=isolation)
    server.wait_ready()
    pids = processes.tree(server.process.pid)
    assert len(pids) >= 2
    server.stop()
    server.stop()
    assert [pid for pid in pids if _running(pid)] == []
    assert [name for name in shm.regions() if name.startswith(server.tag)] == []
    with pytest.raises(OSError):  # noqa: PT011 - refused, or closed
        server.connect(server.ports.http)


def test_a_killed_server_s_shared_memory_is_removed(start: StartServer) -> None:
    server = start(trial.REPOSITORY, isolation="none")
    server.wait_ready()
    assert [name for name in shm.regions() if name.startswith(server.tag)]
    os.kill(server.process.pid, signal.SIGKILL)
    assert server.process.wait(10) is not None
    server.stop()
    assert [name for name in shm.regions() if name.startswith(server.tag)] == []


OWNER = """
import sys, time
from hotloop.engines.serving import preflight, trial
from hotloop.engines.serving.options import Options
from hotloop.engines.serving.server import TritonServer
server = TritonServer(trial.REPOSITORY, preflight.require(), Options(isolation=sys.argv[1]))
server.wait_ready()
print(server.tag, server.process.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.slow
@pytest.mark.parametrize("isolation", ["bubblewrap", "none"])
def test_a_killed_owner_s_server_ends(installed: ServingEnvironment, isolation: str) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, isolation], stdout=subprocess.PIPE, text=True
    )
    assert owner.stdout is not None
    tag, pid = owner.stdout.readline().split()
    pids = [p for p in processes.tree(int(pid)) if p != owner.pid]
    assert len(pids) >= 2
    owner.kill()
    owner.wait()
    owner.stdout.close()
    deadline = time.monotonic() + 10
    while any(_running(pid) for pid in pids) and time.monotonic() < deadline:
        shm.sweep()
        time.sleep(0.05)
    assert not [pid for pid in pids if _running(pid)]
    shm.sweep()
    assert not [name for name in shm.regions() if name.startswith(tag)]


def _running(pid: int) -> bool:
    found = processes.stat(pid)
    return found is not None and found.state != "Z"


def test_two_servers_at_once_do_not_meet(start: StartServer) -> None:
    servers = [start(trial.REPOSITORY, isolation=kind) for kind in ("bubblewrap", "none") * 2]
    for server in servers:
        server.wait_ready()
        trial.ask(server)
    for server in servers:
        assert _counted(server) == 1


def _counted(
    server: TritonServer, name: str = "nv_inference_count", model: str = "echo", least: float = 1
) -> float:
    """Return the server's own count, which is updated after the answer was sent."""
    for _ in range(50):
        counted = metrics.value(server.metrics(), name, model=model)
        if counted >= least:
            return counted
        time.sleep(0.1)
    return 0.0


def test_a_port_that_is_taken_is_told(
    installed: ServingEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hotloop.engines.serving import ports

    with socket.socket() as taken:
        taken.bind((ports.HOST, 0))
        taken.listen()
        free = ports.free()
        clash = ports.Ports(taken.getsockname()[1], free.grpc, free.metrics)
        assert not ports.all_free(clash)
        monkeypatch.setattr(ports, "free", lambda: clash)
        server = TritonServer(trial.REPOSITORY, installed, Options(isolation="none"))
        with server, pytest.raises(ServerFailed, match="failed to start HTTP"):
            server.wait_ready()
