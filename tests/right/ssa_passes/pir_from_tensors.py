"""Specifications from example tensors; single steps, each found anew, until there is none."""


### BEGIN SOLUTION ssa_passes.pir capture
def captured(f):
    """The program of f(a, b, c) in PIR, which fetches what f returns."""
    examples = (paddle.zeros([], dtype) for dtype in ("int64", "int64", "bool"))
    specs = [InputSpec.from_tensor(example) for example in examples]
    concrete, _ = paddle.jit.to_static(f, full_graph=True).get_concrete_program(*specs)
    fetch(concrete.main_program, *concrete.outputs)
    return concrete.main_program


### END SOLUTION
### BEGIN SOLUTION ssa_passes.pir clean
def clean(program):
    """Merge and remove, in a PIR program, what nobody can tell; the program itself."""
    root = program.global_block()
    while merge_one(root, []) or remove_one(root):
        pass
    return program


def twins(one, other):
    """Whether both compute the same value."""
    if one.name() != other.name() or one.name() not in PURE:
        return False
    left, right = ([value.id for value in op.operands_source()] for op in (one, other))
    if left != right and not (one.name() in COMMUTATIVE and left == right[::-1]):
        return False
    attributes, others = one.attrs(), other.attrs()
    return all(
        str(attributes.get(name)) == str(others.get(name))
        for name in attributes.keys() | others.keys()
        if name not in UNTOLD
    )


def merge_one(block, visible):
    """Merge one operation with one of those that are visible to it; whether there was one."""
    visible = list(visible)
    for op in block.ops:
        for earlier in visible:
            if twins(earlier, op):
                op.result(0).replace_all_uses_with(earlier.result(0))
                block.remove_op(op)
                return True
        visible.append(op)
        if any(merge_one(inner, visible) for inner in op.blocks()):
            return True
    return False


def prints(op):
    return op.name() == "pd_op.print" or any(
        prints(inner) for block in op.blocks() for inner in block.ops
    )


def remove_one(block):
    for op in block.ops:
        unread = all(result.use_empty() for result in op.results())
        if unread and (op.name() in PURE or (op.name() == "pd_op.if" and not prints(op))):
            block.remove_op(op)
            return True
        if any(remove_one(inner) for inner in op.blocks()):
            return True
    return False


### END SOLUTION
