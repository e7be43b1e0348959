"""A portal as the command serves it, with a team's folder of its own."""

import runpy
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

SMALL_WHEEL = Path(__file__).parents[1] / "hotloop" / "takehome" / "small_wheel.py"
NAME, PASSWORD = "anna", "correct horse battery"
ROLE = """\
format: 1
role: gpu_engineer
title: GPU engineer, inference
module: fused_softmax
tasks:
  - {task: online_pass, weight: 2}
  - {task: explain, weight: 1}
window_hours: 72
contact: hiring@example.org
privacy_notice: >-
  Example Inc. is responsible for your data, keeps them to decide about your application, and
  deletes them after the time that the instructions name.
expires: 14
"""


@contextmanager
def portal_server(folder: Path) -> Iterator[int]:
    """The port that it listens on; the team's folder is made in `folder`."""
    team = folder / "team"
    run = [sys.executable, "-m", "hotloop.cli", "takehome"]
    init = [*run, "init", str(team), "--module", "fused_softmax", "--role", "gpu_engineer"]
    init += ["--company", "Example Inc.", "--contact", "hiring@example.org"]
    subprocess.run(init, check=True, capture_output=True)
    wheel = runpy.run_path(str(SMALL_WHEEL))["small_wheel"](team)
    role = team / "roles" / "gpu_engineer" / "takehome.yaml"
    role.write_text(f"{ROLE}wheel: {wheel.name}\n")
    account = [*run, "account", NAME, "--team", str(team)]
    subprocess.run(account, check=True, input=PASSWORD, text=True, capture_output=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    serve = [*run, "serve", "--team", str(team), "--port", str(port), "--jobs", "1"]
    process = subprocess.Popen(serve)
    try:
        _until_it_answers(address, process)
        yield port
    finally:
        process.terminate()
        process.wait(60)


def _until_it_answers(address: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        assert process.poll() is None, "the portal ended by itself"
        try:
            with urlopen(f"{address}/health"):
                return
        except URLError:
            time.sleep(0.1)
    raise AssertionError("the portal does not answer")
