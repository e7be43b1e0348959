"""Makes Triton's interpreter compute what compiled kernels do, in the versions 3.6 to 3.9.

Used only in processes with TRITON_INTERPRET=1; compiled kernels are not affected. What a compiled
kernel can do and the interpreter cannot even then raises `triton_modules.NotInterpreted`, which
names the operation.
"""

import os
from contextlib import suppress
from functools import cache


def interpreting() -> bool:
    """Return True if this process runs Triton kernels in the interpreter."""
    return os.environ.get("TRITON_INTERPRET") == "1"


@cache
def correct_interpreter() -> None:
    """Correct the interpreter, once per process; nothing happens without Triton."""
    from hotloop.worker import (  # they need numpy, which not every worker does
        triton_float_bits,
        triton_modules,
        triton_operations,
        triton_reductions,
        triton_rewriting,
    )

    # A submission may bring its own triton; if that is broken, its own import reports it.
    with suppress(ImportError, AttributeError):
        builder = triton_modules.interpreter().InterpreterBuilder
        triton_operations.correct(builder)
        triton_float_bits.correct(builder)
        triton_reductions.correct()
        triton_rewriting.correct()
