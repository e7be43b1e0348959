"""A control group (cgroup) for each sandbox, if this machine permits it.

The group freezes the whole sandbox at once, and the kernel enforces its memory limit. cgroup
version 2 can freeze in any group; limiting memory requires that the parent delegates the memory
controller. Version 1 has one hierarchy per controller. Groups are created below this process's
group, or below the nearest writable ancestor that delegates the memory controller.
"""

import contextlib
import os
import signal
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hotloop.sandbox import processes
from hotloop.sandbox.freezer import CgroupFreezer
from hotloop.sandbox.owner import is_stale, new_tag

_REMOVE_TIMEOUT_S = 2.0


@dataclass(frozen=True)
class ParentGroup:
    """A group of cgroup version 1 or 2 below which this process can create groups."""

    parent: Path
    version: int


@dataclass(frozen=True)
class Places:
    """Where sandboxes can be frozen and their memory limited; None if that is not possible."""

    freezer: ParentGroup | None
    memory: ParentGroup | None

    def distinct(self) -> Iterator[ParentGroup]:
        """Yield each place once."""
        yield from {place for place in (self.freezer, self.memory) if place is not None}


class Groups:
    """The control groups of one sandbox."""

    def __init__(self, tag: str, places: Places) -> None:
        self._folders = {place: place.parent / tag for place in places.distinct()}
        self._places = places
        self._oom_fd = -1
        try:
            for folder in self._folders.values():
                folder.mkdir()
        except OSError:
            self.remove()
            raise

    def freezer(self) -> CgroupFreezer | None:
        """Return a freezer for the sandbox, or None if no group can freeze here."""
        place = self._places.freezer
        return CgroupFreezer(self._folders[place], place.version) if place else None

    def limit(self, memory_bytes: int, tasks: int) -> None:
        """Limit memory (swap included) and, with version 2, the number of tasks."""
        place = self._places.memory
        if place is None:
            return
        folder = self._folders[place]
        if place.version == 2:
            _write(folder / "memory.max", memory_bytes)
            _try_write(folder / "memory.swap.max", 0)
            _try_write(folder / "pids.max", tasks)
        else:
            _write(folder / "memory.limit_in_bytes", memory_bytes)
            _try_write(folder / "memory.memsw.limit_in_bytes", memory_bytes)

    def add(self, pid: int) -> None:
        """Move a process into the groups; its later children start there too."""
        for folder in self._folders.values():
            _write(folder / "cgroup.procs", pid)

    def oom_fd(self) -> tuple[int, bool]:
        """Return a descriptor to poll for the memory limit, and whether to poll for POLLPRI.

        The descriptor is -1 if there is none.
        """
        place = self._places.memory
        if place is None:
            return -1, False
        folder = self._folders[place]
        if self._oom_fd < 0:
            self._oom_fd = _events_v2(folder) if place.version == 2 else _events_v1(folder)
        return self._oom_fd, place.version == 2

    def out_of_memory(self) -> bool:
        """Return True once the kernel has reported or killed for lack of memory in this group."""
        place = self._places.memory
        if place is None:
            return False
        name = "memory.events" if place.version == 2 else "memory.oom_control"
        try:
            text = (self._folders[place] / name).read_text(encoding="ascii")
        except OSError:
            return False
        counts = dict(line.split() for line in text.splitlines())
        return any(counts.get(name, "0") != "0" for name in ("oom", "oom_kill"))

    def remove(self) -> None:
        """Kill the remaining processes and remove the groups."""
        if self._oom_fd >= 0:
            os.close(self._oom_fd)
            self._oom_fd = -1
        for place, folder in self._folders.items():
            _remove(folder, place.version)


def make_groups() -> Groups | None:
    """Create the groups of one sandbox. Returns None if this machine permits none."""
    possible = places()
    if possible.freezer is None and possible.memory is None:
        return None
    try:
        return Groups(new_tag(), possible)
    except OSError:
        return None


def sweep() -> None:
    """Remove the groups of launchers that have ended."""
    for place in places().distinct():
        for name in os.listdir(place.parent):  # noqa: PTH208 - names are all that is needed
            if is_stale(name):
                _remove(place.parent / name, place.version)


def stands_still(pid: int) -> bool:
    """Return True if a process is stopped or its group is frozen, by any process."""
    status = processes.stat(pid)
    if status is not None and status.state in {"T", "t"}:
        return True
    try:
        membership = Path(f"/proc/{pid}/cgroup").read_text(encoding="utf-8")
    except OSError:
        return False
    groups = own_groups(membership, Path("/proc/self/mountinfo").read_text(encoding="utf-8"))
    marks = (("", "cgroup.events", "frozen 1"), ("freezer", "freezer.state", "FROZEN"))
    return any(_says(groups.get(name), file, mark) for name, file, mark in marks)


