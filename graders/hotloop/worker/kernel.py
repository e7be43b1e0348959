"""The Jupyter kernel in the sandbox: `python -m hotloop.worker.kernel -f FILE --sockets 5,6,7,8`.

The four sockets (shell, iopub, stdin, control) are already bound and listening: the host made them,
so that the sandbox and the host need no shared folder that the sandbox can write. The submission's
files are copied into the working directory first, so that a notebook can write beside them.
"""

import argparse
import os
from pathlib import Path
from typing import Any, cast

import zmq

from hotloop.worker import triton_compat
from hotloop.worker.cells import CellApp
from hotloop.worker.files import copy_files
from hotloop.worker.lifetime import end_with_parent

SUBMISSION = Path("/submission")
CHANNELS = ("shell", "iopub", "stdin", "control")


class NotebookKernel(CellApp):
    """The kernel over listening sockets that this process inherited."""

    sockets: dict[int, int]
    """File descriptor of each listening socket, by the port number in the connection file."""

    def _bind_socket(self, s: Any, port: int) -> int:
        s.setsockopt(zmq.USE_FD, self.sockets[port])
        s.bind(f"ipc://{self.ip}-{port}")
        return port


def main() -> None:
    """Copy the submission's files, start the kernel, run until it is shut down."""
    parser = argparse.ArgumentParser(prog="python -m hotloop.worker.kernel")
    parser.add_argument("-f", dest="connection_file", required=True)
    parser.add_argument("--sockets", required=True)
    parser.add_argument("--files", type=Path, default=SUBMISSION)
    arguments = parser.parse_args()
    end_with_parent()
    # As the leader of its process group the kernel can be interrupted together with its children.
    if os.getpgrp() != os.getpid():
        os.setpgid(0, 0)
    descriptors = [int(fd) for fd in arguments.sockets.split(",")]
    triton_compat.correct_interpreter()
    app = NotebookKernel(connection_file=arguments.connection_file)
    app.sockets = dict(enumerate(descriptors, start=1))
    cast(Any, app).initialize([])
    copy_files(arguments.files)
    cast(Any, app).start()


if __name__ == "__main__":
    main()
