"""`hotloop lab` as a process, with Jupyter's settings and signatures in a folder of its own."""

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_STARTS_S = 90.0
_QUIET = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}
"""No question whether news may be fetched, which would lie over the page."""


@dataclass(frozen=True)
class Address:
    """Where the server listens."""

    port: int
    token: str

    def url(self, path: str) -> str:
        separator = "&" if "?" in path else "?"
        return f"http://127.0.0.1:{self.port}/{path}{separator}token={self.token}"


@contextmanager
def lab_server(folder: Path, own: Path) -> Iterator[Address]:
    """JupyterLab in `folder`, until the block ends."""
    (own / "config" / "labconfig").mkdir(parents=True)
    (own / "config" / "labconfig" / "page_config.json").write_text(json.dumps(_QUIET))
    address = Address(_free_port(), secrets.token_hex(16))
    options = [
        "--no-browser",
        "--allow-root",
        f"--ServerApp.port={address.port}",
        "--ServerApp.port_retries=0",
        f"--IdentityProvider.token={address.token}",
    ]
    command = [sys.executable, "-m", "hotloop.cli", "lab", str(folder), "--", *options]
    environment = {
        **os.environ,
        "JUPYTER_CONFIG_DIR": str(own / "config"),
        "JUPYTER_DATA_DIR": str(own / "data"),
        "JUPYTER_RUNTIME_DIR": str(own / "runtime"),
    }
    log = own / "server.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, stdout=out, stderr=subprocess.STDOUT, env=environment, start_new_session=True
        )
    try:
        _wait_until_up(address, process, log)
        yield address
    finally:
        _shut_down(address, process)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _wait_until_up(address: Address, process: subprocess.Popen[bytes], log: Path) -> None:
    given_up = time.monotonic() + _STARTS_S
    while process.poll() is None and time.monotonic() < given_up:
        try:
            with urllib.request.urlopen(address.url("api/status"), timeout=5):
                return
        except (urllib.error.URLError, TimeoutError):
            time.sleep(0.3)
    raise RuntimeError(f"JupyterLab did not come up:\n{log.read_text()[-3000:]}")


def _shut_down(address: Address, process: subprocess.Popen[bytes]) -> None:
    """By its own interface, so that it ends its kernels too."""
    request = urllib.request.Request(address.url("api/shutdown"), method="POST")
    try:
        urllib.request.urlopen(request, timeout=10).close()
        process.wait(20)
    except (urllib.error.URLError, OSError, subprocess.TimeoutExpired):
        os.killpg(process.pid, 9)
        process.wait()