def _says(hierarchy: tuple[Path, Path] | None, file: str, mark: str) -> bool:
    if hierarchy is None:
        return False
    try:
        return mark in (hierarchy[1] / file).read_text(encoding="ascii")
    except OSError:
        return False


@cache
def places() -> Places:
    """Return where this process can create groups; tried once and cached."""
    own = own_groups(
        Path("/proc/self/cgroup").read_text(encoding="utf-8"),
        Path("/proc/self/mountinfo").read_text(encoding="utf-8"),
    )
    freezer = freezer_place(own, 2) or freezer_place(own, 1)
    memory = _place_v2(own.get(""), memory=True) or _place_v1(own.get("memory"))
    if memory is not None and memory.version == 2:
        freezer = memory
    return Places(freezer, memory)


def freezer_place(own: Mapping[str, tuple[Path, Path]], version: int) -> ParentGroup | None:
    """Return where a freezable group of that version can be created, or None.

    `own`: the result of `own_groups`.
    """
    return _place_v2(own.get("")) if version == 2 else _place_v1(own.get("freezer"))


def own_groups(membership: str, mountinfo: str) -> dict[str, tuple[Path, Path]]:
    """Return, by controller, the hierarchy's mount point and this process's group in it.

    The controller of version 2 is "". The arguments are the texts of /proc/self/cgroup and
    /proc/self/mountinfo. If a container shows only a part of the hierarchy that lacks this
    process's group, the mount point is returned as the group.
    """
    mounts = dict(_mounts(mountinfo))
    groups: dict[str, tuple[Path, Path]] = {}
    for line in membership.splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            if controller not in mounts:
                continue
            top, root = mounts[controller]
            inner = os.path.relpath(path, root)
            own = top if inner == "." or inner.startswith("..") else top / inner
            groups[controller] = (top, own)
    return groups


def _mounts(mountinfo: str) -> Iterator[tuple[str, tuple[Path, str]]]:
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        fields = before.split()
        where = Path(fields[4]), fields[3]
        if kind == "cgroup2":
            yield "", where
        elif kind == "cgroup":
            for option in options.split(","):
                yield option, where


def _place_v2(unified: tuple[Path, Path] | None, *, memory: bool = False) -> ParentGroup | None:
    """Return the nearest group below which groups can be made.

    memory: and which delegates the memory controller to them.
    """
    if unified is None:
        return None
    for group in _up_to(*unified):
        if memory and not _delegates_memory(group):
            continue
        if _may_make(group) and _may_move_within(group):
            return ParentGroup(group, 2)
    return None


def _delegates_memory(group: Path) -> bool:
    return "memory" in (group / "cgroup.subtree_control").read_text(encoding="ascii").split()


def _place_v1(hierarchy: tuple[Path, Path] | None) -> ParentGroup | None:
    if hierarchy is None or not _may_make(hierarchy[1]):
        return None
    return ParentGroup(hierarchy[1], 1)


def _up_to(top: Path, group: Path) -> Iterator[Path]:
    yield group
    while group != top:
        group = group.parent
        yield group


def _may_make(group: Path) -> bool:
    """Try to create a group: a read-only mount, a full hierarchy and missing rights look alike."""
    trial = group / new_tag()
    try:
        trial.mkdir()
    except OSError:
        return False
    usable = os.access(trial / "cgroup.procs", os.W_OK)
    trial.rmdir()
    return usable


def _may_move_within(group: Path) -> bool:
    """Return True if processes can be moved between groups below `group`.

    Moving one requires write access to cgroup.procs of the common ancestor, which is `group`.
    """
    return os.access(group / "cgroup.procs", os.W_OK)


def _events_v1(folder: Path) -> int:
    event = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
    control = os.open(folder / "memory.oom_control", os.O_RDONLY | os.O_CLOEXEC)
    try:
        _write(folder / "cgroup.event_control", f"{event} {control}")
    except OSError:
        os.close(event)
        return -1
    finally:
        os.close(control)
    return event


def _events_v2(folder: Path) -> int:
    fd = os.open(folder / "memory.events", os.O_RDONLY | os.O_CLOEXEC)
    os.read(fd, 4096)
    return fd


def _write(path: Path, value: int | str) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, str(value).encode())
    finally:
        os.close(fd)


def _try_write(path: Path, value: int | str) -> None:
    with contextlib.suppress(OSError):
        _write(path, value)


def _remove(folder: Path, version: int) -> None:
    deadline = time.monotonic() + _REMOVE_TIMEOUT_S
    while folder.exists():
        try:
            folder.rmdir()
        except OSError:
            _kill_all(folder, version)
            if time.monotonic() > deadline:
                return
            time.sleep(0.001)


def _kill_all(folder: Path, version: int) -> None:
    try:
        pids = (folder / "cgroup.procs").read_text(encoding="ascii").split()
    except OSError:
        return
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)
    if version == 1:
        # With version 1 a frozen task dies only after it is thawed.
        _try_write(folder / "freezer.state", "THAWED")
