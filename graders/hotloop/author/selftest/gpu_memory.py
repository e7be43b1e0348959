"""Steps 2 and 3: GPU memory of the judge, and memory lent to other processes.

Each layer of lending adds one barrier, so that the first one that fails names the cause.
"""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from hotloop.author.selftest.step_results import StepFailed, StepResult
from hotloop.judge.gpu import devices
from hotloop.judge.gpu.card import open_driver
from hotloop.judge.gpu.driver import Driver
from hotloop.judge.gpu.memory import DeviceBuffer
from hotloop.judge.gpu.nvml import Nvml
from hotloop.judge.launcher import Launcher
from hotloop.judge.worker_connection import WorkerConnection
from hotloop.sandbox import seccomp
from hotloop.sandbox.confinement import SUBMISSION
from hotloop.sandbox.freezer import SignalFreezer
from hotloop.worker.device import LIBRARY_VARIABLE

PROGRAMS = Path(__file__).parent / "programs"
BORROWER = PROGRAMS / "borrower.py"
SIZES = (2 << 20, 1 << 30, 14 << 30)
LENT_BYTES = 64 << 20
WORD = 0x5EED5EED
NOBODY = 65534
REPLY_S = 20.0
FREED_S = 5.0


def own_memory() -> StepResult:
    """Allocate, map, fill, read and free blocks; test whether read-only mappings are enforced."""
    driver = open_driver()
    free_before, _ = driver.memory()
    figures: dict[str, Any] = {}
    for size in SIZES:
        free, _ = driver.memory()
        if size > free // 2:
            figures[f"{size >> 20}_mb"] = "larger than half of what is free"
            continue
        started = time.monotonic()
        with DeviceBuffer(driver, size, writable=True) as block:
            driver.fill(block.address, WORD, block.size)
            driver.synchronize()
            _require(_word_at(driver, block, block.size - 4) == WORD, "A block kept another value.")
        figures[f"{size >> 20}_mb_ms"] = 1e3 * (time.monotonic() - started)
    figures["read_only"] = _read_only(driver)
    _require_free_again(driver, free_before)
    return StepResult("Blocks are made, filled, read and given back.", figures)


def _read_only(driver: Driver) -> str:
    """Return what happens on a write to memory mapped read-only, tried in a child process."""
    with DeviceBuffer(driver, SIZES[0], writable=False) as block, _child() as worker:
        try:
            _fill(worker, block, writable=False)
        except Exception as error:  # noqa: BLE001 - any end of it is one
            unchanged = _word_at(driver, block, 0) != WORD
            return f"refused ({error})" if unchanged else f"written all the same ({error})"
        return "written: the driver has no read-only mappings, and the judge does not rely on them"


def lending() -> StepResult:
    """Lend memory to a child, another user's process and sandboxes, which fill it.

    Raises StepFailed at the first layer that fails.
    """
    driver = open_driver()
    passed: list[str] = []
    for name, layer in _layers(driver).items():
        try:
            layer()
        except Exception as error:  # noqa: BLE001 - told as what it is
            before = f"after {passed[-1]} had worked" if passed else "at the first layer"
            raise StepFailed(
                f"Memory cannot be lent {name} ({error}), {before}.",
                _FIXES.get(name, "update the driver; compare with the sandbox's page"),
                passed=passed,
            ) from None
        passed.append(name)
    return StepResult(f"Memory is lent {', '.join(passed)}.", {"layers": passed})


_FIXES = {
    "to a process in the sandbox without a filter": (
        "look at which of /dev/nvidia* the sandbox binds (hotloop/judge/gpu/devices.py)"
    ),
    "to a process in the sandbox": (
        "the filter denies a system call that CUDA needs: see hotloop/sandbox/seccomp.py"
    ),
    "to a process of another user": "look at the rights of /dev/nvidia*: all users need rw",
}


