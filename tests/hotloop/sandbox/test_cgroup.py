"""Where control groups can be created on different systems, and that they are removed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hotloop.sandbox import cgroup
from hotloop.sandbox.cgroup import Groups, ParentGroup, Places
from hotloop.sandbox.owner import new_tag

MOUNT = "30 23 0:26 {root} {where} rw,nosuid shared:4 - {kind} {source} {options}\n"
V2 = MOUNT.format(
    root="/", where="/sys/fs/cgroup", kind="cgroup2", source="cgroup2", options="rw,nsdelegate"
)


def test_a_desktop() -> None:
    membership = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/term.scope\n"
    top, own = cgroup.own_groups(membership, V2)[""]
    assert top == Path("/sys/fs/cgroup")
    assert own == top / "user.slice/user-1000.slice/user@1000.service/app.slice/term.scope"


def test_a_container_with_a_namespace_of_groups() -> None:
    assert cgroup.own_groups("0::/\n", V2)[""] == (Path("/sys/fs/cgroup"),) * 2


def test_a_container_that_sees_a_part() -> None:
    root = "/docker/abc"
    mounts = MOUNT.format(
        root=root,
        where="/sys/fs/cgroup/memory",
        kind="cgroup",
        source="cgroup",
        options="rw,memory",
    )
    top = Path("/sys/fs/cgroup/memory")
    assert cgroup.own_groups("4:memory:/docker/abc/job\n", mounts)["memory"] == (top, top / "job")
    assert cgroup.own_groups("4:memory:/elsewhere\n", mounts)["memory"] == (top, top)


def test_joined_controllers() -> None:
    mounts = MOUNT.format(
        root="/", where="/cg/cpu", kind="cgroup", source="cgroup", options="rw,cpu,cpuacct"
    )
    found = cgroup.own_groups("3:cpu,cpuacct:/jobs\n1:name=systemd:/\n", mounts)
    assert found == {name: (Path("/cg/cpu"), Path("/cg/cpu/jobs")) for name in ("cpu", "cpuacct")}


def test_no_groups_at_all() -> None:
    assert cgroup.own_groups("", "22 1 0:5 / /proc rw - proc proc rw\n") == {}
    assert cgroup.freezer_place({}, 1) is cgroup.freezer_place({}, 2) is None


@pytest.fixture
def place() -> ParentGroup:
    found = cgroup.places().freezer
    if found is None:
        pytest.skip("this user can make no control groups here")
    return found


def test_removing_kills_what_is_left(place: ParentGroup) -> None:
    groups = Groups(new_tag(), Places(place, None))
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    groups.add(process.pid)
    freezer = groups.freezer()
    assert freezer is not None
    freezer.freeze()
    groups.remove()
    assert process.wait(10) == -signal.SIGKILL
    assert not freezer.group.exists()
    groups.remove()


def test_sweeping_leaves_the_living_alone(place: ParentGroup) -> None:
    groups = Groups(new_tag(), Places(place, None))
    head, _, number = new_tag().rpartition("-")
    stale = place.parent / f"{head}9-{number}"  # as by this process at another time
    stale.mkdir()
    cgroup.sweep()
    freezer = groups.freezer()
    assert freezer is not None
    assert freezer.group.exists()
    assert not stale.exists()
    groups.remove()


def test_a_group_without_memory_control_caps_nothing(place: ParentGroup) -> None:
    groups = Groups(new_tag(), Places(place, None))
    groups.limit(1 << 20, 1)
    assert groups.oom_fd() == (-1, False)
    assert not groups.out_of_memory()
    groups.remove()


def test_the_kernel_caps_memory() -> None:
    memory = cgroup.places().memory
    if memory is None:
        pytest.skip("no memory controller that this user may use")
    groups = Groups(new_tag(), Places(None, memory))
    groups.limit(64 << 20, 16)
    reading, writing = os.pipe()
    code = "import os; os.read(0, 1); kept = bytearray(b'x') * (256 << 20)"
    process = subprocess.Popen([sys.executable, "-c", code], stdin=reading)
    groups.add(process.pid)
    os.write(writing, b"!")
    assert process.wait(20) == -signal.SIGKILL
    assert groups.out_of_memory()
    for fd in (reading, writing):
        os.close(fd)
    groups.remove()
