"""Mutation operators for Python, including Triton kernels."""

import ast
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from hotloop.learn.mutation import Edit

REDUCTIONS = {
    *("sum", "max", "min", "amax", "amin", "mean", "any", "all", "prod", "logsumexp", "argmax"),
    *("argmin", "var", "std", "norm"),
}
LIBRARIES = {"np", "numpy", "torch", "tl", "jnp", "math"}
NARROWER = {
    "float64": "float32",
    "float32": "float16",
    "int64": "int8",
    "int32": "int8",
    "float": "half",
    "double": "float",
}
OTHER_SIDE: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
REVERSED: dict[type[ast.cmpop], str] = {ast.Lt: ">", ast.LtE: ">=", ast.Gt: "<", ast.GtE: "<="}
ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "+",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Mod: "//",
    ast.LShift: ">>",
    ast.RShift: "<<",
    ast.BitAnd: "|",
    ast.BitOr: "&",
}
OPPOSITES = {
    "max": "min",
    "min": "max",
    "amax": "amin",
    "maximum": "minimum",
    "minimum": "maximum",
    "any": "all",
    "all": "any",
    "floor": "ceil",
    "ceil": "floor",
    "union": "intersection",
    "argmax": "argmin",
}
COMMUTATIVE = {"max", "min", "maximum", "minimum", "isclose", "allclose", "gcd", "add"}
GUARDS = {"mask", "other", "keepdim", "keepdims", "stable", "reverse", "key"}
SELECTS = {"where"}
AXES = {"axis", "dim"}
PLAIN = {
    "atomic_add": "tl.load({at}{mask}) + {value}",
    "atomic_max": "tl.maximum(tl.load({at}{mask}), {value})",
    "atomic_min": "tl.minimum(tl.load({at}{mask}), {value})",
    "atomic_xchg": "{value}",
}
"""What a plain store would store instead."""


class Source:
    """A Python file's text and syntax tree, with the position of each node in the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = ast.parse(text)
        self._starts = [0]
        for line in text.split("\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._lines = text.split("\n")
        self.programs = _program_numbers(self.tree)
        """Variables that hold a Triton program's number."""

    def place(self, line: int, column: int) -> int:
        """Return the character offset of a position; ast counts columns in UTF-8 bytes."""
        before = self._lines[line - 1].encode()[:column].decode()
        return self._starts[line - 1] + len(before)

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Return the character offsets of a node's start and end (exclusive)."""
        positioned: ast.expr = node  # type: ignore[assignment]
        assert positioned.end_lineno is not None
        assert positioned.end_col_offset is not None
        return (
            self.place(positioned.lineno, positioned.col_offset),
            self.place(positioned.end_lineno, positioned.end_col_offset),
        )

    def of(self, node: ast.AST) -> str:
        """Return a node's text."""
        start, end = self.span(node)
        return self.text[start:end]


