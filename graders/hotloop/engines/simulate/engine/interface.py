"""What both engines have: memories, instances and traps."""

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Protocol


class TrapKind(Enum):
    """Why code of a module was stopped."""

    DIVISION_BY_ZERO = "integer divide by zero"
    STACK_OVERFLOW = "call stack exhausted"
    OTHER = "other"


class Trap(Exception):
    """Code of a module was stopped by the engine, which says why in its own words."""

    def __init__(self, kind: TrapKind, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason


class Interrupted(Exception):
    """Code of a module ran until its time was over."""


class InvalidModule(Exception):
    """Bytes that are no module which the engine runs."""


class Outside(Exception):
    """An address at which the memory has no byte."""


class Memory(Protocol):
    """A linear memory. Addresses and counts are bytes; an address may have come as a signed i32."""

    @property
    def size(self) -> int:
        """Bytes."""
        ...

    def read(self, address: int, count: int) -> bytes:
        """Return a copy of `count` bytes. Raises Outside."""
        ...

    def write(self, address: int, data: bytes | bytearray | memoryview) -> None:
        """Overwrite what begins at the address. Raises Outside."""
        ...


class Instance(Protocol):
    """An instance of a module."""

    def call(self, name: str, *arguments: int) -> int:
        """Call an exported function; return its result, or 0 if it has none.

        Raises Trap, Interrupted, and what a function of ours raised that it called.
        """
        ...

    def value(self, name: str) -> int:
        """Return the value of an exported global."""
        ...

    def memory(self, name: str) -> Memory:
        """Return an exported memory."""
        ...

    def extend_table(self, name: str, other: "Instance", functions: Iterable[str]) -> int:
        """Append another instance's functions to a table; return the first one's index."""
        ...


Types = Sequence[int]
"""Types of parameters or results, as WebAssembly's binary format numbers them: `binary.I32` …"""
