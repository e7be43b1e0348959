"""The system calls that a confined process does not need, as a seccomp filter for bubblewrap.

All others are allowed: torch, compilers and Triton use much of the kernel. A denied call
circumvents a limit (resident-memory accounting misses memfd_create and SysV memory), accesses other
processes, creates namespaces or mounts, or belongs to a large and often vulnerable part of the
kernel.
"""

import errno
import os
from collections.abc import Iterator
from functools import cache
from typing import Any

_MEMORY = "memfd_create memfd_secret shmget shmat shmctl msgget msgsnd msgrcv semget"
_OTHERS = "ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd process_madvise migrate_pages"
_KEYS = "add_key request_key keyctl"
_MOUNTS = (
    "mount umount2 pivot_root chroot move_mount open_tree fsopen fsconfig fsmount fspick "
    "mount_setattr unshare setns name_to_handle_at open_by_handle_at fanotify_init"
)
_KERNEL = (
    "bpf perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register "
    "init_module finit_module delete_module kexec_load kexec_file_load swapon swapoff reboot acct "
    "quotactl quotactl_fd lookup_dcookie syslog vhangup iopl ioperm sethostname setdomainname "
    "settimeofday clock_settime clock_adjtime adjtimex modify_ldt"
)
# The judge chooses a worker's CPUs, from outside the sandbox.
_PLACEMENT = "sched_setaffinity"
DENIED = " ".join((_MEMORY, _OTHERS, _KEYS, _MOUNTS, _KERNEL, _PLACEMENT)).split()
ALLOWED_WITH_DEVICES = frozenset({"memfd_create"})
"""CUDA creates memory files itself."""

# Since 424, numbers are the same on every architecture; older libseccomp lacks the names.
_NUMBERS = {"mount_setattr": 442, "quotactl_fd": 443, "memfd_secret": 447, "process_madvise": 440}
_ABSENT_ELSEWHERE = frozenset({"iopl", "ioperm", "modify_ldt"})

_NEW_NAMESPACES = (
    0x00020000,  # CLONE_NEWNS
    0x02000000,  # CLONE_NEWCGROUP
    0x04000000,  # CLONE_NEWUTS
    0x08000000,  # CLONE_NEWIPC
    0x10000000,  # CLONE_NEWUSER
    0x20000000,  # CLONE_NEWPID
    0x40000000,  # CLONE_NEWNET
)
_UNIX, _INET, _INET6, _NETLINK = 1, 2, 10, 16
_TERMINAL_INPUT = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
_LOW = 0xFFFFFFFF


class FilterUnavailable(RuntimeError):
    """The filter cannot be built here. The message says what is missing."""


@cache
def program(devices: bool = False) -> bytes:
    """Return the filter as BPF bytes. Raises FilterUnavailable if the library is missing.

    devices: allow what CUDA needs (ALLOWED_WITH_DEVICES).
    """
    try:
        import pyseccomp  # pyright: ignore[reportMissingTypeStubs]
    except (ImportError, OSError, RuntimeError) as error:
        raise FilterUnavailable(f"pyseccomp or libseccomp cannot be loaded ({error})") from None
    seccomp: Any = pyseccomp
    rules = seccomp.SyscallFilter(defaction=seccomp.ALLOW)
    for name in DENIED:
        if devices and name in ALLOWED_WITH_DEVICES:
            continue
        _deny(seccomp, rules, name)
    # clone3 fails with ENOSYS, so glibc falls back to clone, whose flags a filter can read.
    rules.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")
    for name, *conditions in _conditional(seccomp):
        rules.add_rule(seccomp.ERRNO(errno.EPERM), name, *conditions)
    return _export(rules)


def _deny(seccomp: Any, rules: Any, name: str) -> None:
    action = seccomp.ERRNO(errno.EPERM)
    try:
        rules.add_rule(action, name)
    except (OSError, ValueError) as error:
        if name in _NUMBERS:
            rules.add_rule(action, _NUMBERS[name])
        elif name not in _ABSENT_ELSEWHERE:
            raise FilterUnavailable(f"libseccomp does not know {name} ({error})") from None


def _conditional(seccomp: Any) -> Iterator[tuple[Any, ...]]:
    def argument(index: int, operator: Any, *values: int) -> Any:
        return seccomp.Arg(index, operator, *values)

    for flag in _NEW_NAMESPACES:
        yield "clone", argument(0, seccomp.MASKED_EQ, flag, flag)
    for call in ("socket", "socketpair"):
        for family in range(_NETLINK):
            if family not in (_UNIX, _INET, _INET6):
                yield call, argument(0, seccomp.MASKED_EQ, _LOW, family)
        yield call, argument(0, seccomp.GT, _NETLINK)
        # Of netlink only protocol 0 (routing), which lists network interfaces, is allowed.
        yield (
            call,
            argument(0, seccomp.EQ, _NETLINK),
            argument(2, seccomp.NE, 0),
        )
    for request in _TERMINAL_INPUT:
        yield "ioctl", argument(1, seccomp.MASKED_EQ, _LOW, request)


def _export(rules: Any) -> bytes:
    fd = os.memfd_create("hotloop-seccomp", os.MFD_CLOEXEC)
    with os.fdopen(fd, "r+b") as stream:
        rules.export_bpf(stream)
        stream.seek(0)
        return stream.read()
