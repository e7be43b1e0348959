"""Leaves the two parts as they are after peeling: what is decided now is found by the next run.

fails: tir_pass.idempotent
"""


### BEGIN SOLUTION tvm_passes.tir_pass loop
def rewritten_loop(loop, ranges, facts):
    """The loop; in two parts when its last iteration keeps a guard from being decided."""
    whole = {**ranges, loop.loop_var: Range.from_min_extent(loop.min, loop.extent)}
    body = rewritten(loop.body, whole, facts)
    if not can_be_peeled(loop):
        return with_body(loop, loop.extent, body)
    others = {**ranges, loop.loop_var: Range.from_min_extent(loop.min, loop.extent - 1)}
    if all(decided(*guard) is None for guard in guards(body, others, facts)):
        return with_body(loop, loop.extent, body)
    kind = loop.loop_var.ty.dtype
    last = tirx.IntImm(kind, int(loop.min) + int(loop.extent) - 1)
    first = with_body(loop, tirx.IntImm(kind, int(loop.extent) - 1), body)
    parts = [first, with_value(body, loop.loop_var, last)]
    return sequence(parts)


def can_be_peeled(loop):
    """Whether it is serial, of a constant length, and longer than one iteration."""
    if loop.kind != tirx.ForKind.SERIAL or loop.step is not None:
        return False
    constant = isinstance(loop.min, tirx.IntImm) and isinstance(loop.extent, tirx.IntImm)
    return constant and int(loop.extent) > 1


### END SOLUTION
