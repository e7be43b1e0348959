"""Where things lie in a simulated program's memory. The device's addresses lie below the host's.

The checker (checker.c) and the headers agree with these numbers by being given them.
"""

PARAMETERS = 0x30000
"""A launch's arguments, as the host handed them over."""
PARAMETER_BYTES = 32768

DYNAMIC = 0x40000
"""Dynamic shared memory. Fixed, so that the compiler can be told."""
SHARED_BYTES = 227 << 10
"""Of a block, static and dynamic together, where a kernel was allowed to (sm_90)."""

DATA = 0x100000
"""The device's variables, constants and static shared memory."""

STACKS = 0x10000000
"""Local memory: a stack for each of the 1024 threads of a block."""
STACK_BYTES = 0x80000
"""As much as CUDA gives a thread."""
THREADS = 1024

HEAP = 0x30000000
"""What cudaMalloc gives, up to `MANAGED`."""

MANAGED = 0x70000000
"""Managed and page-locked memory, which host code may use as well, up to `HOST`."""

HOST = 0x80000000
"""Variables, stack and heap of the host's code."""

FRAME_BYTES = 0x4000
"""Of suspended calls of one thread, in a memory of their own."""
FRAMES = 0x10000
"""Where frames begin in that memory; the launch's arguments lie below."""
