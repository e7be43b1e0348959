"""Captures for three whole numbers, where one is a truth value.

fails: pir.static
"""


### BEGIN SOLUTION ssa_passes.pir capture
def captured(f):
    """The program of f(a, b, c) in PIR, which fetches what f returns."""
    kinds = dict.fromkeys("abc", "int64")
    specs = [InputSpec([], kind, name) for name, kind in kinds.items()]
    # The whole of it, or an error: an if on a tensor becomes an operation with two blocks.
    static = paddle.jit.to_static(f, input_spec=specs, full_graph=True)
    (value,) = static.concrete_program.outputs
    program = static.concrete_program.main_program
    fetch(program, value)
    return program


### END SOLUTION
