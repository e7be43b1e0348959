"""Repeats the loop's body without new variables: the module is not well-formed.

fails: tir_pass.sound
"""


### BEGIN SOLUTION tvm_passes.tir_pass module
def eliminate_guards(module):
    """The module, with the guards of its TIR functions eliminated as described above."""
    return without_guards(module)


@tirx.transform.prim_func_pass(opt_level=0, name="EliminateGuards")
def without_guards(function, _module, _context):
    """One function."""
    return function.with_body(rewritten(function.body, {}, ()))


### END SOLUTION
