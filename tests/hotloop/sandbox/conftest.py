"""Short programs in a sandbox with small limits."""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hotloop.core.verdict import Verdict
from hotloop.sandbox import cgroup
from hotloop.sandbox.confinement import Confinement
from hotloop.sandbox.launch import launch
from hotloop.sandbox.level import level
from hotloop.sandbox.process import Confined
from hotloop.sandbox.zygote.forked import ForkedProcess
from hotloop.sandbox.zygote.zygote import Zygote

MIB = 1 << 20
Make = Callable[..., Confinement]
Launcher = Callable[[Confinement], Confined]


@dataclass(frozen=True)
class Ran:
    """How a sandboxed program ended."""

    status: int | None
    death: Verdict | None
    text: str
    seconds: float


@pytest.fixture
def confinement() -> Make:
    """Makes a confinement that runs Python source; keywords replace its small limits."""

    def make(code: str, *, argv: tuple[str, ...] | None = None, **changes: Any) -> Confinement:
        values: dict[str, Any] = {
            "argv": argv or (sys.executable, "-c", code),
            "environment": {},
            "read_only": {},
            "writable": {},
            "files": None,
            "memory_bytes": 256 * MIB,
            "processes": 24,
            "tmp_bytes": 8 * MIB,
            "wall_s": 30.0,
            "output_bytes": MIB,
        }
        return Confinement(**(values | changes))

    return make


@pytest.fixture(scope="session")
def zygote() -> Iterator[Zygote]:
    """One zygote for all tests; Python source needs nothing preloaded."""
    with Zygote(preload=()) as kept:
        yield kept


@pytest.fixture(params=["bubblewrap", "zygote"])
def launcher(request: pytest.FixtureRequest, zygote: Zygote) -> Launcher:
    """Runs a test with bubblewrap, and with a zygote where it can fork.

    A zygote can fork Python source that gets neither devices nor writable folders.
    """
    return zygote.launch if request.param == "zygote" else launch


@pytest.fixture
def start(confinement: Make, launcher: Launcher) -> Iterator[Callable[..., Confined]]:
    """Launches a program; it is killed at the end of the test if it still runs."""
    if level()[0] == "none":
        pytest.skip(level()[1])
    running: list[Confined] = []

    def begin(code: str, **changes: Any) -> Confined:
        wanted = confinement(code, **changes)
        running.append(launcher(wanted))
        if launcher != launch and not (wanted.writable or changes.get("argv")):
            if not isinstance(running[-1], ForkedProcess):
                # If the machine is too busy to fork in time, it was started the ordinary way: try
                # again.
                running.append(launcher(wanted))
            assert isinstance(running[-1], ForkedProcess)
        return running[-1]

    yield begin
    for confined in running:
        confined.kill()


@pytest.fixture
def run(start: Callable[..., Confined]) -> Callable[..., Ran]:
    """Launches a program and waits for its end."""

    def ran(code: str, **changes: Any) -> Ran:
        begin = time.monotonic()
        confined = start(code, **changes)
        status = confined.wait(170)
        text = confined.output().decode(errors="replace")
        return Ran(status, confined.death, text, time.monotonic() - begin)

    return ran


@pytest.fixture(params=["control groups", "watchdog"])
def limited_by(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Runs a test twice: with this machine's control groups, and without any."""
    if request.param == "watchdog":
        monkeypatch.setattr(cgroup, "make_groups", lambda: None)
    elif cgroup.places() == cgroup.Places(None, None):
        pytest.skip("this user can make no control groups here")
    return request.param


@pytest.fixture
def submission(tmp_path: Path) -> Path:
    """An empty submission folder."""
    folder = tmp_path / "submission"
    folder.mkdir()
    return folder
