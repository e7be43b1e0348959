"""System calls that are denied inside, each tried."""

from collections.abc import Callable
from typing import Any

import pytest

from hotloop.sandbox import seccomp

pytestmark = pytest.mark.sandbox

TRY = """
import ctypes, errno, json, platform
libc = ctypes.CDLL(None, use_errno=True)
def attempt(number, *arguments):
    ctypes.set_errno(0)
    libc.syscall(ctypes.c_long(number), *arguments)
    return errno.errorcode.get(ctypes.get_errno(), "done")
assert platform.machine() == "x86_64"
L = ctypes.c_long
"""

ATTEMPTS = {
    "memfd_create": '319, b"x", L(0)',
    "memfd_secret": "447, L(0)",
    "shmget": "29, L(0), L(4096), L(0o1600)",
    "msgget": "68, L(0), L(0o1600)",
    "semget": "64, L(0), L(1), L(0o1600)",
    "ptrace": "101, L(0), L(0), L(0), L(0)",
    "process_vm_readv": "310, L(1), L(0), L(0), L(0), L(0), L(0)",
    "process_vm_writev": "311, L(1), L(0), L(0), L(0), L(0), L(0)",
    "pidfd_getfd": "438, L(0), L(0), L(0)",
    "add_key": '248, b"user", b"name", b"value", L(5), L(-3)',
    "keyctl": "250, L(0), L(-3), L(0)",
    "unshare": "272, L(0x10000000)",
    "setns": "308, L(0), L(0)",
    "mount": '165, b"x", b"/tmp", b"tmpfs", L(0), L(0)',
    "mount_setattr": '442, L(-1), b"", L(0), L(0), L(0)',
    "fsopen": '430, b"tmpfs", L(0)',
    "chroot": '161, b"/tmp"',
    "open_by_handle_at": "304, L(0), L(0), L(0)",
    "io_uring_setup": "425, L(1), L(0)",
    "bpf": "321, L(0), L(0), L(0)",
    "perf_event_open": "298, L(0), L(0), L(-1), L(-1), L(0)",
    "userfaultfd": "323, L(0)",
    "kexec_load": "246, L(0), L(0), L(0), L(0)",
    "sched_setaffinity": '203, L(0), L(8), b"\\1" + bytes(7)',
    "clone, new user namespace": "56, L(0x10000011), L(0), L(0), L(0), L(0)",
    "clone, new network": "56, L(0x40000011), L(0), L(0), L(0), L(0)",
    "ioctl TIOCSTI": '16, L(0), L(0x5412), b"x"',
    "ioctl TIOCSTI, high bits set": '16, L(0), L(0x7_0000_5412), b"x"',
    "socket, vsock": "41, L(40), L(1), L(0)",
    "socket, vsock, high bits set": "41, L(0x1_0000_0028), L(1), L(0)",
    "socket, kernel crypto": "41, L(38), L(5), L(0)",
    "socket, packets": "41, L(17), L(3), L(0)",
    "socket, audit messages": "41, L(16), L(3), L(9)",
    "socketpair, reserved family": "53, L(30), L(1), L(0), L(0)",
}


def test_each_is_denied(run: Callable[..., Any]) -> None:
    calls = "\n".join(f"print({name!r}, attempt({a}), sep=': ')" for name, a in ATTEMPTS.items())
    ran = run(TRY + calls)
    assert ran.text.splitlines() == [f"{name}: EPERM" for name in ATTEMPTS]


def test_clone3_is_absent_so_that_glibc_uses_clone(run: Callable[..., Any]) -> None:
    ran = run(TRY + "print(attempt(435, L(0), L(0)))\nimport threading; threading.Thread().start()")
    assert (ran.status, ran.text) == (0, "ENOSYS\n")


def test_calls_of_another_machine_kill(run: Callable[..., Any]) -> None:
    ran = run(TRY + "attempt(0x40000000 + 39)  # getpid of the x32 kind\nprint('went on')")
    assert ran.status == 128 + 31
    assert ran.text == ""


def test_ordinary_sockets_are_allowed(run: Callable[..., Any]) -> None:
    ran = run("""
import socket, threading
for family in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6):
    socket.socket(family).close()
socket.socketpair()
server = socket.create_server(("127.0.0.1", 0))   # its own loopback, as torch.distributed needs
client = socket.create_connection(server.getsockname())
print("fine")
""")
    assert ran.text == "fine\n"


def test_cuda_may_make_memory_files() -> None:
    assert seccomp.program(devices=True) != seccomp.program()


def test_without_the_library_nothing_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyseccomp", None)
    seccomp.program.cache_clear()
    with pytest.raises(seccomp.FilterUnavailable, match="pyseccomp"):
        seccomp.program()
    seccomp.program.cache_clear()
