"""Takes the condition for true in the other branch too.

fails: tir_pass.same
"""


### BEGIN SOLUTION tvm_passes.tir_pass guard
def rewritten_guard(guard, ranges, facts):
    """The branch that is taken, or the guard with both branches rewritten."""
    answer = decided(guard.condition, ranges, facts)
    if answer is not None:
        taken = guard.then_case if answer else guard.else_case
        return NOTHING if taken is None else rewritten(taken, ranges, facts)
    then_case = rewritten(guard.then_case, ranges, (*facts, *known(guard.condition)))
    else_case = guard.else_case
    if else_case is not None:
        else_case = rewritten(else_case, ranges, (*facts, *known(guard.condition)))
    if else_case is None or is_nothing(else_case):
        return (
            NOTHING if is_nothing(then_case) else tirx.IfThenElse(guard.condition, then_case, None)
        )
    return tirx.IfThenElse(guard.condition, then_case, else_case)


def known(condition):
    """What holds in a branch. A buffer may change after its check, also by another name."""
    return () if reads_a_buffer(condition) else (condition,)


### END SOLUTION
