"""Freezing: process trees stand still, failures are detected, and the freezer is passed on."""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

import pytest

from hotloop.sandbox import cgroup, freezer, processes
from hotloop.sandbox.cgroup import Groups, Places
from hotloop.sandbox.freezer import (
    CgroupFreezer,
    FreezeError,
    Freezer,
    SignalFreezer,
    Unstoppable,
    freezer_from,
)
from hotloop.sandbox.owner import new_tag
from hotloop.sandbox.process import Confined
from hotloop.sandbox.unconfined import launch_plain

from ..waiting import until
from .conftest import Make

BUSY = "import os\nos.fork()\nos.write(1, b'up')\nwhile True: pass"
GROWING = """
import os, time
os.write(1, b'upup')
while True:
    try:
        if os.fork() == 0:
            time.sleep(0.02)
            os._exit(0)
        while os.waitpid(-1, os.WNOHANG)[0]: pass
    except (ChildProcessError, BlockingIOError): pass
"""
WAKES_EACH_OTHER = """
import os, signal
first, second = os.fork(), 0
if first: second = os.fork()
if first == 0 or second == 0:
    os.setsid()
    while True: os.kill(os.getppid(), signal.SIGCONT)
os.write(1, b"upup")
while True: signal.pause()
"""
SELF_THAW = """
import ctypes, os, signal
libc = ctypes.CDLL(None, use_errno=True)
# struct sigevent: the signal's number after eight bytes of value; struct itimerspec: 20 ms, again.
event = (ctypes.c_int * 16)(0, 0, signal.SIGCONT, 0)
timer = ctypes.c_void_p()
assert libc.timer_create(1, event, ctypes.byref(timer)) == 0
every = (ctypes.c_long * 4)(0, 20_000_000, 0, 20_000_000)
assert libc.timer_settime(timer, 0, every, None) == 0
os.write(1, b"upup")
while True: pass
"""


def wait_for(confined: Confined, text: bytes = b"upup") -> None:
    until(lambda: confined.output() == text, 20)


@pytest.fixture
def plain(confinement: Make) -> Iterator[Callable[[str], Confined]]:
    """Launches a program without a sandbox, whose process tree is frozen by signals."""
    running: list[Confined] = []

    def begin(code: str) -> Confined:
        running.append(launch_plain(confinement(code)))
        return running[-1]

    yield begin
    for confined in running:
        confined.kill()


def assert_stands_still(freezer: Freezer) -> None:
    freezer.freeze()
    before = freezer.usage()
    time.sleep(0.1)
    after = freezer.usage()
    if isinstance(freezer, SignalFreezer):
        # A stopped task may have a little kernel work left.
        assert after.tasks == before.tasks
        assert after.cpu_ns - before.cpu_ns < 5e6
    else:
        assert after == before
    assert before.tasks
    assert before.cpu_ns > 0


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.parametrize("program", [BUSY, GROWING, SELF_THAW], ids=["busy", "forks", "self-thaw"])
def test_a_sandbox_stands_still(start: Callable[..., Confined], program: str) -> None:
    confined = start(program)
    if program is SELF_THAW and isinstance(confined.freezer, SignalFreezer):
        pytest.skip("signals do not hold this one; see test_self_thaw_is_seen")
    wait_for(confined)
    for _ in range(3):
        assert_stands_still(confined.freezer)
        running = confined.freezer.usage()
        confined.freezer.thaw()
        deadline = time.monotonic() + 10
        while confined.freezer.usage() == running and time.monotonic() < deadline:
            time.sleep(0.005)
        assert confined.freezer.usage() != running


@pytest.mark.slow
@pytest.mark.parametrize("program", [BUSY, GROWING], ids=["busy", "forks"])
def test_signals_stop_a_tree(plain: Callable[[str], Confined], program: str) -> None:
    confined = plain(program)
    wait_for(confined)
    assert isinstance(confined.freezer, SignalFreezer)
    for _ in range(3):
        assert_stands_still(confined.freezer)
        confined.freezer.thaw()
        time.sleep(0.03)


