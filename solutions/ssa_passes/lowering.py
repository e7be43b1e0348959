"""A Python function as blocks and jumps.

Supported: a function of ints, with annotations; assignments (=, +=, -=, *=, //=, %=) to
names; + - * // % and unary -; comparisons of two, and, or, not, in conditions; if, while, for … in
range(…) with one or two bounds, break, continue, print(…) of one value, return. An int has 64 bits
here.
"""

import ast

import ir

BINARY = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "div", ast.Mod: "mod"}
COMPARE = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
}


class Builder:
    """The function in the making: instructions go to the end of the block that is open."""

    def __init__(self, name, params):
        self.function = ir.Function(name, [(param, "int") for param in params], "int")
        self.temporaries = self.labels = 0
        self.leaves = []  # of the loops around: where break goes, and where continue
        self.open(self.label())

    def label(self):
        """The name of a block that will be opened later."""
        self.labels += 1
        return f"b{self.labels - 1}"

    def open(self, label):
        """What comes next is in this block."""
        self.function.blocks.append(ir.Block(label))

    def emit(self, op, *args, to="", kind=""):
        self.function.blocks[-1].instrs.append(ir.Instr(op, list(args), to, kind))

    def result(self, op, *args, kind="int"):
        """Emit it, with a new name for its result; the name."""
        self.temporaries += 1
        name = f"_t{self.temporaries}"
        self.emit(op, *args, to=name, kind=kind)
        return name


### BEGIN SOLUTION ssa_passes.lowering
### STUB def lower(source):
### STUB     """The text of the function in blocks, all of them reached; not in SSA form."""
### STUB     raise NotImplementedError("ssa_passes.lowering")
def lower(source):
    """The text of the function in blocks, all of them reached; not in SSA form."""
    (tree,) = ast.parse(source).body
    builder = Builder(tree.name, [arg.arg for arg in tree.args.args])
    body(builder, tree.body)
    return str(reached(builder.function))


def body(builder, statements):
    """Lower them; whether what stands behind them can be reached."""
    return all(statement(builder, each) for each in statements)


def statement(builder, node):
    if isinstance(node, ast.Assign):
        builder.emit("copy", value(builder, node.value), to=node.targets[0].id, kind="int")
    elif isinstance(node, ast.AugAssign):
        operands = (node.target.id, value(builder, node.value))
        result = builder.result(BINARY[type(node.op)], *operands)
        builder.emit("copy", result, to=node.target.id, kind="int")
    elif isinstance(node, ast.Expr):
        builder.emit("print", value(builder, node.value.args[0]))
    elif isinstance(node, ast.Return):
        builder.emit("return", value(builder, node.value))
        return False
    elif isinstance(node, ast.Break | ast.Continue):
        builder.emit("jump", builder.leaves[-1][isinstance(node, ast.Continue)])
        return False
    elif isinstance(node, ast.If):
        return decision(builder, node)
    elif isinstance(node, ast.While):
        repetition(builder, node)
    elif isinstance(node, ast.For):
        counting(builder, node)
    return True


def decision(builder, node):
    then, other, behind = builder.label(), builder.label(), builder.label()
    branch(builder, node.test, then, other)
    goes_on = False
    for label, statements in ((then, node.body), (other, node.orelse)):
        builder.open(label)
        if body(builder, statements):
            builder.emit("jump", behind)
            goes_on = True
    if goes_on:
        builder.open(behind)
    return goes_on


def repetition(builder, node):
    header, inside, behind = builder.label(), builder.label(), builder.label()
    builder.emit("jump", header)
    builder.open(header)
    branch(builder, node.test, inside, behind)
    builder.open(inside)
    builder.leaves.append((behind, header))
    if body(builder, node.body):
        builder.emit("jump", header)
    builder.leaves.pop()
    builder.open(behind)


def counting(builder, node):
    """The bounds are computed once, and what counts is no name of the function's."""
    header, inside, step, behind = (builder.label() for _ in range(4))
    bounds = [value(builder, each) for each in node.iter.args]
    counter = builder.result("copy", bounds[0] if len(bounds) > 1 else "0")
    stop = builder.result("copy", bounds[-1])
    builder.emit("jump", header)
    builder.open(header)
    builder.emit("branch", builder.result("lt", counter, stop, kind="bool"), inside, behind)
    builder.open(inside)
    builder.emit("copy", counter, to=node.target.id, kind="int")
    builder.leaves.append((behind, step))
    if body(builder, node.body):
        builder.emit("jump", step)
    builder.leaves.pop()
    builder.open(step)
    builder.emit("add", counter, "1", to=counter, kind="int")
    builder.emit("jump", header)
    builder.open(behind)


def branch(builder, test, then, other):
    """Go one way or the other; the second operand of and, or only where it decides."""
    if isinstance(test, ast.UnaryOp):
        branch(builder, test.operand, other, then)
        return
    if isinstance(test, ast.BoolOp):
        *first, last = test.values
        for operand in first:
            second = builder.label()
            ways = (second, other) if isinstance(test.op, ast.And) else (then, second)
            branch(builder, operand, *ways)
            builder.open(second)
        branch(builder, last, then, other)
        return
    operands = value(builder, test.left), value(builder, test.comparators[0])
    op = COMPARE[type(test.ops[0])]
    builder.emit("branch", builder.result(op, *operands, kind="bool"), then, other)


def value(builder, node):
    """The name or constant where it is found, once it is computed."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.UnaryOp):
        if isinstance(node.operand, ast.Constant):
            return str(-node.operand.value)
        return builder.result("sub", "0", value(builder, node.operand))
    operands = value(builder, node.left), value(builder, node.right)
    return builder.result(BINARY[type(node.op)], *operands)


def reached(function):
    """Without blocks that nothing reaches: a step that no round gets to, what follows a return."""
    graph = {block.name: block.successors for block in function.blocks if block.instrs}
    found, waiting = {function.entry}, [function.entry]
    while waiting:
        for follower in graph[waiting.pop()]:
            if follower not in found:
                found.add(follower)
                waiting.append(follower)
    function.blocks = [block for block in function.blocks if block.name in found]
    return function


### END SOLUTION
