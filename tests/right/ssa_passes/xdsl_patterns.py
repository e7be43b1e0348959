"""A greedy rewrite pattern removes what is unused; a walk with a stack of scopes merges the rest."""


### BEGIN SOLUTION ssa_passes.xdsl
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern


class RemoveUnused(RewritePattern):
    def match_and_rewrite(self, op, rewriter: PatternRewriter):
        if op.name not in (*PURE, "scf.if") or any(result.uses for result in op.results):
            return
        if not any(inner.name == "func.call" for inner in op.walk()):
            rewriter.erase_op(op)


class Scopes:
    def __init__(self):
        self.stack = []

    def find(self, key):
        return next((scope[key] for scope in reversed(self.stack) if key in scope), None)

    def visit(self, op):
        for region in op.regions:
            for block in region.blocks:
                self.stack.append({})
                for inner in list(block.ops):
                    self.merge(inner)
                self.stack.pop()

    def merge(self, op):
        if op.name not in PURE:
            self.visit(op)
            return
        operands = [id(operand) for operand in op.operands]
        if op.name in COMMUTATIVE:
            operands.sort()
        attributes = tuple(sorted((k, str(v)) for k, v in op.properties.items()))
        key = (op.name, tuple(operands), attributes, str(op.results[0].type))
        if (first := self.find(key)) is None:
            self.stack[-1][key] = op.results[0]
        else:
            op.results[0].replace_all_uses_with(first)


def clean(module):
    Scopes().visit(module)
    PatternRewriteWalker(RemoveUnused(), apply_recursively=True, walk_reverse=True).rewrite_module(
        module
    )
    return module


### END SOLUTION
