"""Additional risks of forking from a zygote: leftovers, siblings, and the zygote itself.

The attacks on limits, view and system calls are in the other files, which run with both ways to
launch.
"""

import gc
import json
import logging
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import hotloop
from hotloop.course.kernel import ConfinedKernel, NotebookLimits
from hotloop.sandbox.launch import BubblewrapProcess, launch
from hotloop.sandbox.level import level
from hotloop.sandbox.process import Confined
from hotloop.sandbox.watchdog import wait_readable
from hotloop.sandbox.zygote import plan
from hotloop.sandbox.zygote.forked import ForkedProcess
from hotloop.sandbox.zygote.parent import ZygoteProcess
from hotloop.sandbox.zygote.zygote import KERNEL, Zygote

from ..waiting import until
from .conftest import Make

pytestmark = pytest.mark.sandbox
HERE = {Path(sys.prefix), Path(hotloop.__file__)}
"""Two separate trees if another Python than the clone's runs its packages."""

NOT_BELOW_TMP = pytest.mark.skipif(
    any(Path(tempfile.gettempdir()) in path.parents for path in HERE),
    reason="this environment lies in the temporary folder, which then shows up inside in part",
)

Fork = Callable[..., Confined]

PROBE = """
import json, os, resource, socket, stat, sys
def lines(path):
    try:
        return open(path).read().splitlines()
    except OSError as error:
        return [type(error).__name__]
def tree(*tops):
    for top in tops:
        for folder, folders, names in os.walk(top):
            if os.path.basename(folder) == "site-packages":
                folders.clear()  # a clone in /home shows them, and they are more than may be said
                continue
            for name in [*folders, *names]:
                path = os.path.join(folder, name)
                found = os.lstat(path)
                target = os.readlink(path) if stat.S_ISLNK(found.st_mode) else ""
                yield path, f"{stat.filemode(found.st_mode)} {found.st_rdev} {target}"
view = {}
for line in lines("/proc/self/mountinfo"):
    before, after = line.split(" - ")
    fields = before.split()
    root, where, options = fields[3:6]
    kind, _, superblock = after.split(" ", 2)
    view[f"mount {where}"] = [root, sorted(options.split(",")), kind, sorted(superblock.split(","))]
for who in ("self", "1"):
    for line in lines(f"/proc/{who}/status"):
        name, value = line.split(":", 1)
        view[f"status of {who}: {name}"] = value.split()
    for name in ("uid_map", "gid_map", "setgroups", "cgroup", "limits", "oom_score_adj", "environ"):
        view[f"{name} of {who}"] = lines(f"/proc/{who}/{name}")
    for name in ("mem", "fd", "maps"):
        path = f"/proc/{who}/{name}"
        view[f"access to {name} of {who}"] = [os.access(path, how) for how in (os.R_OK, os.W_OK)]
tops = ("/dev", "/etc", "/home", "/run", "/tmp", "/opt")
view |= {f"file {path}": what for path, what in tree(*tops)}
view |= {f"root {name}": os.readlink(f"/{name}") if os.path.islink(f"/{name}") else "folder"
         for name in os.listdir("/")}
view["passwd"] = lines("/etc/passwd")
view["descriptors"] = sorted(
    (fd, os.readlink(f"/proc/self/fd/{fd}").partition(":")[0], os.get_inheritable(int(fd)))
    for fd in os.listdir("/proc/self/fd") if os.path.lexists(f"/proc/self/fd/{fd}"))
view["ids"] = [os.getsid(0), os.getpgrp(), os.getpid(), os.getppid()]
view["users"] = [os.getresuid(), os.getresgid()]
view["groups"] = os.getgroups()
view["names"] = [socket.gethostname(), socket.if_nameindex()]
view["network"] = lines("/proc/net/unix")[1:] + lines("/proc/net/dev")[2:]
view["environment"] = dict(os.environ)
view["working directory"] = os.getcwd()
view["affinity"] = sorted(os.sched_getaffinity(0))
view["priority"] = os.getpriority(os.PRIO_PROCESS, 0)
view["python"] = [sys.path, sys.argv, sys.orig_argv, sys.flags[:], sys.prefix, __name__,
                  sorted(name for name in globals() if name.startswith("__"))]
view["ended threads"] = len(os.listdir("/proc/self/task"))
print(json.dumps(view))
"""

