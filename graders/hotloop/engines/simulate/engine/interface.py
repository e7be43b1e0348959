"""What both engines have: memories, instances and traps."""

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Protocol

PAGE = 1 << 16
"""Bytes by which a memory grows."""

PRINT_BYTES = 16 << 20
"""Most that the kernels of a run may print, and the host code in a page; the rest is lost."""


class TrapKind(Enum):
    """Why code of a module was stopped, in words that follow "crashed:"."""

    DIVISION_BY_ZERO = "an integer is divided by 0"
    INTEGER_OVERFLOW = "a result does not fit its integer"
    STACK_OVERFLOW = "calls nest too deep for the stack"
    UNREACHABLE = "it ran into abort(), or into code that the compiler took to be unreachable"
    OUT_OF_BOUNDS = "an address without memory"
    NO_FUNCTION = "a pointer to a function points to none of this type"
    OTHER = "the engine stopped it"


class Trap(Exception):
    """Code of a module was stopped by the engine. more: its own words for a kind that is OTHER."""

    def __init__(self, kind: TrapKind, more: str) -> None:
        super().__init__(f"{kind.value}: {more}" if kind is TrapKind.OTHER else kind.value)
        self.kind = kind


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

    def grow_to(self, count: int) -> bool:
        """Make it at least `count` bytes large. Returns False if it cannot be."""
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
