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


### BEGIN SOLUTION ssa_passes.pir capture
### STUB def captured(f):
### STUB     """The program of f(a, b, c) in PIR, which fetches what f returns."""
### STUB     raise NotImplementedError("ssa_passes.pir")


def captured(f):
    """The program of f(a, b, c) in PIR, which fetches what f returns."""
    kinds = {"a": "int64", "b": "int64", "c": "bool"}
    specs = [InputSpec([], kind, name) for name, kind in kinds.items()]
    # The whole of it, or an error: an if on a tensor becomes an operation with two blocks.
    static = paddle.jit.to_static(f, input_spec=specs, full_graph=True)
    (value,) = static.concrete_program.outputs
    program = static.concrete_program.main_program
    fetch(program, value)
    return program


### END SOLUTION


### BEGIN SOLUTION ssa_passes.pir clean
### STUB def clean(program):
### STUB     """Merge common subexpressions and remove dead code in a PIR program; return it."""
### STUB     raise NotImplementedError("ssa_passes.pir")


def clean(program):
    """Merge common subexpressions and remove dead code in a PIR program; return it."""
    merge(program.global_block(), {})
    sweep(program.global_block())
    return program


def merge(block, above):
    """What is known here is known in the blocks inside, and not behind them."""
    seen = dict(above)
    for op in list(block.ops):
        if op.name() in PURE:
            key = meaning(op)
            if key in seen:
                op.result(0).replace_all_uses_with(seen[key])
                block.remove_op(op)
                continue
            seen[key] = op.result(0)
        for inner in op.blocks():
            merge(inner, seen)


def meaning(op):
    """Equal for operations that give the same. Handles are new at each look; ids are not."""
    operands = [operand.source().id for operand in op.operands()]
    if op.name() in COMMUTATIVE:
        operands.sort()
    told = {name: str(value) for name, value in op.attrs().items() if name not in UNTOLD}
    return op.name(), *operands, *sorted(told.items())


def sweep(block):
    """From the last to the first, so that readers go before what they read."""
    for op in reversed(list(block.ops)):
        quiet = op.name() in PURE or (op.name() == "pd_op.if" and not has_effect(op))
        if quiet and all(result.use_empty() for result in op.results()):
            block.remove_op(op)
            continue
        for inner in op.blocks():
            sweep(inner)


def has_effect(op):
    """Itself, or anything inside of it."""
    return op.name() == "pd_op.print" or any(has_effect(o) for b in op.blocks() for o in b.ops)


### END SOLUTION


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
