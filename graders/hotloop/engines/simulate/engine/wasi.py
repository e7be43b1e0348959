"""As much of WASI as host code needs in a page: arguments, clocks, and what it prints."""

import os
import struct
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from hotloop.engines.simulate.engine.interface import PRINT_BYTES, Memory

SUCCESS, BAD_DESCRIPTOR, NOT_SUPPORTED = 0, 8, 58
_CHARACTER_DEVICE = 2


class Wasi:
    """The system calls of one program. `memory` is set before its first call."""

    def __init__(self, arguments: Sequence[str], output: Path, errors: Path) -> None:
        self.memory: Memory | None = None
        self._arguments = [argument.encode() + b"\0" for argument in arguments]
        # Unbuffered: the files are read before the program's store is closed.
        self._streams = {1: output.open("wb", buffering=0), 2: errors.open("wb", buffering=0)}
        self._room = PRINT_BYTES
        self.functions: dict[str, Callable[..., int]] = {
            "args_get": self._args_get,
            "args_sizes_get": self._args_sizes_get,
            "environ_get": lambda *_: SUCCESS,
            "environ_sizes_get": self._environ_sizes_get,
            "clock_time_get": self._clock_time_get,
            "clock_res_get": self._clock_res_get,
            "random_get": self._random_get,
            "fd_write": self._fd_write,
            "fd_fdstat_get": self._fd_fdstat_get,
            "sched_yield": lambda *_: SUCCESS,
        }
        for name in [
            "fd_close",
            "fd_read",
            "fd_seek",
            "fd_fdstat_set_flags",
            "fd_prestat_get",
            "fd_prestat_dir_name",
            "fd_filestat_get",
            "fd_readdir",
            "fd_tell",
            "fd_sync",
            "fd_pread",
            "fd_pwrite",
        ]:
            self.functions[name] = lambda *_: BAD_DESCRIPTOR
        for name in [
            "path_open",
            "path_create_directory",
            "path_filestat_get",
            "path_readlink",
            "path_remove_directory",
            "path_rename",
            "path_unlink_file",
            "path_link",
            "path_symlink",
            "poll_oneoff",
        ]:
            self.functions[name] = lambda *_: NOT_SUPPORTED

    def close(self) -> None:
        """Close the files that standard output and errors go to."""
        for stream in self._streams.values():
            stream.close()

    def _store(self, address: int, form: str, *numbers: int) -> int:
        assert self.memory is not None
        self.memory.write(address, struct.pack(f"<{form}", *numbers))
        return SUCCESS

    def _args_sizes_get(self, count: int, size: int) -> int:
        self._store(count, "I", len(self._arguments))
        return self._store(size, "I", sum(map(len, self._arguments)))

    def _args_get(self, pointers: int, buffer: int) -> int:
        assert self.memory is not None
        for argument in self._arguments:
            self._store(pointers, "I", buffer & 0xFFFFFFFF)
            self.memory.write(buffer, argument)
            pointers, buffer = pointers + 4, buffer + len(argument)
        return SUCCESS

    def _environ_sizes_get(self, count: int, size: int) -> int:
        return self._store(count, "I", 0) or self._store(size, "I", 0)

    def _clock_time_get(self, clock: int, _precision: int, time_ns: int) -> int:
        now = time.time_ns() if clock == 0 else time.monotonic_ns()
        return self._store(time_ns, "Q", now)

    def _clock_res_get(self, _clock: int, resolution_ns: int) -> int:
        return self._store(resolution_ns, "Q", 1000)

    def _random_get(self, address: int, count: int) -> int:
        assert self.memory is not None
        self.memory.write(address, os.urandom(count))
        return SUCCESS

    def _fd_write(self, descriptor: int, vectors: int, count: int, written: int) -> int:
        assert self.memory is not None
        stream = self._streams.get(descriptor)
        if stream is None:
            return BAD_DESCRIPTOR
        pairs = struct.unpack(f"<{2 * count}I", self.memory.read(vectors, 8 * count))
        total = 0
        for address, size in zip(pairs[::2], pairs[1::2], strict=True):
            stream.write(self.memory.read(address, min(size, self._room)))
            self._room -= min(size, self._room)
            total += size
        return self._store(written, "I", total)

    def _fd_fdstat_get(self, descriptor: int, status: int) -> int:
        if descriptor not in self._streams:
            return BAD_DESCRIPTOR
        return self._store(status, "BxHxxxxQQ", _CHARACTER_DEVICE, 0, 0, 0)
