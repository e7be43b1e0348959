"""A process of ours that runs vetted kernels: `python -m hotloop.worker.triton_… --fd N`."""

from __future__ import annotations

import argparse
import socket

from hotloop.worker.serve import Worker
from hotloop.worker.wire import WireClosed, receive_with_fds, send


def run(worker: Worker) -> None:
    """Answer the judge's requests until it says bye or hangs up."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--fd", type=int, required=True)
    sock = socket.socket(fileno=parser.parse_args().fd)
    try:
        while True:
            message, fds = receive_with_fds(sock)
            if message.get("op") == "bye":
                send(sock, {"ok": True})
                return
            send(sock, worker.answer(message, fds))
    except WireClosed:
        return
    finally:
        sock.close()