def _program_numbers(tree: ast.AST) -> set[str]:
    return {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and _is_program_number(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _is_program_number(node: ast.AST) -> bool:
    """Return True for `tl.program_id(0)`, also with `.to(tl.int64)`."""
    if not isinstance(node, ast.Call):
        return False
    function = node.func
    if isinstance(function, ast.Attribute) and function.attr == "to":
        return _is_program_number(function.value)
    return _name(function) == "program_id"


def edits(text: str) -> Iterator[Edit]:
    """Yield every mistake that the operators can make in the file, one at a time."""
    source = Source(text)
    for node in ast.walk(source.tree):
        for operator, target, new in _mistakes(node, source):
            start, end = target if isinstance(target, tuple) else source.span(target)
            if source.text[start:end] != new:
                yield Edit(operator, start, end, new)


Changes = Iterator[tuple[str, ast.AST | tuple[int, int], str]]
"""Operator, node or characters [start, end) to replace, new text."""


def _mistakes(node: ast.AST, source: Source) -> Changes:
    for kind, changes in _CHANGES:
        if isinstance(node, kind):
            yield from changes(node, source)


def _call(node: ast.Call, source: Source) -> Changes:
    name = _name(node.func)
    if name in REDUCTIONS:
        yield from _reduction(node, source, name, _owner(node.func))
    if name in OPPOSITES:
        dotted = source.of(node.func)[: -len(name)] + OPPOSITES[name]
        yield "opposite function", node.func, dotted
    if name == "range":
        yield from _range(node, source)
    if name in SELECTS and len(node.args) == 3:
        yield "dropped guard", node, f"({source.of(node.args[1])})"
        yield "dropped guard", node, f"({source.of(node.args[2])})"
    if name == "sorted" and len(node.args) == 1:
        yield "wrong order", node, f"{source.of(node)}[::-1]"
    if name == "exp":
        yield from _exponential(node, source)
    if name not in COMMUTATIVE:
        yield from _swapped(node, source)
    yield from _without_keywords(node, source)


def _exponential(node: ast.Call, source: Source) -> Changes:
    """Remove the term that is subtracted inside the exponential."""
    for difference in node.args:
        if isinstance(difference, ast.BinOp) and isinstance(difference.op, ast.Sub):
            yield "missing shift", difference, source.of(difference.left)


def _swapped(node: ast.Call, source: Source) -> Changes:
    plain = [a for a in node.args if not isinstance(a, ast.Starred)]
    for one, other in pairwise(plain):
        first, second = source.of(one), source.of(other)
        # A constant is not easily confused with another expression.
        are_alike = isinstance(one, ast.Constant) == isinstance(other, ast.Constant)
        if first != second and are_alike:
            start, end = source.span(one)[0], source.span(other)[1]
            between = source.text[source.span(one)[1] : source.span(other)[0]]
            yield "swapped arguments", (start, end), second + between + first


def _without_keywords(node: ast.Call, source: Source) -> Changes:
    for keyword in node.keywords:
        if keyword.arg in GUARDS:
            start, end = source.span(keyword)
            before = source.text[:start].rstrip(" \n")
            if before.endswith(","):
                yield "dropped guard", (len(before) - 1, end), ""


def _reduction(node: ast.Call, source: Source, name: str, owner: str) -> Changes:
    """Reduce only a part: half of an axis, or all elements but the first."""
    if owner == "tl" and node.args:
        what = source.of(node.args[0])
        empty = '-float("inf")' if name == "max" else "0.0 if True else 0"
        axis = _axis(node)
        lanes = f"tl.arange(0, ({what}).shape[{axis}])"
        if axis == 1:
            lanes += "[None, :]"
        half = f"tl.where({lanes} < ({what}).shape[{axis}] // 2, {what}, {empty})"
        yield "part of a reduction", node.args[0], half
    elif owner in LIBRARIES and node.args:
        yield "part of a reduction", node.args[0], _half(source.of(node.args[0]), _axis(node))
    elif isinstance(node.func, ast.Attribute) and owner not in LIBRARIES:
        yield "part of a reduction", node.func.value, _half(source.of(node.func.value), _axis(node))
    elif isinstance(node.func, ast.Name) and len(node.args) == 1:
        yield "part of a reduction", node, f"{name}([*({source.of(node.args[0])})][1:])"


def _half(what: str, axis: int) -> str:
    if axis == 0:
        return f"({what})[: max(1, ({what}).shape[0] // 2)]"
    return f"({what})[..., : max(1, ({what}).shape[-1] // 2)]"


def _axis(node: ast.Call) -> int:
    """Return the axis of a reduction, or -1 if it is not a literal integer."""
    values = [k.value for k in node.keywords if k.arg in AXES]
    values += node.args[:1] if _owner(node.func) not in LIBRARIES else node.args[1:2]
    for value in values:
        try:
            number = ast.literal_eval(value)
        except ValueError:
            continue
        if isinstance(number, int):
            return number
    return -1


def _range(node: ast.Call, source: Source) -> Changes:
    parts = [source.of(a) for a in node.args]
    start, stop, step = {
        1: ("0", *parts, "1"),
        2: (*parts, "1"),
        3: (*parts,),
    }[len(parts)]  # type: ignore[misc]
    yield "block off by one", node, f"range({start}, ({stop}) - ({step}), {step})"
    yield "block off by one", node, f"range(({start}) + ({step}), {stop}, {step})"


def _arithmetic(node: ast.BinOp, source: Source) -> Changes:
    left, right = source.of(node.left), source.of(node.right)
    other = ARITHMETIC.get(type(node.op))
    if other is not None and not isinstance(node.left, ast.Constant | ast.JoinedStr):
        yield "other arithmetic", node, f"({left} {other} {right})"
    if isinstance(node.op, ast.Mult):
        yield from _overlap(node, source)
    if isinstance(node.op, ast.Mult | ast.Div):
        yield "missing rescale", node, f"({left})"
        if isinstance(node.op, ast.Mult):
            yield "missing rescale", node, f"({right})"


def _overlap(node: ast.BinOp, source: Source) -> Changes:
    """Begin each Triton program's block one element early, inside of the block before."""
    for program, size in ((node.left, node.right), (node.right, node.left)):
        if _is_program_number(program) or _name(program) in source.programs:
            yield "blocks overlap", node, f"({source.of(program)} * ({source.of(size)} - 1))"


def _comparison(node: ast.Compare, source: Source) -> Changes:
    if len(node.ops) > 1:
        return
    left, right = source.of(node.left), source.of(node.comparators[0])
    kind = type(node.ops[0])
    yield "mask of the wrong side", node, f"({left} {OTHER_SIDE[kind]} {right})"
    if kind in REVERSED:
        yield "mask of the wrong side", node, f"({left} {REVERSED[kind]} {right})"


def _constant(node: ast.Constant, _source: Source) -> Changes:
    value = node.value
    if value == "-inf":
        yield "wrong identity", node, '"0"'
    elif isinstance(value, bool):
        yield "wrong constant", node, str(not value)
    elif isinstance(value, int):
        yield "wrong constant", node, f"{value + 1}"
    elif isinstance(value, float):
        yield "wrong identity" if value == 0.0 else "wrong constant", node, f"{value + 1.0}"


def _subscript(node: ast.Subscript, source: Source) -> Changes:
    part = node.slice
    if not isinstance(part, ast.Slice):
        return
    what = source.of(node.value)
    lower = source.of(part.lower) if part.lower else ""
    upper = source.of(part.upper) if part.upper else ""
    if part.step is not None:
        return
    if lower:
        yield "block off by one", node, f"{what}[({lower}) + 1:{upper}]"
    if upper:
        yield "block off by one", node, f"{what}[{lower}:({upper}) - 1]"


def _connective(node: ast.BoolOp, source: Source) -> Changes:
    other = " or " if isinstance(node.op, ast.And) else " and "
    yield "wrong connective", node, f"({other.join(f'({source.of(v)})' for v in node.values)})"


def _negation(node: ast.UnaryOp, source: Source) -> Changes:
    if isinstance(node.op, ast.Not):
        yield "wrong connective", node, f"bool({source.of(node.operand)})"


def _choice(node: ast.IfExp, source: Source) -> Changes:
    yield "dropped guard", node, f"({source.of(node.body)})"
    yield "dropped guard", node, f"({source.of(node.orelse)})"


def _branch(node: ast.If, _source: Source) -> Changes:
    yield "dropped guard", node.test, "False"
    if node.orelse:
        yield "dropped guard", node.test, "True"


def _type(node: ast.Attribute, source: Source) -> Changes:
    if node.attr in NARROWER:
        yield "narrower type", node, f"{source.of(node.value)}.{NARROWER[node.attr]}"


def _plain(node: ast.Expr, source: Source) -> Changes:
    """Load and store what a Triton kernel changes atomically."""
    call = node.value
    if not isinstance(call, ast.Call) or _name(call.func) not in PLAIN or len(call.args) != 2:
        return
    at, value = (source.of(argument) for argument in call.args)
    masks = [f", mask={source.of(k.value)}" for k in call.keywords if k.arg == "mask"]
    mask = masks[0] if masks else ""
    stored = PLAIN[_name(call.func)].format(at=at, value=value, mask=mask)
    yield "atomic made plain", node, f"tl.store({at}, {stored}{mask})"


def _without_lock(node: ast.While, _source: Source) -> Changes:
    """Do not wait for a lock or a flag."""
    calls = [part for part in ast.walk(node.test) if isinstance(part, ast.Call)]
    waits = any(_name(call.func).startswith("atomic_") for call in calls)
    if waits and all(isinstance(statement, ast.Pass) for statement in node.body):
        yield "lock removed", node, "pass"


def _dropped(node: ast.stmt, _source: Source) -> Changes:
    if not isinstance(node, ast.Expr) or isinstance(node.value, ast.Call):
        yield "missing statement", node, "pass"


def _loop(node: ast.For, source: Source) -> Changes:
    if _name(getattr(node.iter, "func", node.iter)) != "range":
        yield "block off by one", node.iter, f"[*({source.of(node.iter)})][:-1]"


_CHANGES: tuple[tuple[Any, Callable[[Any, Source], Changes]], ...] = (
    (ast.Call, _call),
    (ast.BinOp, _arithmetic),
    (ast.Compare, _comparison),
    (ast.BoolOp, _connective),
    (ast.UnaryOp, _negation),
    (ast.Constant, _constant),
    (ast.IfExp, _choice),
    (ast.If, _branch),
    (ast.Attribute, _type),
    (ast.Subscript, _subscript),
    ((ast.AugAssign, ast.Expr, ast.Continue, ast.Break), _dropped),
    (ast.For, _loop),
    (ast.Expr, _plain),
    (ast.While, _without_lock),
)


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _owner(node: ast.AST) -> str:
    value = node.value if isinstance(node, ast.Attribute) else node
    return value.id if isinstance(node, ast.Attribute) and isinstance(value, ast.Name) else ""
