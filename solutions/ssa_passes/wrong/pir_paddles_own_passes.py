"""Calls the passes that Paddle 3.3 brings; one of them takes an if for dead that prints.

fails: pir.same
"""


### BEGIN SOLUTION ssa_passes.pir clean
def clean(program):
    """Merge and remove, in a PIR program, what nobody can tell; the program itself."""
    manager = paddle.pir.PassManager()
    for name in ("common_subexpression_elimination_pass", "dead_code_elimination_pass"):
        manager.add_pass(name, {})
    manager.run(program)
    return program


### END SOLUTION
