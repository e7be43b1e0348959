"""Start and end of sandboxes: the cleanup, also when the launching process is killed."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hotloop.sandbox import bubblewrap, cgroup, launch, requirements
from hotloop.sandbox.confinement import SandboxUnavailable
from hotloop.sandbox.level import level
from hotloop.sandbox.owner import is_stale, new_tag, remove_stale, state_folder
from hotloop.sandbox.process import Confined
from hotloop.sandbox.uids import lease_uid
from hotloop.sandbox.watchdog import wait_readable

from ..waiting import until
from .conftest import Make

pytestmark = pytest.mark.sandbox

LAUNCHER = """
import sys, time
from pathlib import Path
from hotloop.sandbox.confinement import Confinement
from hotloop.sandbox.launch import launch
confined = launch(Confinement(
    argv=(sys.executable, "-c", "import time; time.sleep(60)"), environment={}, read_only={},
    writable={}, files=Path(sys.argv[1]), memory_bytes=1 << 28, processes=8, tmp_bytes=1 << 20,
    wall_s=60, output_bytes=1000))
print(confined.pid, flush=True)
time.sleep(60)
"""


def leftovers() -> set[str]:
    """Return the names of control groups and staged copies, of any process."""
    folders = [place.parent for place in cgroup.places().distinct()]
    folders.append(state_folder("staged"))
    entries = [entry.name for folder in folders if folder.is_dir() for entry in folder.iterdir()]
    return {name for name in entries if name.startswith("hotloop-")}


def ours(names: set[str]) -> set[str]:
    mine = new_tag().rsplit("-", 1)[0]
    return {name for name in names if name.startswith(mine)}


def test_exit_status(run: Callable[..., Any]) -> None:
    assert run("raise SystemExit(7)").status == 7
    assert run("import os; os.abort()").status == 128 + signal.SIGABRT


def test_both_streams_are_kept(run: Callable[..., Any]) -> None:
    ran = run(
        "import sys; print('out', flush=True); print('err', file=sys.stderr); sys.stdin.read()"
    )
    assert (ran.status, ran.text) == (0, "out\nerr\n")


def test_nothing_is_left(start: Callable[..., Confined], submission: Path) -> None:
    (submission / "a.py").write_text("1")
    confined = start("import time; time.sleep(60)", files=submission)
    if cgroup.places().freezer:
        assert ours(leftovers())
    confined.kill()
    assert ours(leftovers()) == set()
    quick = start("pass", files=submission)
    assert quick.wait(20) == 0
    assert ours(leftovers()) == set()


@pytest.mark.slow
@pytest.mark.usefixtures("start")
def test_descriptors_are_given_back(confinement: Make, submission: Path) -> None:
    def once() -> int:
        assert launch.launch(confinement("pass", files=submission)).wait(20) == 0
        gc.collect()
        return len(list(Path("/proc/self/fd").iterdir()))

    before = once()
    assert [once() for _ in range(3)] == [before] * 3
    with pytest.raises(SandboxUnavailable):
        launch.launch(confinement("pass", read_only={"/run/absent": submission / "absent"}))
    assert once() == before


@pytest.mark.slow
def test_threads_that_launched_may_end(start: Callable[..., Confined]) -> None:
    """bubblewrap's --die-with-parent refers to the thread that forked it."""
    made: list[Confined] = []
    thread = threading.Thread(target=lambda: made.append(start("import time; time.sleep(0.5)")))
    thread.start()
    thread.join()
    assert made[0].wait(20) == 0


def test_a_killed_launcher_takes_the_sandbox_along(submission: Path) -> None:
    launcher = subprocess.Popen(
        [sys.executable, "-c", LAUNCHER, str(submission)], stdout=subprocess.PIPE, text=True
    )
    with launcher:
        assert launcher.stdout is not None
        inner = os.pidfd_open(int(launcher.stdout.readline()))
        launcher.send_signal(signal.SIGKILL)
    try:
        assert wait_readable(inner, 20)
    finally:
        os.close(inner)
    # Its leftovers are removed by the next launch, wherever that is.
    stale = {name for name in leftovers() if f"-{launcher.pid}-" in name}
    assert stale
    assert all(map(is_stale, stale))
    cgroup.sweep()
    remove_stale("staged")
    assert not {name for name in leftovers() if f"-{launcher.pid}-" in name}


def test_a_launcher_that_ends_cleans_up(submission: Path) -> None:
    code = LAUNCHER.replace("time.sleep(60)\n", "raise SystemExit\n")
    launcher = subprocess.run(
        [sys.executable, "-c", code, str(submission)], capture_output=True, text=True, timeout=60
    )
    assert launcher.returncode == 0, launcher.stderr
    assert not {name for name in leftovers() if f"-{launcher.args[0]}-" in name}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives out spare users")
def test_no_two_sandboxes_share_a_user(start: Callable[..., Confined]) -> None:
    code = "import os, time; print(os.getuid(), flush=True); time.sleep(20)"
    pair = [start(code), start(code)]
    until(lambda: all(c.output() for c in pair), 20)
    first, second = (int(c.output()) for c in pair)
    assert first != second
    lease = lease_uid()
    assert lease.uid not in {first, second}
    lease.release()
    lease.release()


