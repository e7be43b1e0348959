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
"""User id inside a user namespace. If root launches, a spare id of the machine is used instead."""

_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_ZYGOTE = ("CAP_SYS_ADMIN", "CAP_NET_ADMIN", "CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")
_NAMESPACES = ("pid", "net", "ipc", "uts", "cgroup")


@dataclass(frozen=True)
class Descriptors:
    """The file descriptors that bubblewrap inherits.

    seccomp: the filter. status: where bubblewrap reports its child's pid and exit. block: the pipe
    on which it waits for one byte; release: the pipe's writing end. passwd, group: the files that
    name the user inside.

    bubblewrap also holds `release` open: if the launcher dies, `block` does not see the end of file
    that bubblewrap would take for the byte.
    """

    seccomp: int
    status: int
    block: int
    release: int
    passwd: int
    group: int


def program() -> str | None:
    """Return the path of bubblewrap, or None."""
    return shutil.which("bwrap", path=_PATH)


def setpriv() -> str | None:
    """Return the path of setpriv, which switches to a spare user if root launches, or None."""
    return shutil.which("setpriv", path=_PATH)


def command(
    confinement: Confinement, staged: Path | None, uid: int | None, fds: Descriptors
) -> list[str]:
    """Return the whole command line. `uid` is the spare user if root launches, else None."""
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
    """Return the command line for a trusted process that confines its own children.

    It gets the usual namespaces and files but no seccomp filter; root keeps the capabilities that
    creating namespaces requires.
    """
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
    """Return the complete environment of the process."""
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
    """Return the contents of /etc/passwd and /etc/group."""
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
    """Yield the parent folders of mounts, to be created with --dir and open to all users.

    bubblewrap would create them on its own, but accessible to root only.
    """
    visible = [inside for inside, _ in view.visible]
    inner = map(Path, (*confinement.read_only, *confinement.writable))
    targets = [*visible, *inner, *(path for path, _ in view.links)]
    parents = {parent for path in targets for parent in path.parents if parent.name}
    for parent in sorted(parents):
        if not below(parent, visible):
            yield str(parent)


def _trees(view: View) -> Iterator[str]:
    """Yield the mounts, parents first: a hidden folder must not cover a mount inside it."""
    steps: list[tuple[Path, tuple[str, ...]]] = [
        (inside, ("--ro-bind", str(outside), str(inside))) for inside, outside in view.visible
    ]
    for path in view.hidden:
        empty = ("--perms", "0755", "--tmpfs", str(path), "--remount-ro", str(path))
        steps.append((path, empty))
    steps.extend((path, ("--symlink", target, str(path))) for path, target in view.links)
    for _, step in sorted(steps, key=lambda pair: len(pair[0].parts)):
        yield from step
