"""A worker that runs a notebook's cells: `python -m hotloop.worker.notebook_worker --fd N`.

The judge has the cells run one by one, and then calls what they have defined. Like
`hotloop.worker.__main__`, it imports and starts all that is ours before it copies the submission's
files. What cells and functions print is dropped, whatever its length, as a course drops all but its
beginning.
"""

import argparse
import io
import json
import os
import socket
import sys
from pathlib import Path

from hotloop.core.wire import Message, WireClosed, receive_with_fds, send
from hotloop.worker.cells import Cells
from hotloop.worker.files import copy_files
from hotloop.worker.lifetime import end_with_parent
from hotloop.worker.requests import Requests
from hotloop.worker.serve import serve

SUBMISSION = Path("/submission")


class NotebookRequests(Requests):
    """The requests before the judge asks for names."""

    def __init__(self, cells: Cells) -> None:
        super().__init__()
        self._cells = cells
        self._sources: list[str] = []

    def on_notebook(self, _message: Message, fds: list[int]) -> Message:
        """Read the cells from a file; they are then run by their numbers."""
        with open(fds[0], "rb") as stream:  # noqa: PTH123 - a descriptor
            stream.seek(0)
            self._sources = json.load(stream)
        return {}

    def on_cell(self, message: Message, _fds: list[int]) -> Message:
        """Run one cell for at most `seconds`. Whatever it does is no failure of the request."""
        self._cells.run(self._sources[int(message["number"])], float(message["seconds"]))
        return {}


def main() -> None:
    """Start the kernel, copy the submission's files, serve the judge on `--fd`."""
    parser = argparse.ArgumentParser(prog="python -m hotloop.worker.notebook_worker")
    parser.add_argument("--fd", type=int, required=True)
    parser.add_argument("--files", type=Path, default=SUBMISSION)
    arguments = parser.parse_args()
    end_with_parent()
    cells = Cells()
    copy_files(arguments.files)
    with socket.socket(fileno=arguments.fd) as sock:
        _serve(sock, cells)


def _serve(sock: socket.socket, cells: Cells) -> None:
    requests = NotebookRequests(cells)
    _drop_output()
    try:
        while True:
            message, fds = receive_with_fds(sock)
            if message.get("op") in {"names", "bye"}:
                send(sock, {"ok": True})
                break
            send(sock, requests.answer(message, fds))
    except WireClosed:
        return
    if message.get("op") == "names":
        cells.inside(lambda: serve(sock, sys.modules["__main__"].__dict__))


class _Dropped(io.TextIOBase):
    """What a kernel has for sys.stdout, without anybody who reads it."""

    encoding = "UTF-8"

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def write(self, text: str) -> int:
        if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"write() argument must be str, not {type(text)}")
        return len(text)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor


def _drop_output() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    sys.stdout = sys.stderr = _Dropped(nowhere)


if __name__ == "__main__":
    main()
