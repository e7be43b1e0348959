"""A fake GPU: driver and NVML in C over shared host memory, torch on the CPU."""

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hotloop.core import wire
from hotloop.judge.gpu import idle, workers
from hotloop.judge.gpu.arithmetic import Arithmetic
from hotloop.judge.gpu.card import Card, NoCard
from hotloop.judge.gpu.clocks import Clocks
from hotloop.judge.gpu.driver import Driver
from hotloop.judge.gpu.idle import IdleProbe
from hotloop.judge.gpu.nvml import Nvml
from hotloop.judge.worker_connection import WorkerConnection
from hotloop.sandbox.freezer import SignalFreezer

FAKE = Path(__file__).parents[3] / "fakecuda"


@dataclass(frozen=True)
class FakeLibraries:
    cuda: str
    nvml: str
    control: Path
    log: Path

    def set(self, **values: int) -> None:
        """Change the fake devices' answers, for all processes at once."""
        partial = self.control.with_suffix(".new")
        partial.write_text("".join(f"{key} {value}\n" for key, value in values.items()))
        partial.rename(self.control)

    def events(self, pid: int) -> list[str]:
        """Return the driver calls of process `pid`, in order."""
        lines = [line.split(" ", 2) for line in self.log.read_text().splitlines()]
        return [what for _, who, what in lines if int(who) == pid]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc") or shutil.which("g++")
    if compiler is None:
        pytest.skip("no C compiler: install gcc")
    folder = tmp_path_factory.mktemp("fakecuda")
    for name in ("libcuda", "libnvidia_ml"):
        flags = ["-x", "c", "-std=gnu11", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"]
        output = str(folder / f"{name}.so")
        subprocess.run([compiler, *flags, "-o", output, str(FAKE / f"{name}.c")], check=True)
    return folder


@pytest.fixture
def fake(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeLibraries:
    """Copies the libraries for each test, so that tests do not share the driver's state."""
    for library in built.iterdir():
        shutil.copy(library, tmp_path / library.name)
    monkeypatch.setenv("FAKECUDA_CONTROL", str(tmp_path / "control"))
    monkeypatch.setenv("FAKECUDA_LOG", str(tmp_path / "log"))
    cuda, nvml = tmp_path / "libcuda.so", tmp_path / "libnvidia_ml.so"
    return FakeLibraries(str(cuda), str(nvml), tmp_path / "control", tmp_path / "log")


@pytest.fixture
def no_card(monkeypatch: pytest.MonkeyPatch) -> str:
    """Makes the GPU impossible to open; returns the reason in the message."""
    why = "No NVIDIA GPU here: elsewhere."

    def none(_guests: int) -> Card:
        raise NoCard(why)

    monkeypatch.setattr(workers, "open_card", none)
    return why


@pytest.fixture
def driver(fake: FakeLibraries) -> Driver:
    driver = Driver(fake.cuda)
    driver.use(0)
    return driver


@pytest.fixture
def arithmetic() -> Arithmetic:
    return Arithmetic("cpu", host_bytes)


@pytest.fixture
def card(
    fake: FakeLibraries,
    driver: Driver,
    arithmetic: Arithmetic,
    monkeypatch: pytest.MonkeyPatch,
) -> Card:
    monkeypatch.setattr(idle, "WAKE_S", 0.0)
    clocks = Clocks(Nvml(driver.bus_id(), fake.nvml))
    clocks.expected_clients = 3
    probe = IdleProbe(driver, lambda: None)
    probe.calibrate()
    return Card(driver, driver.facts(), arithmetic, probe, clocks, 0)


@dataclass(frozen=True)
class FakeWorker:
    connection: WorkerConnection
    pid: int
    file: str

    def shared_mappings(self) -> list[str]:
        """Return the permissions of this process's mappings of the judge's memory, from /proc."""
        lines = Path(f"/proc/{self.pid}/maps").read_text().splitlines()
        return [line.split()[1] for line in lines if "memfd:fakecuda" in line]

    def descriptors(self) -> int:
        """Return how many descriptors of the judge's memory this process holds."""
        links = [fd.readlink() for fd in Path(f"/proc/{self.pid}/fd").iterdir()]
        return sum("memfd:fakecuda" in str(link) for link in links)

    def ended(self) -> bool:
        """Wait for the end, as a process that faulted takes a moment to disappear."""
        for _ in range(100):
            if not Path(f"/proc/{self.pid}").exists():
                return True
            time.sleep(0.02)
        return False

    def end(self) -> None:
        self.connection.sock.close()
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)


Start = Callable[..., FakeWorker]


@pytest.fixture(scope="session")
def nursery() -> Iterator[socket.socket]:
    """A process that has imported torch and forks workers."""
    ours, theirs = socket.socketpair()
    fd = theirs.fileno()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, str(FAKE / "worker.py"), "--fd", str(fd)], pass_fds=[fd]
        )
    yield ours
    ours.close()
    process.wait(30)


@pytest.fixture
def start(fake: FakeLibraries, nursery: socket.socket, tmp_path: Path) -> Iterator[Start]:
    """Starts a worker on a candidate, given as source text with a function `softmax`."""
    started: list[FakeWorker] = []
    environment = {k: v for k, v in os.environ.items() if k.startswith("FAKECUDA_")}
    environment["FAKECUDA_LIBRARY"] = fake.cuda
    environment["TRITON_INTERPRET"] = "1"  # the memory of the fake card is the host's

    def start_worker(source: str, *, trusted: bool = False) -> FakeWorker:
        file = tmp_path / f"candidate{len(started)}.py"
        file.write_text("import torch\n" + source)
        ours, theirs = socket.socketpair()
        with theirs:
            request = {"library": fake.cuda, "environment": environment}
            wire.send(nursery, request, [theirs.fileno()])
            pid = wire.receive(nursery)["pid"]
        worker = FakeWorker(
            WorkerConnection(ours, SignalFreezer(pid), trusted=trusted), pid, str(file)
        )
        started.append(worker)
        worker.connection.hello(60)
        worker.connection.resolve("softmax", str(file), 30)
        return worker

    yield start_worker
    for worker in started:
        worker.end()


def host_bytes(address: int, size: int) -> Any:
    import torch

    return torch.frombuffer((ctypes.c_ubyte * size).from_address(address), dtype=torch.uint8)
