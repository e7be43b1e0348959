"""One project of compose, with a name of its own, for the scripts that play through it."""

import os
import secrets
import shlex
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = "hotloop-test"
PORTAL = "http://127.0.0.1:18890"
READY_S = 300.0
"""Seconds in which all services must be healthy; on a loaded machine, Ray takes a minute."""


class Failed(Exception):
    """What was seen is not what should be."""


class Containers:
    """One project of compose. container, compose: the commands, as words."""

    def __init__(self, container: list[str], compose: list[str]) -> None:
        self.container = container
        files = ["-f", str(ROOT / "docker" / "compose.yaml"), "-p", PROJECT]
        files += ["--profile", "takehome"]
        self.compose = [*compose, *files]
        self.environment = {
            "HOTLOOP_LAB_PORT": "18888",
            "HOTLOOP_GRADER_PORT": "18889",
            **os.environ,
            "HOTLOOP_PORTAL_PORT": PORTAL.rpartition(":")[2],
            "HOTLOOP_PORTAL_URL": PORTAL,
            "HOTLOOP_DATABASE_PASSWORD": secrets.token_hex(16),
            # podman keeps health checks in this format only.
            "BUILDAH_FORMAT": "docker",
        }

    def call(self, *words: str) -> None:
        """One command of compose, with its output shown."""
        self._run([*self.compose, *words], capture=False)

    def say(self, service: str, *words: str) -> str:
        """Standard output of a command in a service's container."""
        return self._run([*self.compose, "exec", "-T", service, *words], capture=True)

    def once(self, service: str, *words: str) -> str:
        """Likewise, in a container of its own that is gone afterwards."""
        return self._run([*self.compose, "run", "--rm", "-T", service, *words], capture=True)

    def healthy(self, service: str) -> bool:
        """Whether the container's own health check succeeds now."""
        listed = self._run(
            [*self.container, "ps", "--quiet", "--filter", f"name={PROJECT}[-_]{service}[-_]1"],
            capture=True,
        ).split()
        if len(listed) != 1:
            return False
        if "podman" in Path(self.container[0]).name:
            # Where no systemd is at work, nobody else runs it.
            check = [*self.container, "healthcheck", "run", listed[0]]
            done = subprocess.run(check, check=False, capture_output=True, env=self.environment)
            return done.returncode == 0
        state = ["inspect", "--format", "{{.State.Health.Status}}", listed[0]]
        return self._run([*self.container, *state], capture=True).strip() == "healthy"

    def _run(self, command: list[str], *, capture: bool) -> str:
        done = subprocess.run(
            command,
            check=False,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if capture else None,
            stderr=subprocess.PIPE if capture else None,
            text=True,
        )
        if done.returncode:
            said = f"\n{done.stdout}\n{done.stderr}" if capture else ""
            raise Failed(f"{shlex.join(command)} ended with status {done.returncode}{said}")
        return done.stdout or ""


def step(what: str, do: Callable[[], object]) -> None:
    """Do it, and say what it was and how long it took."""
    print(f"== {what}", flush=True)
    started = time.monotonic()
    do()
    print(f"   {time.monotonic() - started:.0f} s", flush=True)


def wait(containers: Containers, services: Iterable[str]) -> None:
    """Until all are healthy. Failed names those that are not."""
    deadline = time.monotonic() + READY_S
    waiting = list(services)
    while waiting:
        if time.monotonic() > deadline:
            raise Failed(f"not healthy after {READY_S:.0f} s: {', '.join(waiting)}")
        waiting = [service for service in waiting if not containers.healthy(service)]
        time.sleep(2)
