"""Lets trusted code connect to the network namespace of a sandbox.

A sandboxed process has a network namespace with only a loopback interface. This program enters that
namespace and no other: files, processes and users stay the judge's, and the sandbox cannot see it.
It is run by its path, without Hotloop, in one of three ways:

    namespace_proxy.py PID --fd N
        for each port requested through socket N, sends back a socket connected to that port inside
    namespace_proxy.py PID --listen N PORT …
        sends through socket N one socket per port that listens inside; port 0 means any free port
    namespace_proxy.py PID -- ARGV …
        executes that program inside

A socket stays in the network namespace it was created in, so the judge then communicates directly:
no data passes through this program.
"""

import array
import ctypes
import fcntl
import os
import socket
import struct
import sys
from pathlib import Path

_NET, _USER = 0x40000000, 0x10000000
_OWNER = 0xB701
"""NS_GET_USERNS: returns the user namespace that owns a namespace."""
_REQUEST = struct.Struct("=Hd")
_HOST = "127.0.0.1"
_BACKLOG = 64


def enter(pid: int) -> None:
    """Enter the network namespace of a process.

    If an unprivileged user started the sandbox, its network belongs to a user namespace, which must
    be entered first.
    """
    network = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    owner = fcntl.ioctl(network, _OWNER)
    if os.fstat(owner).st_ino != Path("/proc/self/ns/user").stat().st_ino:
        _join(owner, _USER)
    _join(network, _NET)
    os.close(owner)
    os.close(network)


def ask(sock: socket.socket, port: int, timeout_s: float) -> socket.socket:
    """Request a socket from a `--fd` process, connected to `port`.

    Raises OSError if nothing listens.
    """
    sock.sendall(_REQUEST.pack(port, timeout_s))
    return take(sock, 1)[0]


def _give_out(sock: socket.socket) -> None:
    while data := sock.recv(_REQUEST.size, socket.MSG_WAITALL):
        port, timeout_s = _REQUEST.unpack(data)
        try:
            connection = socket.create_connection((_HOST, port), timeout_s)
        except OSError as error:
            number = error.errno or 110
            sock.sendall(number.to_bytes(4, "little"))
            continue
        connection.settimeout(None)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        socket.send_fds(sock, [bytes(4)], [connection.fileno()])
        connection.close()


def take(sock: socket.socket, count: int) -> list[socket.socket]:
    """Receive sockets from a process of this program. Raises OSError if a port is not available."""
    size = struct.calcsize("i")
    data, ancillary, _, _ = sock.recvmsg(4, socket.CMSG_SPACE(count * size))
    if len(data) != 4:
        raise ConnectionError("the way into the network is closed")
    number = int.from_bytes(data, "little")
    if number:
        raise OSError(number, os.strerror(number))
    fds = array.array("i", ancillary[0][2][: count * size])
    return [socket.socket(fileno=fd) for fd in fds]


def _listen(sock: socket.socket, ports: list[int]) -> None:
    listeners: list[socket.socket] = []
    try:
        listeners += [socket.create_server((_HOST, port), backlog=_BACKLOG) for port in ports]
    except OSError as error:
        sock.sendall((error.errno or 98).to_bytes(4, "little"))
    else:
        socket.send_fds(sock, [bytes(4)], [listener.fileno() for listener in listeners])
    finally:
        for listener in listeners:
            listener.close()


def _join(namespace: int, kind: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(namespace, kind) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"the server's network cannot be entered: {os.strerror(number)}")


def main() -> None:
    """Run the program."""
    pid, how, *rest = sys.argv[1:]
    enter(int(pid))
    if how == "--fd":
        _give_out(socket.socket(fileno=int(rest[0])))
    elif how == "--listen":
        _listen(socket.socket(fileno=int(rest[0])), [int(port) for port in rest[1:]])
    else:
        os.execvp(rest[0], rest)


if __name__ == "__main__":
    main()
