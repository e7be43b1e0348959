"""Memory layout of a simulated program. Device addresses lie below host addresses.

The checker and the linker get these numbers as arguments.
"""

PARAMETERS = 0x30000
"""The launch's arguments, as the host passed them."""
PARAMETER_BYTES = 32768

DYNAMIC = 0x40000
"""Dynamic shared memory, at a fixed address so that compiled code can contain it."""
SHARED_BYTES = 227 << 10
"""Most shared memory of a block, static and dynamic, with opt-in (sm_90)."""

DATA = 0x100000
"""The device's variables, constants and static shared memory."""

STACKS = 0x10000000
"""Local memory: a stack for each of a block's 1024 threads."""
STACK_BYTES = 0x80000
"""The most local memory that CUDA gives a thread."""
THREADS = 1024

HEAP = 0x30000000
"""What cudaMalloc allocates from, up to `MANAGED`."""

MANAGED = 0x70000000
"""Managed and page-locked memory, which host code may use too, up to `HOST`."""

HOST = 0x80000000
"""Variables, stack and heap of the host code."""

FRAME_BYTES = 0x4000
"""Space for the frames of one thread's suspended calls, in the frames' own memory."""
FRAMES = 0x10000
"""Where frames begin in that memory; the launch's arguments lie below."""
