"""Captures into a program of its own, with `static.data`; then scopes in a chain, and marking."""


### BEGIN SOLUTION ssa_passes.pir capture
from paddle.jit.dy2static.convert_call_func import convert_call


def captured(f):
    """The program of f(a, b, c) in PIR, which fetches what f returns."""
    program = paddle.static.Program()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(program):
            a = paddle.static.data("a", [], "int64")
            b = paddle.static.data("b", [], "int64")
            c = paddle.static.data("c", [], "bool")
            result = convert_call(f)(a, b, c)
    finally:
        paddle.disable_static()
    fetch(program, result)
    return program


### END SOLUTION
### BEGIN SOLUTION ssa_passes.pir clean
from collections import ChainMap
from itertools import chain


def clean(program):
    """Merge and remove, in a PIR program, what nobody can tell; the program itself."""
    root = program.global_block()
    give_names(root, {}, ChainMap())
    needed = marked(root)
    for block, op in reversed(list(everything(root))):
        if op.id() not in needed:
            block.remove_op(op)
    return program


def everything(block):
    """Each operation with its block; an if before what is inside of it."""
    for op in block.ops:
        yield block, op
        yield from chain.from_iterable(map(everything, op.blocks()))


def give_names(block, names, expressions):
    for op in block.ops:
        for inner in op.blocks():
            give_names(inner, names, expressions.new_child())
        if op.name() not in PURE:
            continue
        sources = [value.id for value in op.operands_source()]
        args = tuple(sorted(sources) if op.name() in COMMUTATIVE else sources)
        attributes = frozenset(
            (name, str(value)) for name, value in op.attrs().items() if name not in UNTOLD
        )
        (result,) = op.results()
        first = expressions.setdefault((op.name(), args, attributes), result)
        if first.id != result.id:
            result.replace_all_uses_with(first)


def marked(root):
    """The ids of all that a print, a fetch or an input needs."""
    maker, around, inside = {}, {}, {}

    def note(block, parent):
        for op in block.ops:
            around[op.id()] = parent
            for result in op.results():
                maker[result.id] = op
            for inner in op.blocks():
                inside.setdefault(op.id(), []).append(inner.ops[-1])
                note(inner, op)

    note(root, None)
    lasting = {"pd_op.print", "pd_op.fetch", "pd_op.data"}
    waiting = [op for _, op in everything(root) if op.name() in lasting]
    needed = set()
    while waiting:
        op = waiting.pop()
        if op.id() in needed:
            continue
        needed.add(op.id())
        waiting += [maker[value.id] for value in op.operands_source()]
        waiting += inside.get(op.id(), [])
        if around[op.id()] is not None:
            waiting.append(around[op.id()])
    return needed


### END SOLUTION
