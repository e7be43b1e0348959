"""Makes Triton's interpreter compute what compiled kernels do, in the versions 3.6 to 3.9.

Used only in processes with TRITON_INTERPRET=1; compiled kernels are not affected. What a compiled
kernel can do and the interpreter cannot even then raises `triton_modules.NotInterpreted`,
which names the operation.
"""

import importlib.util
import os
import sys
from collections.abc import Sequence
from functools import cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


def interpreting() -> bool:
    """Return True if this process runs Triton kernels in the interpreter."""
    return os.environ.get("TRITON_INTERPRET") == "1"


def correct_interpreter() -> None:
    """Correct the interpreter, now or when Triton is imported, if this process will use it."""
    if not interpreting():
        return
    if "triton" in sys.modules:
        _correct()
    elif not any(isinstance(finder, _WhenImported) for finder in sys.meta_path):
        sys.meta_path.insert(0, _WhenImported())


class _WhenImported(MetaPathFinder):
    """Corrects the interpreter as soon as Triton has been imported."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - the finder's protocol
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """Find Triton as usual, and correct it after its module was executed."""
        if fullname != "triton":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            _correct()

        spec.loader.exec_module = exec_module
        return spec


@cache
def _correct() -> None:
    from hotloop.worker import (
        triton_float_bits,
        triton_modules,
        triton_operations,
        triton_reductions,
        triton_rewriting,
    )

    # A submission may bring its own triton, without an interpreter.
    try:
        builder = triton_modules.interpreter().InterpreterBuilder
    except (ImportError, AttributeError):
        return
    triton_operations.correct(builder)
    triton_float_bits.correct(builder)
    triton_reductions.correct()
    triton_rewriting.correct()
