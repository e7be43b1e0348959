"""bubblewrap's command line for a confinement."""

import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hotloop.sandbox.confinement import HOME, SUBMISSION, Confinement
from hotloop.sandbox.view import View, base_view, below

USER = "learner"
USER_ID = 1000
"""Inside a user namespace; root gives a spare id of the machine instead."""

_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_ZYGOTE = ("CAP_SYS_ADMIN", "CAP_NET_ADMIN", "CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")
_NAMESPACES = ("pid", "net", "ipc", "uts", "cgroup")


@dataclass(frozen=True)
class Descriptors:
    """What bubblewrap is handed: the filter, where it tells its child's id and end, the pipe on
    which it waits for a byte, and the two files that name the user inside.

    It keeps the writing end of that pipe too: the launcher's death must not read like its word.
    """

    seccomp: int
    status: int
    block: int
    release: int
    passwd: int
    group: int

    def all(self) -> tuple[int, ...]:
        """Every one of them."""
        return self.seccomp, self.status, self.block, self.release, self.passwd, self.group


def program() -> str | None:
    """Where bubblewrap is, or None."""
    return shutil.which("bwrap", path=_PATH)


def setpriv() -> str | None:
    """Where setpriv is, which drops to a spare user when root launches."""
    return shutil.which("setpriv", path=_PATH)


def command(
    confinement: Confinement, staged: Path | None, uid: int | None, fds: Descriptors
) -> list[str]:
    """The whole command line. `uid` is the spare user when root launches, else None."""
    bwrap = program() or "bwrap"
    drop = _drop_to(uid) if uid is not None else ()
    return [
        bwrap,
        *_isolation(uid is None),
        *_mounts(confinement, staged, fds.passwd, fds.group),
        *("--seccomp", str(fds.seccomp)),
        *("--json-status-fd", str(fds.status)),
        *("--block-fd", str(fds.block), "--sync-fd", str(fds.release)),
        "--",
        *drop,
        *confinement.argv,
    ]


def zygote_command(confinement: Confinement, status: int, passwd: int, group: int) -> list[str]:
    """For a trusted process that confines its children by itself: namespaces and view as for any
    other, but no filter, and as root the capabilities that it takes to make namespaces."""
    plain = os.geteuid() != 0
    capabilities = () if plain else [part for name in _ZYGOTE for part in ("--cap-add", name)]
    return [
        program() or "bwrap",
        *_isolation(plain),
        *("--cap-drop", "ALL", *capabilities),
        *_mounts(confinement, None, passwd, group),
        *("--json-status-fd", str(status)),
        "--",
        *confinement.argv,
    ]


def environment(confinement: Confinement) -> dict[str, str]:
    """All that the process finds in its environment."""
    return {
        "HOME": HOME,
        "USER": USER,
        "LOGNAME": USER,
        "PATH": f"{Path(sys.executable).parent}:{_PATH}",
        "LANG": "C.UTF-8",
        "TMPDIR": "/tmp",
        "PYTHONPATH": ":".join(base_view().packages),
        **confinement.environment,
    }


def user_files(uid: int) -> tuple[str, str]:
    """/etc/passwd and /etc/group."""
    passwd = f"root:x:0:0::/:/usr/sbin/nologin\n{USER}:x:{uid}:{uid}::{HOME}:/bin/sh\n"
    return passwd, f"root:x:0:\n{USER}:x:{uid}:\n"


def _isolation(user_namespace: bool) -> Iterator[str]:
    for name in _NAMESPACES:
        yield f"--unshare-{name}"
    yield from ("--new-session", "--die-with-parent", "--hostname", "hotloop")
    if user_namespace:
        yield from ("--unshare-user", "--uid", str(USER_ID), "--gid", str(USER_ID))


def _drop_to(uid: int) -> tuple[str, ...]:
    return (
        setpriv() or "setpriv",
        *("--reuid", str(uid), "--regid", str(uid), "--clear-groups"),
        *("--inh-caps=-all", "--bounding-set=-all", "--no-new-privs", "--"),
    )


def _mounts(
    confinement: Confinement, staged: Path | None, passwd: int, group: int
) -> Iterator[str]:
    size = str(confinement.tmp_bytes)
    yield from ("--proc", "/proc", "--dev", "/dev")
    yield from ("--size", size, "--perms", "1777", "--tmpfs", "/dev/shm")
    yield from ("--size", size, "--perms", "1777", "--tmpfs", "/tmp")
    yield from ("--size", size, "--perms", "0777", "--tmpfs", HOME)
    for folder in folders(confinement, base_view()):
        yield from ("--dir", folder)
    yield from _trees(base_view())
    yield from ("--perms", "0444", "--file", str(passwd), "/etc/passwd")
    yield from ("--perms", "0444", "--file", str(group), "/etc/group")
    if staged is not None:
        yield from ("--ro-bind", str(staged), SUBMISSION)
    for inside, outside in confinement.read_only.items():
        yield from ("--ro-bind", str(outside), inside)
    for inside, outside in confinement.writable.items():
        yield from ("--bind", str(outside), inside)
    for device in confinement.devices:
        yield from ("--dev-bind", device, device)
    if confinement.devices:
        yield from ("--ro-bind", "/sys", "/sys")
    yield from ("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", HOME)


def folders(confinement: Confinement, view: View) -> Iterator[str]:
    """What leads to a mount, open to all: bubblewrap itself would close it to all but root."""
    seen = [inside for inside, _ in view.seen]
    inner = map(Path, (*confinement.read_only, *confinement.writable))
    targets = [*seen, *inner, *(path for path, _ in view.links)]
    parents = {parent for path in targets for parent in path.parents if parent.name}
    for parent in sorted(parents):
        if not below(parent, seen):
            yield str(parent)


def _trees(view: View) -> Iterator[str]:
    """Parents before what lies below them, so that a cut in a tree does not cover what is in it."""
    steps: list[tuple[Path, tuple[str, ...]]] = [
        (inside, ("--ro-bind", str(outside), str(inside))) for inside, outside in view.seen
    ]
    for path in view.hidden:
        empty = ("--perms", "0755", "--tmpfs", str(path), "--remount-ro", str(path))
        steps.append((path, empty))
    steps.extend((path, ("--symlink", target, str(path))) for path, target in view.links)
    for _, step in sorted(steps, key=lambda pair: len(pair[0].parts)):
        yield from step
