"""One object that knows ranges and facts as it descends, an ExitStack for facts, one module loop."""


### BEGIN SOLUTION tvm_passes.tir_pass module
def eliminate_guards(module):
    functions = {}
    for name, function in module.functions.items():
        if isinstance(function, tirx.PrimFunc):
            function = function.with_body(rewritten(function.body, {}, ()))
        functions[name] = function
    updated = tvm.IRModule(functions, attrs=module.attrs)
    return tirx.transform.ConvertSSA()(updated)


### END SOLUTION


### BEGIN SOLUTION tvm_passes.tir_pass guard
def rewritten_guard(guard, ranges, facts):
    state = State(ranges, facts)
    branches = {True: guard.then_case, False: guard.else_case}
    if (answer := state.ask(guard.condition)) is not None:
        branch = branches[answer]
        return rewritten(branch, ranges, facts) if branch is not None else NOTHING
    new = {
        side: NOTHING if branch is None else state.inside(guard.condition, side).rewrite(branch)
        for side, branch in branches.items()
    }
    if is_nothing(new[False]):
        if is_nothing(new[True]):
            return NOTHING
        return tirx.IfThenElse(guard.condition, new[True], None)
    return tirx.IfThenElse(guard.condition, new[True], new[False])


def known(condition):
    return () if loads_of(condition) else (condition,)


def loads_of(expression):
    loads = []
    tvm_ffi.structural_walk(expression, (tvm.ir.TensorLoad, lambda load: loads.append(load)))
    return loads


### END SOLUTION


### BEGIN SOLUTION tvm_passes.tir_pass loop
def rewritten_loop(loop, ranges, facts):
    """Parts of the loop are peeled from its end until nothing more is gained."""
    tails = []
    while True:
        whole = State(ranges, facts).over(loop, loop.extent)
        body = whole.rewrite(loop.body)
        loop = with_body(loop, loop.extent, body)
        if is_nothing(loop):
            break
        count = constant_length(loop)
        if count is None or count < 2:
            break
        shorter = State(ranges, facts).over(loop, tirx.IntImm(loop.extent.ty.dtype, count - 1))
        if not shorter.decides_any(body):
            break
        end = tirx.IntImm(loop.loop_var.ty.dtype, int(loop.min) + count - 1)
        tails.append(rewritten(with_value(body, loop.loop_var, end), ranges, facts))
        loop = with_body(loop, tirx.IntImm(loop.extent.ty.dtype, count - 1), body)
    return sequence([loop, *reversed(tails)])


def constant_length(loop):
    if loop.kind != tirx.ForKind.SERIAL or loop.step is not None:
        return None
    if not isinstance(loop.min, tirx.IntImm) or not isinstance(loop.extent, tirx.IntImm):
        return None
    return int(loop.extent)


### END SOLUTION


### BEGIN SOLUTION tvm_passes.tir_pass decided
from contextlib import ExitStack


class State:
    """What holds at a place: ranges of the loops' variables, and conditions."""

    def __init__(self, ranges, facts):
        self.ranges, self.facts = dict(ranges), tuple(facts)

    def over(self, loop, extent):
        inner = State(self.ranges, self.facts)
        inner.ranges[loop.loop_var] = Range.from_min_extent(loop.min, extent)
        return inner

    def inside(self, condition, side):
        held = condition if side else tirx.Not(condition)
        return State(self.ranges, self.facts + known(held))

    def rewrite(self, statement):
        return rewritten(statement, self.ranges, self.facts)

    def decides_any(self, statement):
        found = guards(statement, self.ranges, self.facts)
        return any(State(ranges, facts).ask(c) is not None for c, ranges, facts in found)

    def ask(self, condition):
        if loads_of(condition):
            return None
        analyzer = sym.Analyzer()
        for variable in self.ranges:
            analyzer.bind(variable, self.ranges[variable])
        with ExitStack() as scopes:
            for fact in self.facts:
                scopes.enter_context(analyzer.constraint_scope(analyzer.simplify(fact)))
            for answer in (True, False):
                if analyzer.can_prove(condition if answer else tirx.Not(condition)):
                    return answer
        return None


def decided(condition, ranges, facts):
    return State(ranges, facts).ask(condition)


### END SOLUTION
