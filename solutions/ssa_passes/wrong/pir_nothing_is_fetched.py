"""Captures the program, and does not say that its value is read outside.

fails: pir.static
"""


### BEGIN SOLUTION ssa_passes.pir capture
def captured(f):
    """The program of f(a, b, c) in PIR, which fetches what f returns."""
    kinds = {"a": "int64", "b": "int64", "c": "bool"}
    specs = [InputSpec([], kind, name) for name, kind in kinds.items()]
    # The whole of it, or an error: an if on a tensor becomes an operation with two blocks.
    static = paddle.jit.to_static(f, input_spec=specs, full_graph=True)
    return static.concrete_program.main_program


### END SOLUTION
