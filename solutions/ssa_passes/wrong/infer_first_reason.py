"""Says that nothing is decided where another axis surely fails.

fails: infer.reasons
"""


### BEGIN SOLUTION ssa_passes.infer
class Unknown(Exception):
    """The reason why a step has no type."""


def infer(text):
    """{"types": {name: [dtype, extents]}}, or {"error": [first such step, reason]}."""
    program = json.loads(text)
    types = dict(program["inputs"])
    for name, op, args, options in program["steps"]:
        given = [types[arg] for arg in args]
        try:
            types[name] = RULES[op](*given, **options)
        except Unknown as reason:
            return {"error": [name, str(reason)]}
    return {"types": types}


def refuse_unless(holds, reason):
    if not holds:
        raise Unknown(reason)


def equal(*extents):
    """Extents that must be one: which it is. Two numbers decide; a name leaves it open."""
    numbers = {extent for extent in extents if isinstance(extent, int)}
    refuse_unless(len(numbers) < 2, "unequal")
    refuse_unless(len(set(extents)) == 1, "undecided")
    return extents[0]


def together(*shapes):
    """Broadcast from the right. What surely fails is said before what may fail."""
    rank = max(map(len, shapes))
    padded = [[1] * (rank - len(shape)) + shape for shape in shapes]
    columns = [[e for e in column if e != 1] or [1] for column in zip(*padded, strict=True)]
    return all_equal(columns)


def all_equal(columns):
    extents, reasons = [], set()
    for column in columns:
        try:
            extents.append(equal(*column))
        except Unknown as reason:
            reasons.add(str(reason))
    if reasons:
        raise Unknown(min(reasons))
    return extents


def arithmetic(a, b):
    refuse_unless("bool" not in (a[0], b[0]), "dtype")
    return ["float32" if "float32" in (a[0], b[0]) else "int64", together(a[1], b[1])]


def less(a, b):
    refuse_unless(a[0] == b[0] != "bool", "dtype")
    return ["bool", together(a[1], b[1])]


def where(condition, a, b):
    refuse_unless(condition[0] == "bool" and a[0] == b[0], "dtype")
    return [a[0], together(condition[1], a[1], b[1])]


def relu(a):
    refuse_unless(a[0] != "bool", "dtype")
    return a


def matmul(a, b):
    refuse_unless(a[0] == b[0] != "bool", "dtype")
    refuse_unless(len(a[1]) == len(b[1]) == 2, "rank")
    equal(a[1][1], b[1][0])
    return [a[0], [a[1][0], b[1][1]]]


def total(a, axis):
    refuse_unless(-len(a[1]) <= axis < len(a[1]), "rank")
    axis %= len(a[1])
    return ["int64" if a[0] == "bool" else a[0], a[1][:axis] + a[1][axis + 1 :]]


def transpose(a, axes):
    refuse_unless(sorted(axes) == list(range(len(a[1]))), "rank")
    return [a[0], [a[1][axis] for axis in axes]]


def concat(a, b, axis):
    refuse_unless(a[0] == b[0], "dtype")
    refuse_unless(len(a[1]) == len(b[1]) and 0 <= axis < len(a[1]), "rank")
    pairs = list(zip(a[1], b[1], strict=True))
    own = pairs.pop(axis)
    extents = all_equal(pairs)
    refuse_unless(all(isinstance(extent, int) for extent in own), "undecided")
    return [a[0], [*extents[:axis], sum(own), *extents[axis:]]]


RULES = {
    "add": arithmetic,
    "mul": arithmetic,
    "less": less,
    "where": where,
    "relu": relu,
    "matmul": matmul,
    "sum": total,
    "transpose": transpose,
    "concat": concat,
}


### END SOLUTION
