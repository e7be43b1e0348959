"""The commands for docker or podman; a program that stands in for them records them."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.engines.serving import container, trial
from hotloop.engines.serving.options import Options
from hotloop.engines.serving.server import ServerFailed
from hotloop.engines.serving.unavailable import ServingUnavailable

ENGINE = '''#!{python}
"""Writes down what it is asked; as `run`, answers at the published ports until it is removed."""
import http.server, json, os, signal, sys, threading
from pathlib import Path

here = Path(__file__).parent
command, words = sys.argv[1], sys.argv[2:]
with (here / "asked").open("a") as asked:
    asked.write(json.dumps([command, *words]) + "\\n")


class Ready(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *words):
        print("asked for", self.path, flush=True)


if command == "build":
    (here / "Dockerfile").write_text((Path(words[-1]) / "Dockerfile").read_text())
    print({says!r})
    sys.exit({status})
if command == "rm":
    os.kill(int((here / "pid").read_text()), signal.SIGTERM)
if command == "run":
    (here / "pid").write_text(str(os.getpid()))
    print("loading", flush=True)
    if {dies}:
        print("E1121 19:00:00.0 1 main.cc:9] \\"no such model\\"")
        sys.exit(1)
    published = [w.split(":") for w in words if w.startswith("--publish=")]
    for _, ours, _theirs in published:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", int(ours)), Ready)
        threading.Thread(target=server.serve_forever, daemon=True).start()
    signal.pause()
'''
MakeEngine = Callable[..., Path]


@pytest.fixture
def make_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeEngine:
    """Returns a function that puts one container engine on PATH, and no other."""

    def make(name: str = "docker", says: str = "", status: int = 0, dies: bool = False) -> Path:
        folder = tmp_path / "engine"
        folder.mkdir(exist_ok=True)
        program = folder / name
        program.write_text(
            ENGINE.format(python=sys.executable, says=says, status=status, dies=dies)
        )
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(folder))
        return program

    return make


def asked(program: Path) -> list[list[str]]:
    lines = (program.parent / "asked").read_text().splitlines()
    return [json.loads(line) for line in lines]


def test_docker_is_taken_before_podman(make_engine: MakeEngine) -> None:
    podman = make_engine("podman")
    assert container.engine() == podman
    assert container.engine() != make_engine("docker") == container.engine()


def test_without_an_engine_it_is_said_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ServingUnavailable) as raised:
        container.engine()
    assert "docker or podman" in str(raised.value)
    assert raised.value.remedy == "install one, or serve without --container"


def test_an_engine_that_does_not_build_is_quoted(make_engine: MakeEngine) -> None:
    program = make_engine(says="Cannot connect to the daemon", status=1)
    with pytest.raises(ServingUnavailable, match=r"Cannot connect to the daemon.*docker info"):
        container.build(program)


def test_the_image_is_nvidias_with_the_environments_tokenizers(make_engine: MakeEngine) -> None:
    program, told = make_engine(says="step 1"), list[str]()
    container.build(program, told.append)
    assert "step 1" in told
    [[command, *words]] = asked(program)
    assert (command, words[:2]) == ("build", ["--tag", "hotloop-tritonserver:24.10"])
    built = (program.parent / "Dockerfile").read_text()
    assert built.startswith("FROM nvcr.io/nvidia/tritonserver:24.10-py3\n")
    requirements = Path(container.__file__).with_name("requirements.txt").read_text()
    assert built.split()[-1] in requirements.splitlines()


@pytest.mark.slow
def test_a_container_is_watched_and_removed(make_engine: MakeEngine) -> None:
    program = make_engine()
    options = Options(isolation="none", cache_bytes=1 << 20, explicit=True, ready_s=20)
    with container.Container(trial.REPOSITORY, program, options) as running:
        assert running.wait_ready() < 20
        assert running.alive
        where = f"http://127.0.0.1:{running.ports.http}/v2/health/ready"
        with urllib.request.urlopen(where) as answer:
            assert answer.status == 200
    assert not running.alive
    assert running.log().startswith("loading\n")
    [run, remove] = asked(program)
    before, after = run[: run.index(container.IMAGE)], run[run.index(container.IMAGE) + 1 :]
    assert before[:2] == ["run", "--rm"]
    for ours, inside in zip(
        (running.ports.http, running.ports.grpc, running.ports.metrics),
        (8000, 8001, 8002),
        strict=True,
    ):
        assert f"--publish=127.0.0.1:{ours}:{inside}" in before
    assert f"--mount=type=bind,source={trial.REPOSITORY},target=/models,readonly" in before
    assert after == [
        "tritonserver",
        "--model-repository=/models",
        "--cache-config=local,size=1048576",
        "--model-control-mode=explicit",
    ]
    [name] = [word.removeprefix("--name=") for word in run if word.startswith("--name=")]
    assert remove == ["rm", "--force", name]


@pytest.mark.slow
def test_a_container_that_ends_says_why(make_engine: MakeEngine) -> None:
    program = make_engine(dies=True)
    with (
        container.Container(trial.REPOSITORY, program, Options(ready_s=20)) as running,
        pytest.raises(ServerFailed, match="no such model"),
    ):
        running.wait_ready()


@pytest.mark.slow
def test_the_command_serves_in_a_container_and_answers_once(make_engine: MakeEngine) -> None:
    program = make_engine()
    log = program.parent / "server.log"
    told = subprocess.run(
        [
            *(sys.executable, "-m", "hotloop.cli", "serving", str(trial.REPOSITORY)),
            *("--container", "--seconds", "0.5", "--log", str(log), "--json"),
        ],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": str(program.parent)},
    )
    assert told.returncode == 0, told.stderr
    assert json.loads(told.stdout)["ready_s"] > 0
    assert "loading\n" in told.stderr
    assert log.read_text().startswith("loading\n")
    assert [words[0] for words in asked(program)] == ["build", "run", "rm"]


@pytest.mark.slow
def test_a_server_that_ends_while_it_is_served_is_an_error(make_engine: MakeEngine) -> None:
    program = make_engine()
    running = subprocess.Popen(
        [
            *(sys.executable, "-m", "hotloop.cli", "serving", str(trial.REPOSITORY)),
            *("--container", "--seconds", "60", "--json"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PATH": str(program.parent)},
    )
    assert running.stderr is not None
    assert any(line.startswith("Ctrl-C") for line in running.stderr)
    os.kill(int((program.parent / "pid").read_text()), signal.SIGTERM)
    said, _ = running.communicate(timeout=30)
    assert running.returncode == 2
    assert json.loads(said) == {"error": "The server ended by itself; its log says why."}
