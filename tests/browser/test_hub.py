"""Two learners of a JupyterHub check with the judging service, and neither has an invitation."""

from __future__ import annotations

import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
import pytest
from needs import WINDOW

from hotloop import __version__
from hotloop.learn.remote.client import ServiceClient
from hotloop.learn.remote.request import RemoteRequest, packed
from hotloop.tasks import render

if TYPE_CHECKING:
    from lab_window import LabWindow

pytestmark = WINDOW

HUB = Path("build/hub")
"""An environment with JupyterHub, JupyterLab and Hotloop's client, and the hub's proxy."""
MODULE = "ssa_passes"
PYTHON = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
LONG = ["fold", "dead_code", "simplify", "dominance", "to_ssa", "leave_ssa", "hoist", "fuse"]
WAITS = re.compile(r"waiting for a free process: \d of \d")
CONFIG = """
load_subconfig({own!r})
c.JupyterHub.bind_url = "http://127.0.0.1:{port}"
c.JupyterHub.hub_port = {hub}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{proxy}"
c.JupyterHub.authenticator_class = "dummy"
c.DummyAuthenticator.password = {password!r}
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = {homes!r} + "/{{username}}"
c.Spawner.args = ["--allow-root"]
c.Spawner.start_timeout = c.Spawner.http_timeout = 180
c.Spawner.environment = {{"XDG_CONFIG_HOME": "", "XDG_DATA_HOME": ""}}
"""


@dataclass(frozen=True)
class Hub:
    """Where the hub is, and the service that it is for."""

    address: str
    password: str
    service: str
    folder: Path

    def url(self, path: str) -> str:
        return f"{self.address}/{path}"


@pytest.fixture
def hub(clone: Path, tmp_path: Path) -> Iterator[Hub]:
    """A hub with two homes, each with a solved exercise, and a service with one process."""
    from needs import require

    require(("chromium", "chromedriver", "bwrap"), ("selenium", "fastapi"))
    if not (clone / HUB / "bin/jupyterhub").exists():
        pytest.skip("JupyterHub is not installed: make build/hub/.done")
    install(clone, tmp_path / "dist")
    for name in ("ada", "bob"):
        for file, content in render.submission(MODULE).items():
            path = tmp_path / "homes" / name / MODULE / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        cell = nbformat.v4.new_code_cell(f'from hotloop import check\ncheck("{MODULE}.fold")')
        notebook = nbformat.v4.new_notebook(cells=[cell], metadata=PYTHON)
        nbformat.write(notebook, tmp_path / "homes" / name / MODULE / "lab.ipynb")
    judge, port, inner, proxy = (free_port() for _ in range(4))
    service, folder, password = f"http://127.0.0.1:{judge}", tmp_path / "service", "right"
    (tmp_path / "jupyterhub_config.py").write_text(
        CONFIG.format(
            own=str(clone / "site/pages/assets/hotloop_hub.py"),
            port=port,
            hub=inner,
            proxy=proxy,
            password=password,
            homes=str(tmp_path / "homes"),
        )
    )
    bin_, chp = clone / HUB / "bin", clone / HUB / "node_modules/.bin"
    environment = {
        **os.environ,
        "PATH": f"{bin_}:{chp}:{os.environ['PATH']}",
        "HOTLOOP_SERVE_URL": service,
        "HOTLOOP_SERVE_FOLDER": str(folder),
        "HOTLOOP_SERVE_COMMAND": str(Path(sys.executable).with_name("hotloop")),
        "CONFIGPROXY_AUTH_TOKEN": secrets.token_hex(16),
    }
    words = [
        "course",
        "serve",
        "--folder",
        str(folder),
        "--port",
        str(judge),
        "--jobs",
        "1",
        "--gpus",
        "0",
    ]
    with ExitStack() as running:
        log = running.enter_context((tmp_path / "log").open("wb"))
        running.enter_context(process([sys.executable, "-m", "hotloop.cli", *words], tmp_path, log))
        until_up(f"{service}/openapi.json")
        command = [str(bin_ / "jupyterhub"), "-f", str(tmp_path / "jupyterhub_config.py")]
        running.enter_context(process(command, tmp_path, log, environment))
        until_up(f"http://127.0.0.1:{port}/hub/health")
        yield Hub(f"http://127.0.0.1:{port}", password, service, folder)


def test_two_learners_of_a_hub(hub: Hub, clone: Path) -> None:
    from lab_window import LabWindow

    with ExitStack() as windows:
        names = ("ada", "bob")
        ada, bob = (LabWindow(hub, clone / "build/browser/hub" / name) for name in names)  # type: ignore[arg-type]
        for window, name in zip((ada, bob), names, strict=True):
            windows.callback(window.close)
            sign_in(window, name, hub.password)
        busy(hub)
        for window in (ada, bob):
            check(window)
        # One process judges: both wait, and are told behind how many.
        for window in (ada, bob):
            window.until(lambda window=window: WAITS.search(shown(window)), "the position", 60)
            window.picture("waiting")
        for window in (ada, bob):
            window.until(lambda window=window: "10 of 10" in shown(window), "a verdict", 240)
            window.picture("verdict")


def sign_in(window: LabWindow, name: str, password: str) -> None:
    window.open(f"hub/user-redirect/lab/tree/{MODULE}/lab.ipynb")
    window.one("#username_input").send_keys(name)
    window.one("#password_input").send_keys(password)
    window.click("#login_submit")
    window.until(lambda: window.all(".jp-NotebookPanel .jp-Cell"), "the notebook", 240)
    window.picture("notebook")


def check(window: LabWindow) -> None:
    window.click(".jp-NotebookPanel .jp-Cell .jp-InputArea-editor")
    window.run_cell()


def shown(window: LabWindow) -> str:
    return " ".join(e.text for e in window.all(".jp-OutputArea"))


def busy(hub: Hub) -> None:
    """Somebody else's check, which takes long, so that there is a queue."""
    invite = ["course", "invite", "carol", "--folder", str(hub.folder), "--url", hub.service]
    command = [sys.executable, "-m", "hotloop.cli", *invite]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    login = ServiceClient(hub.service).log_in(said.split()[-1].rpartition("/")[2])
    files = packed(render.submission(MODULE))
    asked = RemoteRequest(hotloop=__version__, module=MODULE, tasks=LONG, files=files)
    ServiceClient(hub.service, login.token).put(asked, secrets.token_hex(16), lambda _text: None)


def install(clone: Path, dist: Path) -> None:
    """Hotloop of this tree, in the learners' environment."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(dist)]
    subprocess.run(build, check=True, cwd=clone, capture_output=True)
    (wheel,) = dist.glob("*.whl")
    pip = [str(clone / HUB / "bin/python"), "-m", "pip", "install", "--quiet", "--no-deps"]
    subprocess.run([*pip, "--force-reinstall", str(wheel)], check=True, capture_output=True)


@contextmanager
def process(
    command: list[str], folder: Path, log: object, environment: dict[str, str] | None = None
) -> Iterator[None]:
    """With everything that it starts."""
    started = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=log,  # type: ignore[arg-type]
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        yield
    finally:
        started.send_signal(signal.SIGINT)
        try:
            started.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            started.wait()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def until_up(url: str) -> None:
    deadline = time.monotonic() + 120
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            assert time.monotonic() < deadline, f"nothing answers at {url}"
            time.sleep(0.3)
