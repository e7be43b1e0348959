"""Main loop of the trusted processes that run vetted kernels (`hotloop.worker.triton_… --fd N`)."""

import argparse
import socket

from hotloop.worker.serve import Worker, answer_requests


def run(worker: Worker) -> None:
    """Answer the judge's requests on `--fd` until it sends bye or closes the socket."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--fd", type=int, required=True)
    answer_requests(socket.socket(fileno=parser.parse_args().fd), worker)
