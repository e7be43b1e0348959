"""A process of ours that runs vetted kernels: `python -m hotloop.worker.triton_… --fd N`."""

import argparse
import socket

from hotloop.worker.serve import Worker, answer_requests


def run(worker: Worker) -> None:
    """Answer the judge's requests until it says bye or hangs up."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--fd", type=int, required=True)
    answer_requests(socket.socket(fileno=parser.parse_args().fd), worker)
