"""System calls that Python 3.11 does not offer. Each function raises OSError if its call fails."""

import ctypes
import os

NEWNS = 0x00020000
NEWCGROUP = 0x02000000
NEWUTS = 0x04000000
NEWIPC = 0x08000000
NEWUSER = 0x10000000
NEWPID = 0x20000000
NEWNET = 0x40000000

NOSUID, NODEV, NOEXEC = 0x2, 0x4, 0x8
"""Flags of mount(2)."""
BIND, RECURSIVE, PRIVATE = 0x1000, 0x4000, 0x40000
ATTR_RDONLY, ATTR_NOSUID, ATTR_NODEV = 0x1, 0x2, 0x4
"""Attributes of mount_setattr(2)."""

_DETACH = 0x2
_MOUNT_SETATTR = 442
"""The system call's number, the same on every architecture."""
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_SET_DUMPABLE, _SET_SECCOMP, _CAPBSET_DROP, _SET_NO_NEW_PRIVS, _CAP_AMBIENT = 4, 22, 24, 38, 47
_SECCOMP_MODE_FILTER = 2
_AMBIENT_CLEAR_ALL = 4
_CAPABILITY_VERSION_3 = 0x20080522
_LAST_CAPABILITY = 63

_libc = ctypes.CDLL(None, use_errno=True)


class _Program(ctypes.Structure):
    """struct sock_fprog of seccomp(2)."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def unshare(flags: int) -> None:
    """Enter new namespaces. A new pid namespace starts with the next child."""
    _check(_libc.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    """Mount a file system, or bind. `flags`: those above; `data`: options of the file system."""
    options = data.encode() if data else None
    result = _libc.mount(*map(os.fsencode, (source, target, kind)), ctypes.c_ulong(flags), options)
    _check(result, f"mount {kind or 'of a folder'} at {target}")


def set_attributes(path: str, attributes: int, *, recursive: bool = False) -> None:
    """Add attributes to the mount at `path`; with `recursive`, also to mounts below it."""
    attr = (ctypes.c_uint64 * 4)(attributes, 0, 0, 0)
    result = _libc.syscall(
        ctypes.c_long(_MOUNT_SETATTR),
        ctypes.c_int(_AT_FDCWD),
        os.fsencode(path),
        ctypes.c_uint(_AT_RECURSIVE if recursive else 0),
        ctypes.byref(attr),
        ctypes.c_size_t(ctypes.sizeof(attr)),
    )
    _check(result, f"mount_setattr at {path}")


def enter_root(path: str) -> None:
    """Make `path` the root of this mount namespace and unmount the old root."""
    os.chdir(path)
    # pivot_root stacks the old root on top of the new one, so it can be unmounted at ".".
    _check(_libc.pivot_root(b".", b"."), "pivot_root")
    _check(_libc.umount2(b".", _DETACH), "umount of the old root")
    os.chdir("/")


def drop_bounding_set() -> None:
    """Drop all capabilities from the bounding set, so that no later exec gains one.

    Needs CAP_SETPCAP.
    """
    for capability in range(_LAST_CAPABILITY + 1):
        if _prctl(_CAPBSET_DROP, capability) < 0:
            if capability == 0:
                _check(-1, "dropping the bounding set")
            return  # past the last one that this kernel has


def drop_capabilities() -> None:
    """Drop every capability of this process."""
    _check(_prctl(_CAP_AMBIENT, _AMBIENT_CLEAR_ALL), "dropping ambient capabilities")
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    none = (ctypes.c_uint32 * 6)()
    _check(_libc.capset(ctypes.byref(header), ctypes.byref(none)), "capset")


def set_dumpable(dumpable: bool) -> None:
    """Set whether this process's files in /proc belong to its user (PR_SET_DUMPABLE)."""
    _check(_prctl(_SET_DUMPABLE, int(dumpable)), "PR_SET_DUMPABLE")


def load_filter(program: bytes) -> None:
    """Install a seccomp filter (BPF bytes, 8 per instruction); it cannot be removed."""
    _check(_prctl(_SET_NO_NEW_PRIVS, 1), "PR_SET_NO_NEW_PRIVS")
    loaded = _Program(len(program) // 8, program)
    result = _libc.prctl(_SET_SECCOMP, ctypes.c_ulong(_SECCOMP_MODE_FILTER), ctypes.byref(loaded))
    _check(result, "seccomp")


def _prctl(option: int, value: int) -> int:
    zero = ctypes.c_ulong(0)
    return int(_libc.prctl(option, ctypes.c_ulong(value), zero, zero, zero))


def _check(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
