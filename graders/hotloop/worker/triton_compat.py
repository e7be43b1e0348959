"""Repairs for versions of Triton whose interpreter does not get along with the numpy beside it.

Only a process with TRITON_INTERPRET=1 asks for them; kernels that are compiled are not touched.
"""

import importlib
import os
import re
from contextlib import suppress
from functools import cache
from typing import Any

MENDED_IN = (3, 7)
"""The first Triton that takes a scalar's only element itself (triton-lang/triton#9172)."""


def interpreting() -> bool:
    """True in a process that runs Triton kernels in the interpreter."""
    return os.environ.get("TRITON_INTERPRET") == "1"


@cache
def mend_interpreter() -> None:
    """Let the interpreter turn its scalars into Python integers; once a process.

    It keeps a scalar as an array of one dimension, and up to Triton 3.6 `_patch_lang_tensor` of
    `triton/runtime/interpreter.py` makes an integer of it by `int(array)`. numpy warned of that
    from 1.25 on and refuses it from 2.4 on, so that `range(0, n_columns, BLOCK)` in a kernel ends
    in "only 0-dimensional arrays can be converted to Python scalars".
    """
    if not needed():
        return
    # A submission may bring a triton of its own; what is wrong with that, its own import tells.
    with suppress(ImportError, AttributeError):
        _wrap(importlib.import_module("triton.runtime.interpreter"))


def needed() -> bool:
    """True when the Triton that is installed is too old to do without; it is not imported."""
    from importlib.metadata import PackageNotFoundError, version  # slow, and most workers need none

    try:
        numbers = re.match(r"(\d+)\.(\d+)", version("triton"))
    except PackageNotFoundError:
        return False
    return numbers is not None and (int(numbers[1]), int(numbers[2])) < MENDED_IN


def _wrap(interpreter: Any) -> None:
    original = interpreter._patch_lang_tensor

    def patch_lang_tensor(tensor: Any, scope: Any) -> None:
        original(tensor, scope)
        # The scope undoes its changes in reverse order, so that this one leaves nothing behind.
        scope.set_attr(tensor, "__index__", _as_integer)

    interpreter._patch_lang_tensor = patch_lang_tensor


def _as_integer(scalar: Any) -> int:
    return int(scalar.handle.data.squeeze())
