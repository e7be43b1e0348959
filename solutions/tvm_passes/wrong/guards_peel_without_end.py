"""Peels for as long as a guard asks for the loop's variable, which one in the middle does forever.

fails: tir_pass.sound
"""


### BEGIN SOLUTION tvm_passes.tir_pass loop
def rewritten_loop(loop, ranges, facts):
    """The loop; in two parts when its last iteration keeps a guard from being decided."""
    whole = {**ranges, loop.loop_var: Range.from_min_extent(loop.min, loop.extent)}
    body = rewritten(loop.body, whole, facts)
    if not can_be_peeled(loop):
        return with_body(loop, loop.extent, body)
    others = {**ranges, loop.loop_var: Range.from_min_extent(loop.min, loop.extent - 1)}
    asked = []
    for condition, _, _ in guards(body, others, facts):
        tvm_ffi.structural_walk(condition, (tirx.Var, asked.append))
    if not any(variable.same_as(loop.loop_var) for variable in asked):
        return with_body(loop, loop.extent, body)
    kind = loop.loop_var.ty.dtype
    last = tirx.IntImm(kind, int(loop.min) + int(loop.extent) - 1)
    first = with_body(loop, tirx.IntImm(kind, int(loop.extent) - 1), body)
    parts = [first, with_value(body, loop.loop_var, last)]
    return sequence([rewritten(part, ranges, facts) for part in parts])


def can_be_peeled(loop):
    """Whether it is serial, of a constant length, and longer than one iteration."""
    if loop.kind != tirx.ForKind.SERIAL or loop.step is not None:
        return False
    return isinstance(loop.min, tirx.IntImm) and isinstance(loop.extent, tirx.IntImm)


### END SOLUTION