def _layers(driver: Driver) -> dict[str, Callable[[], None]]:
    minor = Nvml(driver.bus_id()).minor()
    layers: dict[str, Callable[[], None]] = {"to a child": lambda: _lend(driver, _child())}
    if os.geteuid() == 0:
        layers["to a process of another user"] = lambda: _lend(driver, _child(NOBODY))
    return {
        **layers,
        "to a process in the sandbox without a filter": lambda: _unfiltered(driver, minor),
        "to a process in the sandbox": lambda: _lend(driver, _confined(minor)),
        "to a process that is then frozen": lambda: _frozen(driver, minor),
        "to a process that is then killed": lambda: _killed(driver, minor),
    }


def _unfiltered(driver: Driver, minor: int) -> None:
    with mock.patch.object(seccomp, "DENIED", list[str]()):
        seccomp.program.cache_clear()
        try:
            _lend(driver, _confined(minor))
        finally:
            seccomp.program.cache_clear()


def _lend(driver: Driver, borrower: Any) -> None:
    """Lend a block, have it filled, read it here, and require that it is free again."""
    free, _ = driver.memory()
    with borrower as worker:
        with DeviceBuffer(driver, LENT_BYTES, writable=True) as block:
            _fill(worker, block)
            _require(_word_at(driver, block, block.size - 4) == WORD, "It did not arrive here.")
        worker.request({"op": "give_back"}, REPLY_S)
    _require_free_again(driver, free)


def _frozen(driver: Driver, minor: int) -> None:
    with (
        _confined(minor) as worker,
        DeviceBuffer(driver, LENT_BYTES, writable=True) as block,
    ):
        _fill(worker, block)
        worker.freeze()
        _require(_word_at(driver, block, 0) == WORD, "It cannot be read while the other is frozen.")
        worker.thaw()
        worker.request({"op": "give_back"}, REPLY_S)


def _killed(driver: Driver, minor: int) -> None:
    free, _ = driver.memory()
    with _confined(minor) as worker, DeviceBuffer(driver, LENT_BYTES, writable=True) as block:
        _fill(worker, block)
        worker.close()
        _require(_word_at(driver, block, 0) == WORD, "It went with the process that was killed.")
    _require_free_again(driver, free)


def _fill(worker: WorkerConnection, block: DeviceBuffer, *, writable: bool = True) -> None:
    fd = block.export()
    try:
        message = {"op": "fill", "bytes": block.size, "word": WORD, "writable": writable}
        worker.request(message, REPLY_S, [fd])
    finally:
        os.close(fd)


def _word_at(driver: Driver, block: DeviceBuffer, offset: int) -> int:
    return int.from_bytes(driver.to_host(block.address + offset, 4), sys.byteorder)


def _require_free_again(driver: Driver, free: int) -> None:
    """Wait until the lent block is free; other processes' contexts may change the rest."""
    until = time.monotonic() + FREED_S
    while driver.memory()[0] < free - LENT_BYTES // 2:
        _require(time.monotonic() < until, "Memory that was lent is never free again.")
        time.sleep(0.05)


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise StepFailed(otherwise, "update the driver, or use another GPU")


@contextmanager
def _child(user: int | None = None) -> Generator[WorkerConnection]:
    """Start an ordinary child process, as another user if given; yield the link to it."""
    ours, theirs = socket.socketpair()
    packages = str(Path(__file__).resolve().parents[3])
    becoming = () if user is None else ("--user", str(user))
    with theirs:
        process = subprocess.Popen(
            [sys.executable, str(BORROWER), "--fd", str(theirs.fileno()), *becoming],
            pass_fds=[theirs.fileno()],
            env={**os.environ, "PYTHONPATH": packages, "PYTHONDONTWRITEBYTECODE": "1"},
        )
    worker = WorkerConnection(ours, SignalFreezer(process.pid), trusted=False)
    try:
        yield worker
    finally:
        worker.sock.close()
        process.kill()
        process.wait()


@contextmanager
def _confined(minor: int) -> Generator[WorkerConnection]:
    """Start a process in a candidate worker's sandbox; yield the link to it."""
    named = os.environ.get(LIBRARY_VARIABLE)
    worker = Launcher("bubblewrap").start(
        program=(f"{SUBMISSION}/{BORROWER.name}",),
        files=PROGRAMS,
        trusted=False,
        environment=devices.environment(),
        devices=devices.nodes(minor),
        read_only={} if named is None else {named: Path(named)},
    )
    try:
        yield worker
    finally:
        worker.close()
