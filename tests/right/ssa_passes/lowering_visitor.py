"""An ast.NodeVisitor; every block is closed as soon as control leaves it, dead ones are dropped."""


### BEGIN SOLUTION ssa_passes.lowering
class Lowering(ast.NodeVisitor):
    def __init__(self, tree):
        self.function = ir.Function(tree.name, [(a.arg, "int") for a in tree.args.args], "int")
        self.numbers = iter(range(10**6))
        self.loops = []
        self.block = self.start(self.new())
        for each in tree.body:
            self.visit(each)

    def new(self):
        return f"L{next(self.numbers)}"

    def start(self, label):
        self.block = ir.Block(label)
        self.function.blocks.append(self.block)
        return self.block

    def put(self, op, *args, to="", kind=""):
        ended = self.block.instrs and self.block.instrs[-1].op in ("jump", "branch", "return")
        if not ended:
            self.block.instrs.append(ir.Instr(op, list(args), to, kind))
        return to

    def compute(self, op, *args, kind="int"):
        return self.put(op, *args, to=f"_v{next(self.numbers)}", kind=kind)

    def visit_Assign(self, node):
        self.put("copy", self.visit(node.value), to=node.targets[0].id, kind="int")

    def visit_AugAssign(self, node):
        value = self.visit(node.value)
        self.put(BINARY[type(node.op)], node.target.id, value, to=node.target.id, kind="int")

    def visit_Expr(self, node):
        self.put("print", self.visit(node.value.args[0]))

    def visit_Return(self, node):
        self.put("return", self.visit(node.value))

    def visit_Break(self, _node):
        self.put("jump", self.loops[-1][1])

    def visit_Continue(self, _node):
        self.put("jump", self.loops[-1][0])

    def visit_If(self, node):
        yes, no, after = self.new(), self.new(), self.new()
        self.decide(node.test, yes, no)
        for label, body in ((yes, node.body), (no, node.orelse)):
            self.start(label)
            for each in body:
                self.visit(each)
            self.put("jump", after)
        self.start(after)

    def visit_While(self, node):
        test, body, after = self.new(), self.new(), self.new()
        self.put("jump", test)
        self.start(test)
        self.decide(node.test, body, after)
        self.around(body, node.body, test, after)
        self.put("jump", test)
        self.start(after)

    def visit_For(self, node):
        test, body, step, after = (self.new() for _ in range(4))
        first, *rest = [self.visit(bound) for bound in node.iter.args]
        start, stop = (first, rest[0]) if rest else ("0", first)
        stop = self.compute("copy", stop)
        counter = self.compute("copy", start)
        self.put("jump", test)
        self.start(test)
        self.put("branch", self.compute("lt", counter, stop, kind="bool"), body, after)
        self.start(body)
        self.put("copy", counter, to=node.target.id, kind="int")
        self.around(None, node.body, step, after)
        self.put("jump", step)
        self.start(step)
        self.put("add", counter, "1", to=counter, kind="int")
        self.put("jump", test)
        self.start(after)

    def around(self, label, body, again, after):
        if label:
            self.start(label)
        self.loops.append((again, after))
        for each in body:
            self.visit(each)
        self.loops.pop()

    def decide(self, test, yes, no):
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                self.decide(inner, no, yes)
            case ast.BoolOp(op=op, values=[*most, last]):
                for value in most:
                    more = self.new()
                    self.decide(value, *((more, no) if isinstance(op, ast.And) else (yes, more)))
                    self.start(more)
                self.decide(last, yes, no)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                operands = self.visit(left), self.visit(right)
                self.put("branch", self.compute(COMPARE[type(op)], *operands, kind="bool"), yes, no)

    def visit_Constant(self, node):
        return str(node.value)

    def visit_Name(self, node):
        return node.id

    def visit_UnaryOp(self, node):
        return self.compute("sub", "0", self.visit(node.operand))

    def visit_BinOp(self, node):
        left, right = self.visit(node.left), self.visit(node.right)
        return self.compute(BINARY[type(node.op)], left, right)


def lower(source):
    function = Lowering(ast.parse(source).body[0]).function
    by_name = {block.name: block for block in function.blocks}
    live = [function.entry]
    for label in live:
        live += [follower for follower in by_name[label].successors if follower not in live]
    function.blocks = [block for block in function.blocks if block.name in live]
    return str(function)


### END SOLUTION
