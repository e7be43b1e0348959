"""Trusts a check of memory until its buffer is stored to, and forgets its second name.

fails: tir_pass.same
"""


### BEGIN SOLUTION tvm_passes.tir_pass guard
def rewritten_guard(guard, ranges, facts):
    """The branch that is taken, or the guard with both branches rewritten."""
    answer = decided(guard.condition, ranges, facts)
    if answer is not None:
        taken = guard.then_case if answer else guard.else_case
        return NOTHING if taken is None else rewritten(taken, ranges, facts)
    facts_then = (*facts, *known(guard.condition))
    if reads_a_buffer(guard.condition) and not overwritten(guard.condition, guard.then_case):
        return tirx.IfThenElse(guard.condition, unchecked(guard), guard.else_case)
    then_case = rewritten(guard.then_case, ranges, facts_then)
    else_case = guard.else_case
    if else_case is not None:
        else_case = rewritten(else_case, ranges, (*facts, *known(tirx.Not(guard.condition))))
    if else_case is None or is_nothing(else_case):
        return (
            NOTHING if is_nothing(then_case) else tirx.IfThenElse(guard.condition, then_case, None)
        )
    return tirx.IfThenElse(guard.condition, then_case, else_case)


def overwritten(condition, branch):
    loads, stores = [], []
    tvm_ffi.structural_walk(condition, (tvm.ir.TensorLoad, loads.append))
    tvm_ffi.structural_walk(branch, (tirx.BufferStore, stores.append))
    return any(store.buffer.same_as(load.source) for store in stores for load in loads)


def unchecked(guard):
    def without(inner):
        same = tvm_ffi.structural_equal(inner.condition, guard.condition)
        return inner.then_case if same else inner

    return tvm_ffi.structural_map(guard.then_case, (tirx.IfThenElse, without))


def known(condition):
    """What holds in a branch. A buffer may change after its check, also by another name."""
    return () if reads_a_buffer(condition) else (condition,)


### END SOLUTION
