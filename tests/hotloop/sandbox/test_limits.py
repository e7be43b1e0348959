"""Programs that exceed their limits. Each is killed, and nothing of it remains."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from hotloop.core.verdict import Verdict
from hotloop.sandbox.process import Confined

pytestmark = [pytest.mark.sandbox, pytest.mark.usefixtures("limited_by")]
MIB = 1 << 20

FORK_BOMB = """
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
"""
THREAD_BOMB = """
import threading, time
while True:
    try:
        threading.Thread(target=time.sleep, args=(60,)).start()
    except RuntimeError:
        time.sleep(0.01)
"""
MEMORY_BOMB = """
kept = []
while True:
    kept.append(bytearray(8 << 20))
"""
TWENTY_BOMBS = """
import os, time
for _ in range(20):
    if os.fork() == 0:
        break
kept = [bytearray(1 << 20) for _ in range(24)]
time.sleep(30)
"""


class Namespace:
    """The live processes in the namespace of `pid`. Held open, so that its number is not reused."""

    def __init__(self, pid: int) -> None:
        self._fd = os.open(f"/proc/{pid}/ns/pid", os.O_RDONLY)
        self._number = os.fstat(self._fd).st_ino

    def left(self) -> list[int]:
        found: list[int] = []
        for entry in Path("/proc").iterdir():
            with suppress(OSError):
                if not entry.name.isdecimal() or (entry / "ns/pid").stat().st_ino != self._number:
                    continue
                if ") Z " not in (entry / "stat").read_text():
                    found.append(int(entry.name))
        os.close(self._fd)
        return found


@pytest.mark.slow
@pytest.mark.parametrize("bomb", [FORK_BOMB, THREAD_BOMB], ids=["fork bomb", "thread bomb"])
def test_processes_are_capped(start: Callable[..., Confined], bomb: str) -> None:
    confined = start(bomb, processes=24, wall_s=1.5)
    namespace = Namespace(confined.pid)
    most = 0
    while confined.poll() is None:
        most = max(most, len(confined.freezer.usage().tasks))
        time.sleep(0.05)
    assert confined.death is Verdict.TIMEOUT
    # If root launched, bubblewrap's own process in the namespace is root's.
    assert 10 < most <= 25
    assert namespace.left() == []


@pytest.mark.slow
@pytest.mark.parametrize("bomb", [MEMORY_BOMB, TWENTY_BOMBS], ids=["one process", "twenty"])
def test_memory_is_capped(start: Callable[..., Confined], bomb: str) -> None:
    confined = start(bomb, memory_bytes=256 * MIB)
    namespace = Namespace(confined.pid)
    confined.wait(30)
    assert confined.death is Verdict.MEMORY_LIMIT
    assert namespace.left() == []


@pytest.mark.slow
def test_shared_memory_counts_once(run: Callable[..., Any]) -> None:
    ran = run(
        """
import os, time
kept = bytearray(b"x") * (96 << 20)
children = [pid for _ in range(6) if (pid := os.fork()) or time.sleep(0.3) or os._exit(0)]
for pid in children:
    os.waitpid(pid, 0)
print("held", len(kept))
""",
        memory_bytes=256 * MIB,
    )
    assert (ran.death, ran.status) == (None, 0), ran.text


@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm", "/home/learner"])
def test_folders_are_capped(run: Callable[..., Any], folder: str) -> None:
    ran = run(
        f"""
import errno
written = 0
with open("{folder}/fill", "wb", buffering=0) as stream:
    try:
        while True:
            written += stream.write(bytes(1 << 20))
    except OSError as error:
        print(errno.errorcode[error.errno], written >> 20)
""",
        tmp_bytes=8 * MIB,
    )
    assert ran.text.split() == ["ENOSPC", "8"]


def test_output_is_capped(run: Callable[..., Any]) -> None:
    ran = run("while True: print('x' * 1000)", output_bytes=100_000)
    assert ran.death is Verdict.OUTPUT_LIMIT
    assert len(ran.text) == 100_000


def test_output_just_below_the_cap_is_no_death(run: Callable[..., Any]) -> None:
    ran = run("print('x' * 999)", output_bytes=1001)
    assert (ran.death, ran.status, len(ran.text)) == (None, 0, 1000)


@pytest.mark.slow
def test_wall_time_is_capped(run: Callable[..., Any]) -> None:
    ran = run("import time, signal; signal.alarm(0); time.sleep(60)", wall_s=0.5)
    assert ran.death is Verdict.TIMEOUT
    assert ran.seconds < 10


@pytest.mark.slow
def test_a_frozen_process_can_time_out(start: Callable[..., Confined]) -> None:
    confined = start("import time; time.sleep(60)", wall_s=0.5)
    confined.freezer.freeze()
    assert confined.wait(20) is not None
    assert confined.death is Verdict.TIMEOUT


def test_a_daemon_does_not_outlive_the_program(start: Callable[..., Confined]) -> None:
    confined = start("""
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(60)   # still holds standard output
    os._exit(0)
os.wait()
print("left a daemon")
""")
    namespace = Namespace(confined.pid)
    assert confined.wait(20) == 0
    assert confined.output() == b"left a daemon\n"
    assert namespace.left() == []


def test_kill_ends_what_ignores_signals(start: Callable[..., Confined]) -> None:
    confined = start("""
import os, signal, time
for number in range(1, 32):
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_IGN)
os.fork()
os.write(1, b"up")
time.sleep(60)
""")
    namespace = Namespace(confined.pid)
    while confined.output() != b"upup":
        time.sleep(0.01)
    confined.kill()
    confined.kill()
    assert confined.poll() is not None
    assert confined.death is None
    assert namespace.left() == []


def test_limits_of_the_process_itself(run: Callable[..., Any]) -> None:
    ran = run("""
import resource
for name in ("NPROC", "CORE", "MSGQUEUE"):
    print(name, resource.getrlimit(getattr(resource, "RLIMIT_" + name)))
""")
    assert ran.text.splitlines() == ["NPROC (24, 24)", "CORE (0, 0)", "MSGQUEUE (0, 0)"]


def test_root_gives_up_its_rights(run: Callable[..., Any]) -> None:
    ran = run("""
fields = dict(line.split(":", 1) for line in open("/proc/self/status"))
import os
print(os.getresuid(), os.getgroups() in ([], [os.getgid()]))
print({fields[f"Cap{name}"].strip() for name in ("Inh", "Prm", "Eff", "Bnd", "Amb")})
print(fields["NoNewPrivs"].strip(), fields["Seccomp"].strip())
""")
    uid, rights, flags = ran.text.splitlines()
    assert uid.startswith("(64" if os.geteuid() == 0 else "(1000")
    assert uid.endswith("True")
    assert set(rights.strip("{}'")) == {"0"}
    assert flags == "1 2"
