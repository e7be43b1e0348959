"""Files that the judge sends to a worker, and files that a worker has written.

They are copied through the judge's buffers. Files from a worker were written by the candidate: they
are untrusted bytes of limited length.
"""

from collections.abc import Sequence
from contextlib import ExitStack

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.buffers import Buffer
from hotloop.judge.worker_connection import NO_PROTOCOL, WorkerConnection

TIMEOUT_S = 30.0
MOST_BYTES = 64 << 20
FIRST_BYTES = 256 << 10
"""Buffer size for a first read, enough for most files: mapping a buffer touches all of its memory,
which takes time."""


def put_file(worker: WorkerConnection, name: str, data: bytes) -> str:
    """Write `data` to a file called `name` in a new folder of the worker; return its path there."""
    return put_files(worker, [(name, data)])[0]


def put_files(worker: WorkerConnection, files: Sequence[tuple[str, bytes]]) -> list[str]:
    """Write several files, each in its own folder, in fewer messages than one call per file."""
    if not files:
        return []
    with ExitStack() as stack:
        buffers: dict[int, Buffer] = {}
        for number, (_, data) in enumerate(files):
            buffer = stack.enter_context(Buffer(len(data), writable=False))
            buffer.bytes[: len(data)] = np.frombuffer(data, np.uint8)
            buffers[number] = buffer
        worker.map(buffers)
        paths = [_put(worker, number, *file) for number, file in enumerate(files)]
        worker.request({"op": "unmap"}, TIMEOUT_S)
    return paths


def get_file(worker: WorkerConnection, path: str, most_bytes: int = MOST_BYTES) -> bytes:
    """Return the content of a file of the worker.

    Raises Ruling: OUTPUT_LIMIT if it has more than `most_bytes`, TAMPERED if it grew meanwhile.
    """
    return get_files(worker, [path], most_bytes)[0]


def get_files(
    worker: WorkerConnection, paths: Sequence[str], most_bytes: int = MOST_BYTES
) -> list[bytes]:
    """Return the contents of several files; see `get_file`."""
    worker.answered = ""  # from here on, the file is judged instead
    first = _read(worker, paths, min(FIRST_BYTES, most_bytes))
    contents: list[bytes] = []
    for path, (size, data) in zip(paths, first, strict=True):
        if len(data) < size <= most_bytes:
            ((size, data),) = _read(worker, [path], size)
        if size > most_bytes:
            limit = most_bytes >> 20
            raise Ruling(Verdict.OUTPUT_LIMIT, f"The file has more than {limit} MiB.")
        if len(data) < size:
            raise Ruling(Verdict.TAMPERED, "The file grew while it was read.")
        contents.append(data)
    return contents


def _put(worker: WorkerConnection, number: int, name: str, data: bytes) -> str:
    request = {"op": "put_file", "name": name, "buffer": number, "bytes": len(data)}
    path = worker.request(request, TIMEOUT_S).get("path")
    if not isinstance(path, str):
        raise Ruling(Verdict.TAMPERED, NO_PROTOCOL)
    return path


def _read(worker: WorkerConnection, paths: Sequence[str], room: int) -> list[tuple[int, bytes]]:
    """Return the size of each file, and its content if that fits in `room` bytes."""
    contents: list[tuple[int, bytes]] = []
    with Buffer(room, writable=True) as buffer:
        worker.map({0: buffer})
        for path in paths:
            reported = worker.request({"op": "get_file", "path": path, "buffer": 0}, TIMEOUT_S)
            size = reported.get("bytes")
            if not isinstance(size, int) or size < 0:
                raise Ruling(Verdict.TAMPERED, NO_PROTOCOL)
            contents.append((size, buffer.bytes[:size].tobytes() if size <= room else b""))
        worker.request({"op": "unmap"}, TIMEOUT_S)
    return contents
