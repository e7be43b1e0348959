"""Patches versions of Triton whose interpreter fails with the installed numpy.

Used only in processes with TRITON_INTERPRET=1; compiled kernels are not affected.
"""

import importlib
import os
import re
from contextlib import suppress
from functools import cache
from typing import Any

MENDED_IN = (3, 7)
"""First version of Triton that fixes this itself (triton-lang/triton#9172)."""


def interpreting() -> bool:
    """Return True if this process runs Triton kernels in the interpreter."""
    return os.environ.get("TRITON_INTERPRET") == "1"


@cache
def mend_interpreter() -> None:
    """Let the interpreter convert its scalars to Python integers; patched once per process.

    The interpreter stores a scalar as a one-dimensional array. Up to Triton 3.6,
    `_patch_lang_tensor` in `triton/runtime/interpreter.py` converts it with `int(array)`. numpy has
    warned about that since 1.25 and rejects it since 2.4, so that `range(0, n_columns, BLOCK)` in a
    kernel fails with "only 0-dimensional arrays can be converted to Python scalars".
    """
    if not needed():
        return
    # A submission may bring its own triton; if that is broken, its own import reports it.
    with suppress(ImportError, AttributeError):
        _wrap(importlib.import_module("triton.runtime.interpreter"))


def needed() -> bool:
    """Return True if the installed Triton needs the patch. Does not import Triton."""
    from importlib.metadata import PackageNotFoundError, version  # slow to import, rarely needed

    try:
        numbers = re.match(r"(\d+)\.(\d+)", version("triton"))
    except PackageNotFoundError:
        return False
    return numbers is not None and (int(numbers[1]), int(numbers[2])) < MENDED_IN


def _wrap(interpreter: Any) -> None:
    original = interpreter._patch_lang_tensor

    def patch_lang_tensor(tensor: Any, scope: Any) -> None:
        original(tensor, scope)
        # The scope undoes its changes in reverse order, so this one is undone too.
        scope.set_attr(tensor, "__index__", _as_integer)

    interpreter._patch_lang_tensor = patch_lang_tensor


def _as_integer(scalar: Any) -> int:
    return int(scalar.handle.data.squeeze())
