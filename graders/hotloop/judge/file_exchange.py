"""Files that the judge gives to a worker, and files that a worker has written.

They travel through the judge's buffers. What comes back was written by the candidate: it is bytes,
of a length that is limited, and nothing more is known of it.
"""

from __future__ import annotations

import numpy as np

from hotloop.judge.buffers import Buffer
from hotloop.judge.link import Link
from hotloop.judge.verdict import Ruling, Verdict

TIMEOUT_S = 30.0
MOST_BYTES = 64 << 20
FIRST_BYTES = 256 << 10
"""Room for most files: memory that is handed over is touched first, which takes its time."""


def put_file(link: Link, name: str, data: bytes) -> str:
    """Write `data` to a file called `name` in a folder of the worker's; its path there."""
    with Buffer(len(data), writable=False) as buffer:
        buffer.bytes[: len(data)] = np.frombuffer(data, np.uint8)
        link.map({0: buffer})
        request = {"op": "put_file", "name": name, "buffer": 0, "bytes": len(data)}
        path = link.request(request, TIMEOUT_S).get("path")
        link.request({"op": "unmap"}, TIMEOUT_S)
    if not isinstance(path, str):
        raise Ruling(Verdict.TAMPERED, "The worker's answer does not keep to the protocol.")
    return path


def get_file(link: Link, path: str, most_bytes: int = MOST_BYTES) -> bytes:
    """The content of a file of the worker's. Ruling OUTPUT_LIMIT when it is too long."""
    size, data = _read(link, path, min(FIRST_BYTES, most_bytes))
    if len(data) < size <= most_bytes:
        size, data = _read(link, path, size)
    if size > most_bytes:
        limit = most_bytes >> 20
        raise Ruling(Verdict.OUTPUT_LIMIT, f"The file has more than {limit} MiB.")
    if len(data) < size:
        raise Ruling(Verdict.TAMPERED, "The file grew while it was read.")
    return data


def _read(link: Link, path: str, room: int) -> tuple[int, bytes]:
    """How long the file is, and its content if that fits into `room` bytes."""
    with Buffer(room, writable=True) as buffer:
        link.map({0: buffer})
        size = link.request({"op": "get_file", "path": path, "buffer": 0}, TIMEOUT_S).get("bytes")
        if not isinstance(size, int) or size < 0:
            raise Ruling(Verdict.TAMPERED, "The worker's answer does not keep to the protocol.")
        data = buffer.bytes[:size].tobytes() if size <= room else b""
        link.request({"op": "unmap"}, TIMEOUT_S)
    return size, data
