"""A worker process: `python -m hotloop.worker --fd N`.

The judge starts it in a sandbox. A submission's files are copied from /submission into the working
directory, so that the candidate can write beside them. What fails before that cannot be the
candidate's doing: the worker then says no hello, and the judge calls it its own fault. Afterwards
an import of ours may find a file of the candidate, so what can be imported is imported before.
"""

import argparse
import socket
import sys
from pathlib import Path

from hotloop.worker import triton_compat
from hotloop.worker.files import copy_files
from hotloop.worker.lifetime import end_with_parent
from hotloop.worker.serve import serve

SUBMISSION = Path("/submission")


def main() -> None:
    """Prepare the interpreter, copy the submission's files, then serve the judge on `--fd`."""
    parser = argparse.ArgumentParser(prog="python -m hotloop.worker")
    parser.add_argument("--fd", type=int, required=True)
    parser.add_argument("--files", type=Path, default=SUBMISSION)
    arguments = parser.parse_args()
    end_with_parent()
    triton_compat.correct_interpreter()
    copy_files(arguments.files)
    serve(socket.socket(fileno=arguments.fd), sys.modules["__main__"].__dict__)


if __name__ == "__main__":
    main()
