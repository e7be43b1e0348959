"""`hotloop serving` and its installation, as used by people and by programs."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from hotloop.engines.serving import shm, trial
from hotloop.engines.serving.environment import ServingEnvironment


def hotloop(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "hotloop.cli", *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.mark.slow
def test_a_sound_repository_is_0_and_a_wrong_one_1(topics: Path) -> None:
    pytest.importorskip("google.protobuf", reason="protobuf: pip install 'hotloop[serving]'")
    assert hotloop("serving", str(topics), "--check").returncode == 0
    path = topics / "bert" / "config.pbtxt"
    path.write_text(path.read_text().replace("max_batch_size", "max_batchsize"))
    told = hotloop("serving", str(topics), "--check")
    assert told.returncode == 1
    assert told.stdout.startswith("bert/config.pbtxt:3:1: unknown field 'max_batchsize'")
    document = json.loads(hotloop("serving", str(topics), "--check", "--json").stdout)
    [problem] = document["problems"]
    assert (problem["file"], problem["line"], problem["column"]) == ("bert/config.pbtxt", 3, 1)


@pytest.mark.slow
def test_without_the_environment_the_command_that_makes_it_is_named(elsewhere: Path) -> None:
    told = hotloop("serving", str(trial.REPOSITORY), "--json", HOTLOOP_SERVING=str(elsewhere))
    assert told.returncode == 2
    assert json.loads(told.stdout)["error"].endswith("hotloop doctor --install tritonserver")
    assert "Traceback" not in told.stderr


@pytest.mark.slow
def test_a_log_that_cannot_be_written_is_said_before_anything_starts(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "missing" / "server.log")
    told = hotloop("serving", str(trial.REPOSITORY), "--log", nowhere, "--json")
    assert told.returncode == 2
    assert nowhere in json.loads(told.stdout)["error"]


@pytest.mark.serving
@pytest.mark.slow
def test_install_looks_and_tries(installed: ServingEnvironment) -> None:
    told = hotloop("doctor", "--install", "tritonserver", "--json")
    document = json.loads(told.stdout)
    assert told.returncode == 0, document
    assert document["environment"] == str(installed.root)
    assert document["trial"]["failure"] == ""
    assert 0 < document["trial"]["ready_s"] < 5
    assert {f["name"] for f in document["findings"] if f["needed"] and not f["fine"]} == set()


@pytest.mark.serving
@pytest.mark.slow
def test_run_serves_on_loopback_until_it_is_interrupted(
    installed: ServingEnvironment, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "hotloop.cli", "serving", str(trial.REPOSITORY)]
    path = tmp_path / "server.log"
    running = subprocess.Popen(
        [*command, "--log", str(path), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stderr is not None
    told: list[str] = []
    for line in running.stderr:
        told.append(line)
        if line.startswith("ready after"):
            break
    assert any("loading: echo:1" in line for line in told), "the log is told while models load"
    line = told[-1]
    address = line.split("http ")[1].split(",")[0]
    with urllib.request.urlopen(f"http://{address}/v2/models/echo") as answer:
        assert json.load(answer)["name"] == "echo"
    running.send_signal(signal.SIGINT)
    said, _ = running.communicate(timeout=60)
    assert json.loads(said)["http"] == address
    assert running.returncode == 0
    assert not [name for name in shm.regions() if f"-{running.pid}-" in name]
    assert "loading: echo:1" in path.read_text()


@pytest.mark.serving
@pytest.mark.slow
def test_run_tells_why_a_model_does_not_load(installed: ServingEnvironment, topics: Path) -> None:
    (topics / "preprocess" / "1" / "tokenizer.json").unlink()
    told = hotloop("serving", str(topics), "--json")
    assert told.returncode == 2
    error = json.loads(told.stdout)["error"]
    assert "preprocess" in error
    assert "No such file" in error
