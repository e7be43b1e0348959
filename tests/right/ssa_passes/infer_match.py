"""One match statement over the operations; shapes with itertools; errors as values."""


### BEGIN SOLUTION ssa_passes.infer
from itertools import zip_longest


def infer(text):
    program = json.loads(text)
    types = {name: (dtype, tuple(shape)) for name, (dtype, shape) in program["inputs"].items()}
    for name, op, args, options in program["steps"]:
        found = typed(op, [types[arg] for arg in args], options)
        if isinstance(found, str):
            return {"error": (name, found)}
        types[name] = found
    return {"types": types}


def typed(op, given, options):
    dtypes, shapes = zip(*given, strict=True)
    match op:
        case "add" | "mul":
            if "bool" in dtypes:
                return "dtype"
            return finished(max(dtypes, key="int64 float32".split().index), spread(shapes))
        case "less":
            if dtypes[0] != dtypes[1] or dtypes[0] == "bool":
                return "dtype"
            return finished("bool", spread(shapes))
        case "where":
            if dtypes[0] != "bool" or dtypes[1] != dtypes[2]:
                return "dtype"
            return finished(dtypes[1], spread(shapes))
        case "relu":
            return "dtype" if dtypes[0] == "bool" else given[0]
        case "matmul":
            if dtypes[0] != dtypes[1] or dtypes[0] == "bool":
                return "dtype"
            if any(len(shape) != 2 for shape in shapes):
                return "rank"
            (a, b), (c, d) = shapes
            inner = unified([(b, c)])
            return inner if isinstance(inner, str) else (dtypes[0], (a, d))
        case "sum":
            shape, axis = list(shapes[0]), options["axis"]
            if not -len(shape) <= axis < len(shape):
                return "rank"
            del shape[axis]
            return "int64" if dtypes[0] == "bool" else dtypes[0], tuple(shape)
        case "transpose":
            if sorted(options["axes"]) != [*range(len(shapes[0]))]:
                return "rank"
            return dtypes[0], tuple(shapes[0][axis] for axis in options["axes"])
        case "concat":
            return joined(dtypes, shapes, options["axis"])


def joined(dtypes, shapes, axis):
    one, other = shapes
    if dtypes[0] != dtypes[1]:
        return "dtype"
    if len(one) != len(other) or not 0 <= axis < len(one):
        return "rank"
    rest = unified([pair for at, pair in enumerate(zip(one, other)) if at != axis])
    if isinstance(rest, str):
        return rest
    if str in (type(one[axis]), type(other[axis])):
        return "undecided"
    return dtypes[0], (*rest[:axis], one[axis] + other[axis], *rest[axis:])


def spread(shapes):
    columns = zip_longest(*(shape[::-1] for shape in shapes), fillvalue=1)
    found = unified([tuple(e for e in column if e != 1) or (1,) for column in columns])
    return found if isinstance(found, str) else found[::-1]


def unified(columns):
    sets = [set(column) for column in columns]
    if any(len({e for e in each if isinstance(e, int)}) > 1 for each in sets):
        return "unequal"
    if any(len(each) > 1 for each in sets):
        return "undecided"
    return tuple(each.pop() for each in sets)


def finished(dtype, shape):
    return shape if isinstance(shape, str) else (dtype, shape)


### END SOLUTION