DIFFERENCES = {
    "mount /": "the new root is a file system of its own, not a folder in one",
    "mount /proc/sys": "always covered here; bubblewrap covers what it could write itself",
    "mount /proc/irq": "as /proc/sys",
    "mount /proc/bus": "as /proc/sys",
    "mount /proc/sysrq-trigger": "as /proc/sys",
    "cgroup of self": "its namespace begins at its own group: less is seen",
    "cgroup of 1": "as of self",
    "environ of self": "the memory area with which the zygote was executed, with nothing secret",
    "environ of 1": "as of self",
    "status of 1: Name": "Python, where bubblewrap waits as itself",
    "status of 1: SigBlk": "as Name",
    "status of 1: SigIgn": "as Name",
    "status of 1: SigCgt": "as Name",
    "status of 1: Groups": "as Name",
    "status of 1: FDSize": "as Name",
    "status of 1: CapInh": "it has given up all of its rights, where root's bubblewrap keeps some",
    "status of 1: CapPrm": "as CapInh",
    "status of 1: CapEff": "as CapInh",
    "status of 1: CapBnd": "as CapInh",
    "status of 1: Uid": "root of the namespace that owns the mounts, which has no right left",
    "status of 1: Gid": "as Uid",
    "uid_map of 1": "as Uid",
    "gid_map of 1": "as Uid",
    "status of 1: Seccomp": "it is filtered too",
    "status of 1: Seccomp_filters": "as Seccomp",
    "status of 1: NoNewPrivs": "as Seccomp",
    "access to maps of 1": "nothing of it can be looked into",
    "access to mem of 1": "as maps",
    "access to fd of 1": "as maps",
    "status of self: FDSize": "room in a table that was inherited",
}
"""Reasons for known differences, by name in the view."""
MEASURED = ("Vm", "Rss", "Hugetlb", "SigQ", "voluntary", "nonvoluntary", "State", "Threads")
"""Prefixes of the fields of /proc/PID/status that are measurements."""


@pytest.fixture
def fork(confinement: Make, zygote: Zygote) -> Iterator[Fork]:
    """Launches with the zygote only."""
    if level()[0] == "none":
        pytest.skip(level()[1])
    running: list[Confined] = []

    def begin(code: str, **changes: object) -> Confined:
        running.append(zygote.launch(confinement(code, **changes)))
        assert isinstance(running[-1], ForkedProcess)
        return running[-1]

    yield begin
    for confined in running:
        confined.kill()


def ended(confined: Confined) -> str:
    """Return a program's output; it must have ended successfully."""
    status = confined.wait(60)
    text = confined.output().decode(errors="replace")
    assert (status, confined.death, confined.fault) == (0, None, None), text
    return text


def is_measured(name: str) -> bool:
    return name.startswith("status") and name.split(": ")[1].startswith(MEASURED)


@NOT_BELOW_TMP
def test_both_ways_give_the_same_view(fork: Fork, confinement: Make, tmp_path: Path) -> None:
    (tmp_path / "handed in").mkdir()
    (tmp_path / "given").mkdir()
    changes = {
        "files": tmp_path / "handed in",
        "read_only": {"/run/hotloop": tmp_path / "given"},
        "environment": {"OMP_NUM_THREADS": "1"},
    }
    # The spare user that root uses differs each time, and so does the copy's name.
    first = launch(confinement(PROBE, **changes))
    here = json.loads(ended(first).replace(str(_user(first)), "7777777"))
    second = fork(PROBE, **changes)
    there = json.loads(ended(second).replace(str(_user(second)), "7777777"))
    unlike = {
        name: (here.get(name), there.get(name))
        for name in sorted({*here, *there})
        if here.get(name) != there.get(name) and not is_measured(name)
    }
    submission = unlike.pop("mount /submission", None)
    if submission is not None:  # only its name, which is new for every copy
        one, other = submission
        assert one[1:] == other[1:]
    print("differ:", *unlike, sep="\n")
    assert {name: both for name, both in unlike.items() if name not in DIFFERENCES} == {}


def _user(confined: Confined) -> int | str:
    assert isinstance(confined, BubblewrapProcess | ForkedProcess)
    return confined.user if confined.user is not None else "no such text"


