"""Checks what confinement needs on this machine, and names the command that installs it."""

import os
import shlex
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from hotloop.sandbox import bubblewrap, seccomp
from hotloop.sandbox.view import base_view

_MOUNTS = Path("/proc/self/mountinfo")
_APT = "sudo apt-get install"
_APPARMOR = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
_CLONE = Path("/proc/sys/kernel/unprivileged_userns_clone")
_MAXIMUM = Path("/proc/sys/user/max_user_namespaces")


@cache
def missing() -> str:
    """Return why nothing can be confined here, with the fix; "" if nothing is missing."""
    if sys.platform != "linux":
        return "confinement needs Linux: run Hotloop in a Linux virtual machine"
    if bubblewrap.program() is None:
        return f"bubblewrap is not installed: {_APT} bubblewrap"
    if os.geteuid() == 0 and bubblewrap.setpriv() is None:
        return f"setpriv is not installed: {_APT} util-linux"
    try:
        seccomp.program()
    except seccomp.FilterUnavailable as error:
        return f"{error}: {_APT} libseccomp2 && {sys.executable} -m pip install pyseccomp"
    if os.geteuid() == 0:
        return unreadable([outside for _, outside in base_view().visible], sys.path)
    return ""


def unreadable(trees: Iterable[Path], searched: Iterable[str]) -> str:
    """Return which folder or package a spare user cannot read, with the fix; "" if none.

    What root starts runs under a user id that owns nothing and belongs to no group, so a package
    that only root can read would be missing for a candidate who imports it.

    trees: the folders and files that a confined process sees. searched: as `sys.path`. Of packages,
    only their own folder and `__init__.py` are looked at, and modules beside them.
    """
    trees = tuple(trees)
    for path in dict.fromkeys((*trees, *_imported(trees, searched))):
        if path.exists() and not _others_may_read(path):
            root = min((tree for tree in trees if path.is_relative_to(tree)), key=_depth)
            return (
                f"{path} has mode {path.stat().st_mode & 0o777:04o}, and code that is judged runs "
                "under a user id of its own when root starts Hotloop, which could not read it: "
                f"chmod -R o+rX {shlex.quote(str(root))}"
            )
    return ""


def _imported(trees: tuple[Path, ...], searched: Iterable[str]) -> Iterator[Path]:
    for place in map(Path, searched):
        inside = [tree for tree in trees if place.is_relative_to(tree)]
        if not inside or not place.is_dir():
            continue
        root = max(inside, key=_depth)
        yield from (path for path in reversed(place.parents) if path.is_relative_to(root))
        yield place
        for path in sorted(place.iterdir()):
            if path.suffix in {".py", ".so"}:
                yield path
            elif (path / "__init__.py").is_file():
                yield from (path, path / "__init__.py")


def _depth(path: Path) -> int:
    return len(path.parts)


def _others_may_read(path: Path) -> bool:
    required = 0o5 if path.is_dir() else 0o4
    return path.stat().st_mode & required == required


def diagnose(output: str) -> str:
    """Return why bubblewrap failed, with the fix, from its output."""
    failure = f"bubblewrap cannot start here ({output[-400:]})"
    if os.geteuid() == 0:
        return (
            f"{failure}: root lacks the right to mount. In Docker, start the container with "
            "--cap-add SYS_ADMIN --security-opt seccomp=unconfined --security-opt "
            "apparmor=unconfined --security-opt systempaths=unconfined"
        )
    covered = _mounted_over_proc()
    if covered and "proc" in output:
        return (
            f"{failure}: {covered[0]} is mounted over /proc, as NVIDIA's container toolkit does, "
            "and then nobody but root may mount a new one. Run Hotloop as root in the container, "
            "which is started with --cap-add SYS_ADMIN --security-opt seccomp=unconfined "
            "--security-opt apparmor=unconfined --security-opt systempaths=unconfined, or outside "
            "of it"
        )
    return f"{failure}: {_mend_user_namespaces()}"


def _mounted_over_proc(mounts: Path = _MOUNTS) -> list[str]:
    """Return the mount points below /proc, which cover parts of it."""
    try:
        lines = mounts.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    return [place for line in lines if (place := line.split()[4]).startswith("/proc/")]


def _mend_user_namespaces() -> str:
    if _value(_APPARMOR) == "1":
        return (
            "AppArmor keeps this user from making namespaces: "
            "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
        )
    if _value(_CLONE) == "0":
        return "user namespaces are switched off: sudo sysctl -w kernel.unprivileged_userns_clone=1"
    if _value(_MAXIMUM) == "0":
        return "user namespaces are switched off: sudo sysctl -w user.max_user_namespaces=15000"
    return (
        "this user may not make namespaces. In Docker, start the container with --security-opt "
        "seccomp=unconfined --security-opt apparmor=unconfined --security-opt "
        "systempaths=unconfined"
    )


def _value(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return ""