def test_the_times_of_a_running_tree_are_read_without_a_search(
    plain: Callable[[str], Confined], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search takes milliseconds, in which the tree could compute unseen."""
    freezer = plain(BUSY).freezer
    freezer.freeze()
    stopped = freezer.usage()
    freezer.thaw()
    monkeypatch.setattr(SignalFreezer, "_tree", lambda _freezer: pytest.fail("it is searched"))
    assert freezer.usage_while_running().tasks == stopped.tasks


def test_self_thaw_is_seen(plain: Callable[[str], Confined]) -> None:
    """A timer can send SIGCONT to its own process: only the CPU time shows it.

    If the timer's signal is pending at a SIGSTOP, the signal is dropped and the timer is not armed
    again: then the process stays stopped, and the test tries another one.
    """
    assert any(_thaws_itself(plain(SELF_THAW)) for _ in range(8))


def _thaws_itself(confined: Confined) -> bool:
    wait_for(confined)
    with suppress(FreezeError):  # on a busy machine it is never even seen stopped
        confined.freezer.freeze()
    before = confined.freezer.usage()
    deadline = time.monotonic() + 2
    while time.monotonic() < deadline:
        if confined.freezer.usage().cpu_ns > before.cpu_ns:
            return True
        time.sleep(0.02)
    return False


@pytest.mark.slow
def test_a_tree_that_wakes_itself_is_told_from_a_busy_machine(
    plain: Callable[[str], Confined],
) -> None:
    """On a busy machine the tree mostly stops before its children run, so it is tried often."""
    confined = plain(WAKES_EACH_OTHER)
    wait_for(confined)
    until(lambda: _cannot_be_stopped(confined))


def _cannot_be_stopped(confined: Confined) -> bool:
    try:
        confined.freezer.freeze()
    except Unstoppable:
        return True
    confined.freezer.thaw()
    return False


def test_a_tree_that_grows_at_each_look_is_told_from_a_busy_machine(
    plain: Callable[[str], Confined], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether a real tree forks between two looks depends on the machine: here it always does."""
    confined = plain(BUSY)
    wait_for(confined)
    born: list[subprocess.Popen[bytes]] = []

    def grown(freezer: SignalFreezer) -> list[int]:
        born.append(subprocess.Popen(["sleep", "60"]))
        return [confined.pid, *(process.pid for process in born)]

    monkeypatch.setattr(SignalFreezer, "_tree", grown)
    try:
        with pytest.raises(Unstoppable, match="starts processes faster"):
            confined.freezer.freeze()
    finally:
        for process in born:
            process.kill()
            process.wait()


def test_a_branch_can_be_left_alone(plain: Callable[[str], Confined]) -> None:
    confined = plain("import os\npid = os.fork()\nos.write(1, b'up')\nwhile True: pass")
    wait_for(confined)
    (child,) = set(processes.tree(confined.pid)) - {confined.pid}
    freezer = SignalFreezer(confined.pid, exclude=frozenset({child}))
    freezer.freeze()
    assert freezer.usage().tasks == {confined.pid}
    before = processes.usage([child])
    time.sleep(0.2)
    assert processes.usage([child]).cpu_ns > before.cpu_ns
    freezer.thaw()


def test_a_later_process_with_the_same_id_is_not_touched(plain: Callable[[str], Confined]) -> None:
    confined = plain(BUSY)
    wait_for(confined)
    freezer = SignalFreezer(confined.pid, started=processes.started(confined.pid) - 1)
    freezer.freeze()
    assert freezer.usage().tasks == frozenset()
    found = processes.stat(confined.pid)
    assert found is not None
    assert found.state != "T"


@pytest.mark.slow
@pytest.mark.sandbox
def test_another_process_can_freeze(start: Callable[..., Confined]) -> None:
    confined = start(BUSY)
    wait_for(confined)
    description = json.dumps(confined.freezer.describe())
    code = (
        "import json, sys; from hotloop.sandbox.freezer import freezer_from; "
        "freezer_from(json.loads(sys.argv[1])).freeze()"
    )
    subprocess.run([sys.executable, "-c", code, description], check=True, timeout=30)
    before = confined.freezer.usage()
    time.sleep(0.1)
    assert confined.freezer.usage() == before
    again = freezer_from(json.loads(description))
    again.thaw()
    assert again.describe() == confined.freezer.describe()


@pytest.mark.parametrize("description", [{}, {"kind": "hope"}])
def test_only_known_kinds(description: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="no kind of freezer"):
        freezer_from(description)


@pytest.mark.sandbox
def test_what_is_gone_can_be_frozen_and_measured(start: Callable[..., Confined]) -> None:
    confined = start(BUSY)
    wait_for(confined)
    freezer = confined.freezer
    confined.kill()
    confined.wait(30)
    freezer.freeze()
    assert freezer.usage().tasks == frozenset()
    freezer.thaw()


@contextmanager
def group_of(process: subprocess.Popen[bytes], version: int) -> Iterator[CgroupFreezer]:
    """Move a process into a control group, at whose end it is killed."""
    membership = Path("/proc/self/cgroup").read_text()
    own = cgroup.own_groups(membership, Path("/proc/self/mountinfo").read_text())
    place = cgroup.freezer_place(own, version)
    if place is None:
        process.kill()
        pytest.skip(f"no control group of version {version} that this user may freeze")
    groups = Groups(new_tag(), Places(place, None))
    try:
        groups.add(process.pid)
        freezer = groups.freezer()
        assert freezer is not None
        yield freezer
    finally:
        groups.remove()
        process.wait()


ENDS = """
import os, sys, threading, time
def burn():
    while time.{clock}() < 0.2: pass
def in_child(work):
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    return child
sys.stdin.buffer.read(1)
{work}
sys.stdout.buffer.write(b".")
sys.stdout.flush()
sys.stdin.buffer.read(1)
"""


@pytest.mark.parametrize("kind", ["group 1", "group 2", "signals"])
@pytest.mark.parametrize(
    ("clock", "work"),
    [
        ("thread_time", "t = threading.Thread(target=burn); t.start(); t.join()"),
        ("process_time", "os.waitpid(in_child(burn), 0)"),
        ("process_time", "os.waitpid(in_child(lambda: os.wait4(in_child(burn), 0)), 0)"),
    ],
    ids=["thread", "child", "grandchild"],
)
def test_what_ended_meanwhile_has_used_its_time(clock: str, work: str, kind: str) -> None:
    """It is gone when the window ends, and the kernel's count of it must not be gone with it."""
    code = ENDS.format(clock=clock, work=work)
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        group = nullcontext(SignalFreezer(process.pid))
        with group if kind == "signals" else group_of(process, int(kind[-1])) as freezer:
            before = freezer.usage()
            assert process.stdin
            assert process.stdout
            process.stdin.write(b".")
            process.stdin.flush()
            assert process.stdout.read(1) == b"."
            # A thread that was joined may need a moment to end for the kernel, too.
            until(lambda: freezer.usage().tasks == before.tasks)
            freezer.freeze()
            after = freezer.usage()
            freezer.thaw()
            process.kill()
    assert before.tasks == after.tasks
    present_ns = sum(time.cpu_ns for time in after.since(before))
    assert after.cpu_ns - before.cpu_ns - present_ns > 150e6, "of 200 ms"


def test_the_time_of_children_that_nobody_awaits_does_not_speak_for_their_parent() -> None:
    """The kernel counts them nowhere: less than was used, never more."""
    work = "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN); in_child(burn)"
    code = ENDS.format(clock="process_time", work=work + "; time.sleep(0.4)")
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        before = processes.usage([process.pid])
        assert process.stdin
        assert process.stdout
        process.stdin.write(b".")
        process.stdin.flush()
        assert process.stdout.read(1) == b"."
        after = processes.usage([process.pid])
        process.kill()
    assert after.cpu_ns - before.cpu_ns < 100e6


@pytest.mark.slow
@pytest.mark.parametrize("version", [1, 2])
def test_both_versions_of_control_groups(version: int) -> None:
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    with group_of(busy, version) as freezer:
        time.sleep(0.05)
        assert_stands_still(freezer)
        running = freezer.usage()
        freezer.thaw()
        time.sleep(0.2)
        assert freezer.usage().cpu_ns > running.cpu_ns


@pytest.mark.slow
@pytest.mark.parametrize(("busy", "error"), [(True, Unstoppable), (False, FreezeError)])
def test_a_group_that_computes_on_is_told_from_one_without_a_cpu(
    busy: bool, error: type[FreezeError], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long system call, which no freezer ends, is the choice of whoever makes it."""
    monkeypatch.setattr(freezer, "FREEZE_TIMEOUT_S", 1.0)
    code = "while True: pass" if busy else "import time; time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", code])
    try:
        if not busy:
            time.sleep(0.2)  # until it sleeps
        (tmp_path / "cgroup.freeze").touch()
        (tmp_path / "cgroup.events").write_text("frozen 0")
        (tmp_path / "cgroup.procs").write_text(f"{process.pid}\n")
        with pytest.raises(FreezeError) as raised:
            CgroupFreezer(tmp_path, 2).freeze()
        assert raised.type is error
    finally:
        process.kill()
        process.wait()


@pytest.mark.sandbox
def test_freezing_is_quick(start: Callable[..., Confined]) -> None:
    """A generous bound on the best of many, because other tests run in parallel."""
    confined = start("import time\nimport os\nos.write(1, b'upup')\nwhile True: time.sleep(0.001)")
    wait_for(confined)
    if not isinstance(confined.freezer, CgroupFreezer):
        pytest.skip("only control groups are quick")
    seconds: list[float] = []
    for _ in range(40):
        begin = time.perf_counter()
        confined.freezer.freeze()
        confined.freezer.thaw()
        seconds.append(time.perf_counter() - begin)
        time.sleep(0.001)
    assert statistics.quantiles(seconds, n=10)[0] < 0.002


@pytest.mark.sandbox
def test_affinity_is_set_from_outside_only(start: Callable[..., Confined]) -> None:
    cpu = max(os.sched_getaffinity(0))
    confined = start("""
import os, sys, threading, time
os.write(1, b"upup")
while len(os.sched_getaffinity(0)) > 1: time.sleep(0.01)
seen = []
thread = threading.Thread(target=lambda: seen.append(os.sched_getaffinity(0)))
thread.start(); thread.join()
try:
    os.sched_setaffinity(0, range(os.cpu_count()))
except PermissionError:
    print(*seen[0], end="")
""")
    wait_for(confined)
    confined.freezer.set_affinity({cpu})
    assert confined.wait(20) == 0
    assert confined.output() == b"upup" + str(cpu).encode()


@pytest.mark.sandbox
def test_priority(start: Callable[..., Confined]) -> None:
    confined = start(BUSY)
    wait_for(confined)
    assert confined.freezer.set_priority(5)
    assert niceness(confined) == {5}
    allowed = confined.freezer.set_priority(-20)
    assert allowed == (os.geteuid() == 0)
    assert niceness(confined) == {-20 if allowed else 5}


def niceness(confined: Confined) -> set[int]:
    tasks = confined.freezer.usage().tasks
    return {os.getpriority(os.PRIO_PROCESS, task) for task in tasks}