SEARCH = """
import gc
before, after = bytes.fromhex("{first}"), bytes.fromhex("{second}")
def found():
    for line in open("/proc/self/maps"):
        area, rights = line.split()[:2]
        low, high = (int(part, 16) for part in area.split("-"))
        if "r" not in rights or "[v" in line:
            continue
        with open("/proc/self/mem", "rb", 0) as memory:
            memory.seek(low)
            text = memory.read(high - low)
        at = text.find(before)
        while at >= 0:
            # The parts are never put together here, so that nothing finds itself.
            if text[at + len(before) : at + len(before) + len(after)] == after:
                return True
            at = text.find(before, at + 1)
    return False
print(found())
control = before + after
print(found())
"""


@pytest.mark.slow
def test_nothing_of_others_is_in_the_memory(
    fork: Fork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither data of an earlier child, however it was received, nor of the owner."""
    marks = [f"mark{secrets.token_hex(12)}" for _ in range(2)]
    monkeypatch.setenv("HOTLOOP_TEST_SECRET", marks[1])
    (tmp_path / "answer.txt").write_text(marks[0])
    before = fork(
        f"import os; kept = ['{marks[0]}' * 100]; print(open('/submission/answer.txt').read())",
        environment={"HOTLOOP_JUDGE": marks[0]},
        files=tmp_path,
    )
    assert marks[0] in ended(before)
    for mark in marks:
        first, second = (part.encode().hex() for part in (mark[:14], mark[14:]))
        searched = ended(fork(SEARCH.format(first=first, second=second)))
        assert searched.split() == ["False", "True"]


@pytest.mark.slow
def test_random_numbers_differ(confinement: Make) -> None:
    pytest.importorskip("numpy")
    code = (
        "import random, numpy, os; print(random.random(), numpy.random.rand(), os.urandom(8).hex())"
    )
    one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    wanted = confinement(code, environment=one_thread)
    with Zygote(preload=("random", "numpy.random")) as zygote:
        said = [ended(zygote.launch(wanted)).split() for _ in range(2)]
    assert all(first != second for first, second in zip(*said, strict=True))


SIBLINGS = """
import os, signal, socket, time
listener = socket.socket(socket.AF_UNIX)
try:
    listener.bind("\\0hotloop-siblings")
except OSError as error:
    print("bound before", error)
master, slave = os.openpty()
open("/tmp/mine", "x").close()
open("/dev/shm/mine", "x").close()
open("/home/learner/mine", "x").close()
print(os.ttyname(slave), sorted(os.listdir("/dev/pts")), os.listdir("/tmp"))
print(sorted(int(name) for name in os.listdir("/proc") if name.isdecimal()) == [1, os.getpid()])
for pid in range(2, 400):
    try:
        if pid != os.getpid():
            os.kill(pid, signal.SIGKILL)
            print("reached", pid)
    except OSError:
        pass
try:
    os.kill(1, signal.SIGINT)
    os.kill(1, signal.SIGTERM)
except PermissionError:
    pass
print(open("/proc/net/unix").read().count("hotloop"))
print("up", flush=True)
time.sleep(30)
"""


@NOT_BELOW_TMP
def test_siblings_do_not_meet(fork: Fork) -> None:
    pair = [fork(SIBLINGS), fork(SIBLINGS)]
    until(lambda: all(b"up" in c.output() for c in pair), 20)
    first, second = (c.output().decode().splitlines() for c in pair)
    assert first == second
    assert first[0] == "/dev/pts/0 ['0', 'ptmx'] ['mine']"
    assert first[1:] == ["True", "1", "up"]
    assert all(c.poll() is None for c in pair)


def test_the_zygote_is_out_of_reach(fork: Fork) -> None:
    said = ended(
        fork("""
import gc, os, socket
print([o for o in gc.get_objects() if isinstance(o, socket.socket)])
print(os.getppid(), os.path.exists("/run/hotloop-zygote"))
try:
    os.readlink("/proc/1/root")
except PermissionError:
    print("closed")
try:
    open("/proc/1/mem", "r+b")
except PermissionError:
    print("closed")
for where in ("/proc/self/root/..", "/proc/self/cwd/../../.."):
    print(os.path.samefile(where, "/"))
""")
    )
    assert said.splitlines() == ["[]", "1 False", "closed", "closed", "True", "True"]


def test_a_child_cannot_fake_its_end(fork: Fork) -> None:
    """The program does not have the socket on which the status is sent."""
    confined = fork("""
import os
for fd in range(3, 200):
    try:
        os.write(fd, b'\\0\\0\\0\\x0e{"status": 99}')
    except OSError:
        pass
raise SystemExit(3)
""")
    assert confined.wait(20) == 3


@pytest.mark.slow
def test_a_zygote_that_dies_is_our_fault_and_is_replaced(confinement: Make) -> None:
    with Zygote(preload=()) as zygote:
        confined = zygote.launch(confinement("import time; time.sleep(60)"))
        assert isinstance(confined, ForkedProcess)
        os.kill(confined.zygote.pid, signal.SIGKILL)
        assert confined.wait(20) == 128 + signal.SIGKILL
        assert (confined.death, confined.fault) == (None, confined.fault)
        assert confined.fault is not None
        again = zygote.launch(confinement("print('again')"))
        assert isinstance(again, ForkedProcess)
        assert ended(again) == "again\n"


@pytest.mark.slow
def test_an_end_that_is_seen_late_is_one_too(
    confinement: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its socket may still accept data that nobody reads."""
    fork = ZygoteProcess.fork

    def dies(self: ZygoteProcess, owner: int) -> None:
        monkeypatch.setattr(ZygoteProcess, "fork", fork)
        os.kill(self.pid, signal.SIGKILL)

    monkeypatch.setattr(ZygoteProcess, "fork", dies)
    with Zygote(preload=()) as zygote:
        again = zygote.launch(confinement("print('again')"))
        assert isinstance(again, ForkedProcess)
        assert ended(again) == "again\n"


def test_closing_ends_all(confinement: Make) -> None:
    zygote = Zygote(preload=())
    confined = zygote.launch(confinement("import time; time.sleep(60)"))
    zygote.close()
    zygote.close()
    assert confined.wait(20) is not None


OWNER = """
import sys, time
from hotloop.sandbox.confinement import Confinement
from hotloop.sandbox.zygote.zygote import Zygote
zygote = Zygote(preload=())
confined = zygote.launch(Confinement(
    argv=(sys.executable, "-c", "import time; time.sleep(60)"), environment={}, read_only={},
    writable={}, files=None, memory_bytes=1 << 28, processes=8, tmp_bytes=1 << 20,
    wall_s=60, output_bytes=1000))
print(confined.pid, confined.zygote.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.slow
def test_a_killed_owner_takes_all_along() -> None:
    owner = subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True)
    with owner:
        assert owner.stdout is not None
        processes = [os.pidfd_open(int(pid)) for pid in owner.stdout.readline().split()]
        owner.send_signal(signal.SIGKILL)
    for process in processes:
        assert wait_readable(process, 20)
        os.close(process)


@pytest.mark.slow
def test_descriptors_of_the_owner_are_given_back(fork: Fork, submission: Path) -> None:
    def once() -> int:
        ended(fork("pass", files=submission))
        gc.collect()
        return len(list(Path("/proc/self/fd").iterdir()))

    once()
    # The freezer's two descriptors stay open while the test holds the process.
    before = once()
    grown = [once() - before for _ in range(3)]
    per_held = grown[0]
    assert per_held <= 2
    assert grown == [per_held, 2 * per_held, 3 * per_held]


def test_many_at_once(fork: Fork) -> None:
    made: list[Confined] = []

    def begin(number: int) -> None:
        made.append(fork(f"print({number})"))

    threads = [threading.Thread(target=begin, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(int(ended(confined)) for confined in made) == list(range(8))


@pytest.mark.slow
def test_what_is_read_at_import_has_a_zygote_of_its_own(confinement: Make) -> None:
    """For example, `hash`'s seed differs between zygotes."""
    with Zygote(preload=()) as zygote:

        def seed(**environment: str) -> str:
            confined = zygote.launch(confinement("print(hash('x'))", environment=environment))
            assert isinstance(confined, ForkedProcess) == (environment.get("LAST") is None)
            return ended(confined)

        assert seed(TRITON_INTERPRET="1") == seed(TRITON_INTERPRET="1", HOTLOOP_JUDGE="/run/x")
        assert seed(TRITON_INTERPRET="1") != seed(TRITON_INTERPRET="0")
        assert seed(PYTHONHASHSEED="7") == seed(PYTHONHASHSEED="7")
        seed()
        seed(LAST="one too many")


def test_placement_is_the_owners(fork: Fork) -> None:
    fork("pass").wait(20)
    mine = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(mine)})
    made: list[Confined] = []
    # The thread that starts it inherits from this one.
    try:
        made.append(fork("import os; print(sorted(os.sched_getaffinity(0)))"))
    finally:
        os.sched_setaffinity(0, mine)
    assert json.loads(ended(made[0])) == [min(mine)]


