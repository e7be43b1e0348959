"""Takes the innermost loop for the sum: loops come in any order.

fails: naive_matmul.read
"""


### BEGIN SOLUTION tvm_passes.naive_matmul read
def read_tir(source):
    """What a function of one block does, from its TIR: the notebook has the four answers.

    source: path of a module with a function "main" around a block "out".
    """
    loops, node = [], read_module(source)["main"].body.block.body
    while isinstance(node, tirx.For):
        loops.append(node)
        node = node.body
    axes = list(zip(node.block.iter_vars, node.iter_values, strict=True))
    store = node.block.body
    summed = {loops[-1].loop_var.name}
    accesses = [(store.buffer, store.indices)]
    operations = []
    tvm_ffi.structural_walk(
        store.value,
        [
            (tvm.ir.TensorLoad, lambda load: accesses.append((load.source, load.indices))),
            ((Add, Mul), lambda op: operations.append("float" in str(op.ty.dtype))),
        ],
    )
    points = list(product(*(range(int(loop.extent)) for loop in loops)))
    touched = {}
    for point in points:
        at = {loop.loop_var: value for loop, value in zip(loops, point, strict=True)}
        at.update({axis.var: number(value, at) for axis, value in axes})
        for buffer, indices in accesses:
            place = tuple(number(index, at) for index in indices)
            touched.setdefault(buffer, set()).add(place)
    return {
        "loops": [[loop.loop_var.name, int(loop.extent)] for loop in loops],
        "reductions": sorted(summed),
        "bytes": {
            buffer.name: len(places) * tvm.DataType(str(buffer.dtype)).bits // 8
            for buffer, places in touched.items()
        },
        "flops": sum(operations) * len(points),
    }


def number(expression, at):
    """What an index is where its variables are `at`."""
    if isinstance(expression, Add):
        return number(expression.a, at) + number(expression.b, at)
    if isinstance(expression, Mul):
        return number(expression.a, at) * number(expression.b, at)
    return at[expression] if expression in at else int(expression)


### END SOLUTION
