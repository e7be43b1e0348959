"""Turns a forked zygote into a confined program, in three processes.

The first creates the namespaces and exits. The second is process 1 of them: it waits until the
owner has put it under limits, starts the third and then waits for it. The third builds the root
file system, drops its privileges and becomes the program.
"""

import os
import signal
import socket
from typing import NoReturn

from hotloop.core import wire
from hotloop.worker.zygote import calls, descriptors, network, program, rights, root
from hotloop.worker.zygote.program import ChildProgram
from hotloop.worker.zygote.request import HOME, ChildRequest, Mount

HOSTNAME = "hotloop"
_NAMESPACES = calls.NEWNS | calls.NEWPID | calls.NEWNET | calls.NEWIPC | calls.NEWUTS
_FAILED = 70


def become(owner: int) -> ChildProgram:
    """Return the program to run, in the third process only; the other two exit in this function.

    `owner`: a socket to the owner, which receives every failure as `refused`.
    """
    sock = socket.socket(fileno=owner)
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _enter_namespaces()
        if os.fork():
            os._exit(0)
        return _be_first(sock)
    except BaseException as error:  # noqa: BLE001 - it is the platform's fault, whatever it is
        _tell_failure(sock, error)
        os._exit(_FAILED)


def _enter_namespaces() -> None:
    uid, gid = os.geteuid(), os.getegid()
    if uid == 0:
        calls.unshare(_NAMESPACES)
        return
    calls.unshare(_NAMESPACES | calls.NEWUSER)
    # Map to root inside: mounting /dev/pts needs an owner that exists there.
    rights.map_user(0, uid, gid)


def _be_first(sock: socket.socket) -> ChildProgram:
    os.setsid()
    # Process 1 of a namespace ignores signals from inside unless it has a handler for them.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    wire.send(sock, {"made": True})
    message = wire.receive(sock)
    # Only now, in its limited control group: that group then appears as the root of the
    # hierarchy.
    calls.unshare(calls.NEWCGROUP)
    pid = os.fork()
    if pid:
        _wait_for(pid, sock, bytes.fromhex(message["filter"]))
    return _be_program(sock)


def _be_program(sock: socket.socket) -> ChildProgram:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    message, fds = wire.receive_with_fds(sock)
    mounts = [Mount(**mount) for mount in message.pop("mounts")]
    request = ChildRequest(**message, mounts=mounts)
    network.raise_loopback()
    socket.sethostname(HOSTNAME)
    root.build(request)
    output, *passed = fds
    null = os.open("/dev/null", os.O_RDWR)
    wanted = {0: null, 1: output, 2: output, **dict(zip(request.fds, passed, strict=True))}
    owner = socket.socket(fileno=descriptors.arrange(wanted, sock.detach()))
    try:
        os.chdir(HOME)
        rights.give_up(request)
        prepared = program.prepare(request)
        wire.send(owner, {"ready": True})
    except BaseException as error:  # noqa: BLE001
        _tell_failure(owner, error)
        os._exit(_FAILED)
    owner.close()
    return prepared


def _wait_for(pid: int, sock: socket.socket, program_filter: bytes) -> NoReturn:
    """Reap children until the program ends, then exit: that ends the whole namespace."""
    descriptors.close_all_but({sock.fileno()})
    rights.give_up_as_init(program_filter)
    while True:
        ended, status = os.waitpid(-1, 0)
        if ended == pid:
            break
    code = os.waitstatus_to_exitcode(status)
    wire.send(sock, {"status": code if code >= 0 else 128 - code})
    os._exit(0)


def _tell_failure(sock: socket.socket, error: BaseException) -> None:
    try:
        wire.send(sock, {"refused": f"{type(error).__name__}: {error}"[:1000]})
    except Exception:  # noqa: BLE001 - its end tells as much
        return
