"""Workers on a fake CUDA device, forked from this process, which has imported torch once.

`python worker.py --fd N` reads requests {"library", "environment"} with a socket beside each, and
answers with the new worker's process id. A worker is the package's own; only the parts of torch's
CUDA build are replaced: a mapped range, which is host memory here, is wrapped as such.
"""

import argparse
import ctypes
import os
import signal
import socket
from typing import Any

import torch

from hotloop.core.wire import WireClosed, receive_with_fds, send
from hotloop.worker.device import Cuda, DeviceCalls
from hotloop.worker.serve import Worker


def host_bytes(address: int, size: int) -> Any:
    """A flat uint8 tensor over memory of this process."""
    return torch.frombuffer((ctypes.c_ubyte * size).from_address(address), dtype=torch.uint8)


def serve(sock: socket.socket, library: str) -> None:
    torch.set_num_threads(1)
    cuda = Cuda(library)
    cuda.use(0)
    worker = Worker({})
    worker.device = DeviceCalls(cuda, host_bytes)
    while True:
        try:
            message, fds = receive_with_fds(sock)
        except WireClosed:
            return
        send(sock, worker.answer(message, fds))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--fd", type=int, required=True)
    control = socket.socket(fileno=parser.parse_args().fd)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        try:
            message, fds = receive_with_fds(control)
        except WireClosed:
            return
        pid = os.fork()
        if pid == 0:
            control.close()
            os.environ.update(message["environment"])
            serve(socket.socket(fileno=fds[0]), message["library"])
            os._exit(0)
        os.close(fds[0])
        send(control, {"pid": pid})


if __name__ == "__main__":
    main()
