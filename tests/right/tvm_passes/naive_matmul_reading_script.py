"""Reads the function's printed text, with regular expressions and Python's own eval of its indices."""


### BEGIN SOLUTION tvm_passes.naive_matmul read
import re


def read_tir(source):
    function = read_module(source)["main"]
    loops, node = [], function.body.block.body
    while type(node).__name__ == "For":
        loops.append([node.loop_var.name, int(node.extent)])
        node = node.body
    axes = {
        axis.var.name: (str(value), axis.iter_type == tirx.IterVar.CommReduce)
        for axis, value in zip(node.block.iter_vars, node.iter_values)
    }
    store = node.block.body
    places = [(store.buffer, [str(i) for i in store.indices])]
    floats = 0

    def walk(expression):
        nonlocal floats
        if isinstance(expression, tvm.ir.TensorLoad):
            places.append((expression.source, [str(i) for i in expression.indices]))
            return
        if isinstance(expression, (Add, Mul)):
            floats += "float" in str(expression.ty.dtype)
        for name in ("a", "b", "value"):
            part = getattr(expression, name, None)
            if part is not None and not isinstance(part, (int, float)):
                walk(part)
        if type(expression).__name__ == "Call":
            for argument in expression.args:
                walk(argument)

    walk(store.value)
    touched = {buffer: set() for buffer, _ in places}
    for point in product(*(range(extent) for _, extent in loops)):
        here = dict(zip((name for name, _ in loops), point))
        inner = {name: eval(text, {}, here) for name, (text, _) in axes.items()}
        for buffer, indices in places:
            touched[buffer].add(tuple(eval(text, {}, {**here, **inner}) for text in indices))
    steps = 1
    for _, extent in loops:
        steps *= extent
    return {
        "loops": loops,
        "reductions": sorted(text for text, summed in axes.values() if summed),
        "bytes": {
            buffer.name: len(seen) * int(re.search(r"\d+", str(buffer.dtype))[0]) // 8
            for buffer, seen in touched.items()
        },
        "flops": floats * steps,
    }


### END SOLUTION
