"""`python -m hotloop.judge --control FD`: the judge process, controlled by its parent over FD."""

import argparse
import ctypes
import gc
import logging
import os
import signal
import socket

from hotloop.judge.service import serve

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4


def main() -> None:
    """Serve jobs until the parent sends "finish" or exits."""
    parser = argparse.ArgumentParser(prog="python -m hotloop.judge")
    parser.add_argument("--control", type=int, required=True)
    control = socket.socket(fileno=parser.parse_args().control)
    libc = ctypes.CDLL(None)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    libc.prctl(_PR_SET_DUMPABLE, 0)
    # Ctrl-C is handled by the parent, which ends this process if needed.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Checks create many small objects and keep them: with Python's default threshold of 700, the
    # garbage collector scans them repeatedly, which took a tenth of the CPU time of
    # ssa_passes.fold.
    gc.set_threshold(50_000, 20, 50)
    logging.basicConfig(level=os.environ.get("HOTLOOP_LOG", "WARNING"), format="judge: %(message)s")
    serve(control)


if __name__ == "__main__":
    main()