def test_a_failure_is_told_as_python_tells_it(fork: Fork) -> None:
    confined = fork("1 / 0")
    assert confined.wait(20) == 1
    assert confined.output().decode().splitlines()[-1] == "ZeroDivisionError: division by zero"


@pytest.mark.parametrize(
    "changes",
    [
        {"read_only": {"/run/given": Path("/usr/share")}},
        {"read_only": {"/usr/share/given": Path("/tmp")}},
        {"argv": ("/bin/true",)},
        {"argv": (sys.executable, "-m", "compileall", "-h")},
    ],
    ids=["not shared", "covers the view", "no Python", "not preloaded"],
)
def test_what_it_cannot_serve_is_launched_all_the_same(
    confinement: Make, zygote: Zygote, changes: dict[str, object], tmp_path: Path
) -> None:
    wanted = confinement("pass", **changes)
    if "/usr/share/given" in wanted.read_only:
        assert plan.can_serve(wanted, ())
        with pytest.raises(RuntimeError):
            zygote.launch(wanted)
        return
    confined = zygote.launch(wanted)
    assert isinstance(confined, BubblewrapProcess)
    assert confined.wait(20) == 0


@pytest.mark.slow
def test_a_refusal_is_told_once(confinement: Make, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    with Zygote(preload=("no_such_module",)) as zygote:
        for _ in range(2):
            confined = zygote.launch(confinement("print(1)"))
            assert isinstance(confined, BubblewrapProcess)
            assert ended(confined) == "1\n"
    (said,) = [record.getMessage() for record in caplog.records]
    assert "without a zygote" in said
    assert "no_such_module" in said


def test_another_folder_than_the_one_meant_is_not_given(
    confinement: Make, tmp_path: Path, zygote: Zygote, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = plan.request

    def other(*arguments: object) -> object:
        request = seen(*arguments)  # pyright: ignore[reportArgumentType]
        return replace(request, mounts=[replace(m, inode=m.inode + 1) for m in request.mounts])

    monkeypatch.setattr(plan, "request", other)
    confined = zygote.launch(confinement("print(1)", read_only={"/run/given": tmp_path}))
    assert isinstance(confined, BubblewrapProcess)
    assert ended(confined) == "1\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("hindrance", "said"),
    [
        ("import threading, time; threading.Thread(target=time.sleep, args=(5,)).start()", "1 thr"),
        ("import os; os.open('/dev/null', 0)", "descriptors open: [3]"),
        ("pass", ""),
    ],
)
def test_what_a_fork_would_tear_apart_is_refused(hindrance: str, said: str) -> None:
    wanted = "from hotloop.worker.zygote.__main__ import require_forkable"
    code = f"{hindrance}\n{wanted}\nrequire_forkable(2)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert said in done.stderr
    assert bool(done.returncode) == bool(said), done.stderr


KERNEL_CELL = """
import os, random, sys
print(sys.argv[0].endswith("worker/kernel.py"), __name__, os.getpid(), os.getcwd())
print(open("answer.txt").read(), get_ipython().ipython_dir)
print(random.random())
"""


@pytest.mark.slow
def test_a_kernel(tmp_path: Path) -> None:
    pytest.importorskip("ipykernel")
    (tmp_path / "answer.txt").write_text("42")
    randoms: list[str] = []
    with Zygote(KERNEL) as zygote:
        for _ in range(2):
            with ConfinedKernel(tmp_path, zygote.launch, NotebookLimits()) as kernel:
                assert isinstance(kernel.process, ForkedProcess)
                status, outputs = kernel.execute(KERNEL_CELL)
                text = "".join(str(node.get("text", "")) for node in outputs.nodes)
                first, second, number = text.splitlines()
                assert (status, first) == ("ok", "True __main__ 2 /home/learner")
                assert second == "42 /tmp/ipython"
                randoms.append(number)
                assert kernel.execute("raise KeyboardInterrupt")[0] == "error"
    assert randoms[0] != randoms[1]
