"""Triton's modules without types, imported when they are first needed.

TRITON_INTERPRET must be set before Triton is imported.
"""

import importlib
from functools import cache
from typing import Any


class NotInterpreted(AttributeError):
    """Triton compiles this operation, but its interpreter, and so this check, cannot run it.

    An AttributeError, because the interpreter asks its builder for an operation as an attribute.
    The judge gets only this class's name, which must be `hotloop.core.verdict.NotInterpreted`'s.
    """

    def __init__(self, operation: str, instead: str) -> None:
        super().__init__(
            f"this check cannot run {operation}: Triton's interpreter, in which kernels run here, "
            f"lacks it. {instead}"
        )


@cache
def interpreter() -> Any:
    """Return `triton.runtime.interpreter`."""
    return importlib.import_module("triton.runtime.interpreter")


@cache
def language() -> Any:
    """Return `triton.language`."""
    return importlib.import_module("triton.language")
