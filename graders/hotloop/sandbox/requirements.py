"""Checks what confinement needs on this machine, and names the command that installs it."""

import os
import sys
from functools import cache
from pathlib import Path

from hotloop.sandbox import bubblewrap, seccomp

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
    return ""


def diagnose(said: str) -> str:
    """Return why bubblewrap failed, with the fix, from its output."""
    failure = f"bubblewrap cannot start here ({said[-400:]})"
    if os.geteuid() == 0:
        return (
            f"{failure}: root lacks the right to mount. In Docker, start the container with "
            "--cap-add SYS_ADMIN --security-opt seccomp=unconfined --security-opt "
            "apparmor=unconfined --security-opt systempaths=unconfined"
        )
    covered = _mounted_over_proc()
    if covered and "proc" in said:
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
