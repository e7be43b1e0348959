"""From Python to PaddlePaddle's PIR, then common subexpressions and dead code there.

A program is a Python function f on tensors without extents: a and b of int64, c of bool. What can
be seen is what is printed, in order, and what is returned.
"""

import contextlib
import io
import linecache

import paddle
from paddle.static import InputSpec

COMMUTATIVE = (
    "pd_op.add",
    "pd_op.multiply",
    "pd_op.bitwise_and",
    "pd_op.bitwise_or",
    "pd_op.bitwise_xor",
    "pd_op.equal",
    "pd_op.not_equal",
)
PURE = (
    *COMMUTATIVE,
    "pd_op.subtract",
    "pd_op.less_than",
    "pd_op.less_equal",
    "pd_op.greater_than",
    "pd_op.greater_equal",
    "pd_op.where",
    "pd_op.full",
)
UNTOLD = ("op_callstack", "stop_gradient")
"""Attributes that change no value: where it was written, and whether a gradient flows."""


def function(source):
    """The Python function of a text. Paddle reads its source again, so it must be found."""
    name = f"<program {hash(source)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    namespace = {"paddle": paddle}
    exec(compile(source, name, "exec"), namespace)
    return namespace["f"]


def fetch(program, value):
    """Mark the value as an output at the program's end."""
    paddle.enable_static()
    try:
        with paddle.static.program_guard(program):
            paddle._pir_ops.fetch(value, "result", 0)
    finally:
        paddle.disable_static()


### TASK ssa_passes.pir capture
def captured(f):
    """The program of f(a, b, c) in PIR, which fetches what f returns."""
    raise NotImplementedError("ssa_passes.pir")


### TASK ssa_passes.pir clean
def clean(program):
    """Merge common subexpressions and remove dead code in a PIR program; return it."""
    raise NotImplementedError("ssa_passes.pir")


def captured_text(source):
    """As the judge asks: the program in PIR's own words."""
    with contextlib.redirect_stdout(
        io.StringIO()
    ):  # a print in f shows a name while it is captured
        return str(captured(function(source)))


def clean_text(source):
    """As the judge asks: captured, and made smaller."""
    with contextlib.redirect_stdout(io.StringIO()):
        return str(clean(captured(function(source))))
