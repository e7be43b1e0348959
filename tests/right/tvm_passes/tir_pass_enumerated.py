"""Guards are decided by trying all values of the loops that they depend on, not by an analyzer."""


### BEGIN SOLUTION tvm_passes.tir_pass decided
from itertools import product


def variables_in(expression):
    found = []
    tvm_ffi.structural_walk(expression, (tirx.Var, found.append))
    return found


def reads_a_buffer(expression):
    loads = []
    tvm_ffi.structural_walk(expression, (tvm.ir.TensorLoad, loads.append))
    return len(loads) > 0


def decided(condition, ranges, facts):
    if reads_a_buffer(condition):
        return None
    asked = [condition, *facts]
    names = [v for v in ranges if any(v.same_as(u) for e in asked for u in variables_in(e))]
    extents = [ranges[name] for name in names]
    constant = all(
        isinstance(part, tirx.IntImm) for r in extents for part in (r.min, r.extent)
    )
    free = [u for e in asked for u in variables_in(e) if not any(u.same_as(v) for v in names)]
    if not constant or free:
        return by_analyzer(condition, ranges, facts)
    values = set()
    spans = [range(int(r.min), int(r.min) + int(r.extent)) for r in extents]
    for point in product(*spans):
        where = dict(zip(names, point, strict=True))
        if all(evaluated(fact, where) for fact in facts):
            values.add(evaluated(condition, where))
        if len(values) > 1:
            return None
    return values.pop() if values else True


def evaluated(expression, where):
    for variable, value in where.items():
        number = tirx.IntImm(variable.ty.dtype, value)
        expression = with_value(expression, variable, number)
    return bool(int(sym.Analyzer().simplify(expression)))


def by_analyzer(condition, ranges, facts):
    analyzer = sym.Analyzer()
    for variable, extent in ranges.items():
        analyzer.bind(variable, extent)

    def ask(left):
        if left:
            with analyzer.constraint_scope(analyzer.simplify(left[0])):
                return ask(left[1:])
        for answer, claim in ((True, condition), (False, tirx.Not(condition))):
            if analyzer.can_prove(claim):
                return answer
        return None

    return ask(list(facts))


### END SOLUTION
