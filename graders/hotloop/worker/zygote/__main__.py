"""`python -m hotloop.worker.zygote FD [MODULE …]`: import the modules, then fork on request.

FD is a socket to the owner. A request is one byte, with one file descriptor attached: the child's
own socket to the owner.
"""

import gc
import importlib
import os
import signal
import socket
import sys

from hotloop.worker.zygote.child import become
from hotloop.worker.zygote.program import ChildProgram


def main() -> None:
    """Serve until the owner closes the socket. In a forked child, run the requested program."""
    control = socket.socket(fileno=int(sys.argv[1]))
    for name in sys.argv[2:]:
        importlib.import_module(name)
    require_forkable(control.fileno())
    control.send(b"ready")
    program = _serve(control)
    if program is not None:
        program.run()


def _serve(control: socket.socket) -> ChildProgram | None:
    """Return the program in a forked child; None once the owner has closed the socket."""
    # SIG_IGN: the kernel reaps the children. The child that creates namespaces exits at once.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        word, fds, _, _ = socket.recv_fds(control, 1, 1)
        if not word:
            return None
        if os.fork() == 0:
            # Its number may soon be reused: this object must not close it.
            os.close(control.detach())
            return become(fds[0])
        os.close(fds[0])


def require_forkable(control: int) -> None:
    """Check that this process can be forked safely, then freeze the garbage collector.

    Raises SystemExit if there are other threads or open descriptors, and names them.
    """
    # Libraries such as OpenBLAS stop their threads at a fork and restart them when needed.
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    threads = len(os.listdir("/proc/self/task"))  # noqa: PTH208 - only their number is needed
    if threads > 1:
        raise SystemExit(f"the preloaded modules keep {threads - 1} threads")
    others = _open_descriptors() - {0, 1, 2, control}
    if others:
        raise SystemExit(f"the preloaded modules keep descriptors open: {sorted(others)}")
    gc.collect()
    gc.freeze()


def _open_descriptors() -> set[int]:
    numbers = map(int, os.listdir("/proc/self/fd"))  # noqa: PTH208
    return {fd for fd in numbers if os.path.lexists(f"/proc/self/fd/{fd}")}


if __name__ == "__main__":
    main()