def test_a_mount_that_does_not_exist_is_our_fault(
    start: Callable[..., Confined], tmp_path: Path
) -> None:
    with pytest.raises(SandboxUnavailable, match="absent"):
        start("pass", read_only={"/run/absent": tmp_path / "absent"})
    assert ours(leftovers()) == set()


@pytest.mark.skipif(os.geteuid() == 0, reason="as root setpriv is executed, and says so itself")
def test_a_program_that_does_not_exist_is_our_fault(start: Callable[..., Confined]) -> None:
    try:
        confined = start("", argv=("/no/such/program",))
    except SandboxUnavailable as gone:
        said = str(gone)  # it ended before its limits were set
    else:
        said = _said_of_the_end(confined)
    assert "No such file" in said


def _said_of_the_end(confined: Confined) -> str:
    """Return the message about a program that the platform itself made fail."""
    assert confined.wait(20) not in (0, None)
    until(lambda: confined.fault is not None, 5)
    return str(confined.fault)


@pytest.mark.parametrize("code", ["pass", "raise SystemExit(1)", "import os; os.kill(1, 9)"])
def test_the_programs_own_end_is_no_fault_of_ours(
    start: Callable[..., Confined], code: str
) -> None:
    confined = start(code)
    assert confined.wait(20) is not None
    assert confined.fault is None


def test_a_kill_is_no_fault(start: Callable[..., Confined]) -> None:
    confined = start("import time; time.sleep(60)")
    confined.kill()
    assert confined.fault is None


@pytest.mark.slow
def test_when_it_cannot_be_restrained_it_never_runs(
    start: Callable[..., Confined], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tmp_path.chmod(0o777)

    def fail(_self: cgroup.Groups, _pid: int) -> None:
        raise PermissionError("no")

    if cgroup.places() == cgroup.Places(None, None):
        pytest.skip("no control groups here")
    monkeypatch.setattr(cgroup.Groups, "add", fail)
    with pytest.raises(PermissionError):
        start("open('/run/out/ran', 'w')", writable={"/run/out": tmp_path})
    time.sleep(0.3)
    assert not (tmp_path / "ran").exists()
    assert ours(leftovers()) == set()


def test_without_bubblewrap_nothing_is_launched(
    confinement: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "program", lambda: None)
    requirements.missing.cache_clear()
    level.cache_clear()
    try:
        with pytest.raises(SandboxUnavailable, match="apt-get install bubblewrap"):
            launch.launch(confinement("pass"))
        assert level() == ("none", requirements.missing())
    finally:
        requirements.missing.cache_clear()
        level.cache_clear()


def test_without_a_filter_nothing_is_launched(
    confinement: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyseccomp", None)
    launch.seccomp.program.cache_clear()
    requirements.missing.cache_clear()
    try:
        with pytest.raises(SandboxUnavailable, match="pip install pyseccomp"):
            launch.launch(confinement("pass"))
    finally:
        launch.seccomp.program.cache_clear()
        requirements.missing.cache_clear()


@pytest.mark.parametrize(
    ("file", "value", "remedy"),
    [
        ("_APPARMOR", "1", "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"),
        ("_CLONE", "0", "sysctl -w kernel.unprivileged_userns_clone=1"),
        ("_MAXIMUM", "0", "sysctl -w user.max_user_namespaces="),
    ],
)
def test_the_remedy_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, file: str, value: str, remedy: str
) -> None:
    for name in ("_APPARMOR", "_CLONE", "_MAXIMUM"):
        monkeypatch.setattr(requirements, name, tmp_path / "absent")
    (tmp_path / "setting").write_text(value + "\n")
    monkeypatch.setattr(requirements, file, tmp_path / "setting")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    said = requirements.diagnose("bwrap: setting up uid map: Permission denied")
    assert remedy in said
    assert "Permission denied" in said


def test_a_container_of_nvidias_toolkit_is_recognized(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its mounts over /proc prevent a user from mounting a new one, whatever Docker's options."""
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        "1 0 0:1 / / rw - overlay overlay rw\n2 1 0:5 / /proc rw - proc proc rw\n"
        "3 2 0:6 / /proc/driver/nvidia rw,nosuid - tmpfs tmpfs rw\n"
    )
    assert requirements._mounted_over_proc(mounts) == ["/proc/driver/nvidia"]
    monkeypatch.setattr(requirements, "_mounted_over_proc", lambda: ["/proc/driver/nvidia"])
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    said = requirements.diagnose(
        "bwrap: Can't mount proc on /newroot/proc: Operation not permitted"
    )
    assert "/proc/driver/nvidia is mounted over /proc" in said
    assert "as root in the container" in said
    other = requirements.diagnose("bwrap: setting up uid map: Permission denied")
    assert "mounted over" not in other


def test_tags_tell_the_living_from_the_dead() -> None:
    assert not is_stale(new_tag())
    head, _, number = new_tag().rpartition("-")
    assert is_stale(f"{head}1-{number}")  # this process, but started at another time
    assert not is_stale("hotloop-1-2-3-4")  # made in another pid namespace
    assert not is_stale("somebody-elses")
