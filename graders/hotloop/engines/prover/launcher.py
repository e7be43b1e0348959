"""The function of the host, read with sizes as symbols: which kernels it launches, with what.

Where a condition depends on a size, the function is read once for each side; a path is what all
conditions on it say.
"""

# What is read can be of any type: a tuple of the file's holds anything.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

import ast
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from hotloop.engines.prover.expressions import Expressions, Variables
from hotloop.engines.prover.kernel import bind
from hotloop.engines.prover.module import Dotted, Module
from hotloop.engines.prover.solver import Clock, Names, NotRead, implies, model_of
from hotloop.engines.prover.values import (
    Tensor,
    Value,
    as_number,
    as_value,
    of_formula,
    unknown,
)
from hotloop.engines.prover.z3_types import Formula, z3

MOST_PATHS = 24
MOST_STEPS = 4096
FEASIBLE_S = 0.1

OPTIONS = frozenset({"num_warps", "num_stages", "num_ctas", "maxnreg", "warmup"})
"""Of a launch, not arguments of its kernel."""

_NEW = frozenset({"empty", "zeros", "empty_like", "zeros_like"})
_OPTIONS_OF_NEW = frozenset({"dtype", "device", "requires_grad", "pin_memory"})
"""Of a function that makes a tensor, without effect on its shape and layout."""

_IN_PLACE = frozenset({"zero_", "fill_", "copy_"})
"""Methods that change a tensor's values and not its shape."""

_OF_ONE_BYTE = frozenset({"torch.uint8", "torch.int8", "torch.bool"})


@dataclass(frozen=True)
class Launch:
    """One launch: its kernel, grid and arguments by parameter."""

    kernel: ast.FunctionDef
    grid: Sequence[Formula]
    arguments: Mapping[str, Any]


@dataclass
class Path:
    """One way through the function. facts: its conditions."""

    facts: list[Formula] = field(default_factory=list[Formula])
    launches: list[Launch] = field(default_factory=list[Launch])
    scratch: list[Tensor] = field(default_factory=list[Tensor])


@dataclass(frozen=True)
class Grid:
    """`kernel[grid]`."""

    kernel: ast.FunctionDef
    grid: Any


@dataclass(frozen=True)
class Method:
    """A bound method of a tensor."""

    tensor: Tensor
    name: str


@dataclass(frozen=True)
class Closure:
    """A lambda with the variables that it sees, as they are when it is called."""

    node: ast.Lambda
    variables: Variables


class _Return(Exception):
    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class _Raise(Exception):
    """The function raises an exception on this path: it launches nothing more."""


def is_kernel(function: ast.FunctionDef) -> bool:
    """Return whether a decorator of the function is `@triton.jit`, or stands beside one."""
    names = [ast.unparse(each).partition("(")[0] for each in function.decorator_list]
    return any(name.rpartition(".")[2] == "jit" for name in names)


def paths(
    module: Module,
    names: Names,
    function: ast.FunctionDef,
    arguments: Sequence[Any],
    facts: Sequence[Formula],
    clock: Clock,
) -> list[Path]:
    """Return every way through the function that launches something."""
    script: list[bool] = []
    every: list[Path] = []
    for _ in range(MOST_PATHS):
        launcher = Launcher(module, names, facts, script, clock)
        path = launcher.read(function, arguments)
        if path.launches:
            every.append(path)
        script = launcher.sides
        while script and not script[-1]:
            script.pop()
        if not script:
            return every
        script[-1] = False
    raise NotRead("the launcher has more than a few dozen ways through it")


class Launcher(Expressions):
    """Reads the function along one path. script: the sides of the first conditions."""

    def __init__(
        self,
        module: Module,
        names: Names,
        facts: Sequence[Formula],
        script: Sequence[bool],
        clock: Clock,
    ) -> None:
        super().__init__(module, names)
        self.path = Path()
        self.sides: list[bool] = []
        self._known = facts
        self._script = script
        self._clock = clock
        self._steps = 0

    def read(self, function: ast.FunctionDef, arguments: Sequence[Any]) -> Path:
        """Return the path."""
        variables = bind(self, function, list(arguments), {})
        with suppress(_Return, _Raise):  # what was launched before is launched
            self._block(function.body, variables)
        return self.path

    def decide(self, value: Any) -> bool:
        """Return the side that this path takes, which becomes one of its facts."""
        if not isinstance(value, Value):
            return bool(value)
        if value.kind == "int":
            value = self.arithmetic.compare("NotEq", value, 0)
        if value.kind == "pointer":
            raise NotRead("a condition on a tensor")
        fact = self.names.truth() if value.kind == "unknown" else self._formula(value)
        known = z3.simplify(fact)
        if z3.is_true(known) or z3.is_false(known):
            return bool(z3.is_true(known))
        taken = len(self.sides)
        side = self._script[taken] if taken < len(self._script) else True
        chosen = fact if side else z3.Not(fact)
        if not self._is_possible(chosen):
            # The script goes on where it can; the other side is then the only one.
            side = not side
            self.sides.append(False)
            self.path.facts.append(z3.Not(chosen))
            return side
        self.sides.append(side)
        self.path.facts.append(chosen)
        return side

    def _is_possible(self, fact: Formula) -> bool:
        known = [*self._known, *self.path.facts, *self.names.definitions]
        return model_of([*known, fact], self._clock, FEASIBLE_S) is not False

    def _formula(self, value: Value) -> Formula:
        formula, needs = value.at(())
        for need in needs.values():
            self._require(need)
        return formula

    def _require(self, need: Formula) -> None:
        known = [*self._known, *self.path.facts, *self.names.definitions]
        if not implies(known, need, self._clock):
            raise NotRead("the launcher divides by what may be zero")

    # --- statements ---------------------------------------------------------------------------

    def _block(self, body: Sequence[ast.stmt], variables: Variables) -> None:
        for statement in body:
            self._steps += 1
            if self._steps > MOST_STEPS:
                raise NotRead("the launcher takes too many steps")
            self._statement(statement, variables)

    def _statement(self, statement: ast.stmt, variables: Variables) -> None:  # noqa: C901 - a kind of statement each
        if isinstance(statement, ast.Assign):
            value = self.evaluate(statement.value, variables)
            for target in statement.targets:
                self._assign(target, value, variables)
        elif isinstance(statement, ast.AnnAssign):
            if statement.value is not None:
                self._assign(statement.target, self.evaluate(statement.value, variables), variables)
        elif isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            left = self.name(statement.target.id, variables)
            right = self.evaluate(statement.value, variables)
            variables[statement.target.id] = self.operate(type(statement.op).__name__, left, right)
        elif isinstance(statement, ast.Expr):
            if not isinstance(statement.value, ast.Constant):
                self.evaluate(statement.value, variables)
        elif isinstance(statement, ast.If):
            side = self.decide(self.evaluate(statement.test, variables))
            self._block(statement.body if side else statement.orelse, variables)
        elif isinstance(statement, ast.Assert):
            if not self.decide(self.evaluate(statement.test, variables)):
                raise _Raise
        elif isinstance(statement, ast.Raise):
            raise _Raise
        elif isinstance(statement, ast.Return):
            value = None if statement.value is None else self.evaluate(statement.value, variables)
            raise _Return(value)
        elif isinstance(statement, ast.For):
            self._for(statement, variables)
        elif isinstance(statement, ast.With):
            self._block(statement.body, variables)
        elif not isinstance(statement, ast.Pass):
            raise NotRead(f"`{type(statement).__name__.lower()}` in the launcher")

    def _for(self, statement: ast.For, variables: Variables) -> None:
        values = self.evaluate(statement.iter, variables)
        if not isinstance(values, tuple | range) or statement.orelse:
            raise NotRead("a loop in the launcher whose number of steps depends on a size")
        for value in values:
            self._assign(statement.target, value, variables)
            self._block(statement.body, variables)

    def _assign(self, target: ast.expr, value: Any, variables: Variables) -> None:
        if isinstance(target, ast.Name):
            variables[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            self._assign_parts(target.elts, value, variables)
        else:
            raise NotRead(f"an assignment to `{ast.unparse(target)[:40]}`")

    def _assign_parts(self, targets: list[ast.expr], value: Any, variables: Variables) -> None:
        if isinstance(value, Value) and value.kind == "unknown":
            value = (value,) * len(targets)
        starred = [i for i, each in enumerate(targets) if isinstance(each, ast.Starred)]
        if not isinstance(value, tuple) or len(starred) > 1:
            raise NotRead("an assignment to several names")
        if starred:
            at, behind = starred[0], len(targets) - starred[0] - 1
            middle = value[at : len(value) - behind]
            value = (*value[:at], middle, *value[len(value) - behind :])
            one = targets[at]
            assert isinstance(one, ast.Starred)
            targets = [*targets[:at], one.value, *targets[at + 1 :]]
        if len(value) != len(targets):
            raise NotRead("an assignment to several names")
        for each, part in zip(targets, value, strict=True):
            self._assign(each, part, variables)

    # --- expressions --------------------------------------------------------------------------

    def evaluate(self, node: ast.expr, variables: Variables) -> Any:
        """Also dictionaries, lambdas and comprehensions."""
        if isinstance(node, ast.Dict):
            return self._dictionary(node, variables)
        if isinstance(node, ast.Lambda):
            return Closure(node, variables)
        if isinstance(node, ast.ListComp | ast.GeneratorExp):
            return tuple(self._comprehension(node.elt, node.generators, variables))
        return super().evaluate(node, variables)

    def _dictionary(self, node: ast.Dict, variables: Variables) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            one = self.evaluate(value, variables)
            if key is None:
                if not isinstance(one, dict):
                    raise NotRead("`**` of what is no dictionary")
                result.update(one)
                continue
            name = self.evaluate(key, variables)
            if not isinstance(name, str | int):
                raise NotRead("a dictionary's key")
            result[name] = one  # pyright: ignore[reportArgumentType]
        return result

    def _comprehension(
        self, element: ast.expr, generators: list[ast.comprehension], variables: Variables
    ) -> Iterator[Any]:
        if not generators:
            yield self.evaluate(element, variables)
            return
        one = generators[0]
        values = self.evaluate(one.iter, variables)
        if not isinstance(values, tuple | range) or len(values) > MOST_STEPS:
            raise NotRead("a list in the launcher whose length depends on a size")
        for value in values:
            own = dict(variables)
            self._assign(one.target, value, own)
            if all(self.decide(self.evaluate(test, own)) for test in one.ifs):
                yield from self._comprehension(element, generators[1:], own)

    def if_expression(self, node: ast.IfExp, variables: Variables) -> Any:
        """Return the side that this path takes."""
        side = self.decide(self.evaluate(node.test, variables))
        return self.evaluate(node.body if side else node.orelse, variables)

    def attribute(self, value: Any, name: str) -> Any:
        """Return an attribute of a tensor."""
        if isinstance(value, ast.FunctionDef):
            if name == "run" or name == "fn":
                raise NotRead("a kernel that is not launched by `kernel[grid]`")
            return unknown()
        if not isinstance(value, Tensor):
            raise NotRead(f"the attribute `{name}`")
        if name == "shape":
            return tuple(map(_scalar, value.sizes))
        if name == "ndim":
            return len(value.sizes)
        if name in {"dtype", "device", "is_cuda", "itemsize", "requires_grad", "layout"}:
            return unknown()
        if name in {"T", "mT", "H"} or name == "data":
            raise NotRead(f"`{name}` of a tensor")
        return Method(value, name)

    def item(self, value: Any, index: ast.expr, variables: Variables) -> Any:
        """Return `kernel[grid]`, or a part of a tuple or dictionary."""
        if isinstance(value, ast.FunctionDef) and is_kernel(value):
            return Grid(value, self.evaluate(index, variables))
        if isinstance(value, tuple) and isinstance(index, ast.Slice):
            ends = [
                None if end is None else as_number(self.evaluate(end, variables))
                for end in (index.lower, index.upper, index.step)
            ]
            if any(
                end is not None and number is None
                for end, number in zip((index.lower, index.upper, index.step), ends, strict=True)
            ):
                raise NotRead("a part of a list that depends on a size")
            return value[slice(*ends)]
        key = self.evaluate(index, variables)
        if isinstance(value, tuple) and isinstance(key, int) and -len(value) <= key < len(value):
            return value[key]
        if isinstance(value, dict) and key in value:
            return value[key]
        if isinstance(value, Value) and value.kind == "unknown":
            return value
        raise NotRead(f"an index into `{type(value).__name__}`")

    def call(self, node: ast.Call, variables: Variables) -> Any:
        """Return what a call returns; note it if it launches a kernel."""
        function = self.evaluate(node.func, variables)
        if function == "math.ceil" and (number := self._in_root(node, variables)) is not None:
            return number
        arguments = self._elements(node.args, variables)
        named: dict[str, Any] = {}
        for keyword in node.keywords:
            value = self.evaluate(keyword.value, variables)
            if keyword.arg is not None:
                named[keyword.arg] = value
            elif isinstance(value, dict):
                named.update(value)
            else:
                raise NotRead("`**` of what is no dictionary")
        if isinstance(function, Grid):
            return self._launch(function, arguments, named)
        if isinstance(function, Method):
            return self._method(function, arguments, named)
        if isinstance(function, Dotted):
            return self._library(function, arguments, named)
        if isinstance(function, ast.FunctionDef):
            return self._inline(function, arguments, named)
        if isinstance(function, Value) and function.kind == "unknown":
            self._require_no_tensor([*arguments, *named.values()])
            return function
        raise NotRead(f"a call of `{ast.unparse(node.func)[:40]}`")

    def _in_root(self, node: ast.Call, variables: Variables) -> Any:
        """Return `math.ceil(math.sqrt(n))`, which is from 1 to n; None for another call."""
        inner = node.args[0] if len(node.args) == 1 else None
        if not isinstance(inner, ast.Call) or len(inner.args) != 1:
            return None
        if self.evaluate(inner.func, variables) != "math.sqrt":
            return None
        value = as_value(self.evaluate(inner.args[0], variables))
        if value.kind != "int":
            return None
        number = self._formula(value)
        self._require(number >= 1)
        root = self.names.integer("root")
        self.path.facts += [root >= 1, root <= number]
        return of_formula(root)

    def _inline(
        self, function: ast.FunctionDef, arguments: list[Any], named: dict[str, Any]
    ) -> Any:
        if is_kernel(function):
            raise NotRead("a kernel that is called without a grid")
        if function.decorator_list:
            raise NotRead(f"`{function.name}`, which has a decorator")
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise NotRead("the launcher takes too many steps")
        try:
            self._block(function.body, bind(self, function, arguments, named))
        except _Return as end:
            return end.value
        return None

    def _launch(self, at: Grid, arguments: list[Any], named: dict[str, Any]) -> None:
        kernel = at.kernel
        parameters = {each.arg for each in [*kernel.args.args, *kernel.args.kwonlyargs]}
        named = {
            name: value
            for name, value in named.items()
            if name in parameters or name not in OPTIONS
        }
        tuned = self._tuning(kernel, len(arguments), named)
        variables = bind(self, kernel, arguments, named | tuned)
        grid = at.grid
        if isinstance(grid, Closure):
            own = {**grid.variables, grid.node.args.args[0].arg: variables}
            grid = self.evaluate(grid.node.body, own)
        counts = grid if isinstance(grid, tuple) else (grid,)
        formulas: list[Formula] = []
        for count in counts:
            value = as_value(count)
            if value.kind != "int":
                raise NotRead("a grid that is not known")
            formulas.append(self._formula(value))
        self.path.launches.append(Launch(kernel, formulas, variables))

    def _tuning(
        self, kernel: ast.FunctionDef, positional: int, named: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the arguments that @triton.autotune or @triton.heuristics chooses.

        Of a block's size it is known that it is positive, and nothing of a flag.
        """
        above = " ".join(ast.unparse(each).partition("(")[0] for each in kernel.decorator_list)
        if not any(word in above for word in ("autotune", "tuner", "heuristics")):
            return {}
        chosen: dict[str, Any] = {}
        for each in [*kernel.args.args[positional:], *kernel.args.kwonlyargs]:
            fixed = each.annotation is not None and "constexpr" in ast.unparse(each.annotation)
            if not fixed or each.arg in named:
                continue
            chosen[each.arg] = unknown("what @triton.autotune chooses")
            if any(word in each.arg.upper() for word in ("BLOCK", "TILE", "GROUP", "SIZE")):
                size = self.names.integer("tuned")
                self.path.facts.append(size >= 1)
                chosen[each.arg] = of_formula(size)
        return chosen

    def _method(self, method: Method, arguments: list[Any], named: dict[str, Any]) -> Any:  # noqa: C901 - a method each
        tensor, name = method.tensor, method.name
        if name in {"stride", "size"}:
            every = tensor.strides if name == "stride" else tensor.sizes
            if not arguments and not named:
                return tuple(map(_scalar, every))
            axis = as_number(arguments[0] if arguments else named.get("dim"))
            if axis is None or not -len(every) <= axis < len(every):
                raise NotRead(f"`{name}` of an axis that I do not know")
            return _scalar(every[axis])
        if name in {"numel", "nelement"}:
            return _scalar(tensor.elements)
        if name == "dim":
            return len(tensor.sizes)
        if name == "element_size":
            return unknown()
        if name == "is_contiguous" and not arguments and not named:
            return True if tensor.contiguous else unknown()
        if name == "contiguous" and not arguments and tensor.contiguous:
            return tensor
        if name == "detach":
            return tensor
        if name == "view" and tensor.bytes_each == 1 and _is_of_one_byte(arguments):
            return tensor
        if name in {"new_empty", "new_zeros"} and set(named) <= _OPTIONS_OF_NEW:
            dtype = named.get("dtype", tensor.dtype)
            return self._new(arguments, dtype, filled=name == "new_zeros")
        if name in _IN_PLACE:
            return tensor
        if name.endswith("_") or name in {"view", "set", "data", "unsafe_chunk"}:
            raise NotRead(f"`{name}` of a tensor")
        return unknown("a tensor that the launcher computes")

    def _library(self, path: Dotted, arguments: list[Any], named: dict[str, Any]) -> Any:  # noqa: C901
        if path.startswith("builtins."):
            return self._builtin(path.partition(".")[2], arguments, named)
        name = path.rpartition(".")[2]
        if path.startswith("triton."):
            return self._triton(name, arguments)
        if path.startswith("math."):
            if path == "math.prod" and isinstance(arguments[0], tuple):
                total: Any = 1
                for each in arguments[0]:
                    total = self.operate("Mult", total, each)
                return total
            return unknown()
        if path.startswith("torch."):
            if name in _NEW and not set(named) <= _OPTIONS_OF_NEW:
                raise NotRead(f"an option of `torch.{name}`")
            if name in {"empty", "zeros"}:
                return self._new(arguments, named.get("dtype"), filled=name == "zeros")
            if name in {"empty_like", "zeros_like"} and isinstance(arguments[0], Tensor):
                if not arguments[0].contiguous:
                    raise NotRead(f"`torch.{name}` of a tensor with gaps")
                sizes = tuple(map(_scalar, arguments[0].sizes))
                dtype = named.get("dtype", arguments[0].dtype)
                return self._new([sizes], dtype, filled=name == "zeros_like")
            return unknown("a tensor that the launcher computes")
        self._require_no_tensor([*arguments, *named.values()])
        return unknown()

    def _triton(self, name: str, arguments: list[Any]) -> Any:
        if name == "cdiv" and len(arguments) == 2:
            above = self.operate("Add", arguments[0], self.operate("Sub", arguments[1], 1))
            return self.operate("FloorDiv", above, arguments[1])
        if name == "next_power_of_2" and len(arguments) == 1:
            return self._power(arguments[0])
        raise NotRead(f"a call of `triton.{name}`")

    def _power(self, number: Any) -> Any:
        if isinstance(number, int):
            return 1 << (number - 1).bit_length() if number > 0 else 0
        value = as_value(number)
        if value.kind != "int":
            return unknown()
        formula = self._formula(value)
        self._require(formula >= 1)
        return _scalar(self.names.power(formula))

    def _builtin(self, name: str, arguments: list[Any], named: dict[str, Any]) -> Any:  # noqa: C901 - a function each
        if name in {"min", "max"} and arguments and not named:
            values = arguments[0] if len(arguments) == 1 else arguments
            if isinstance(values, tuple | list) and values:
                best: Any = values[0]
                for each in values[1:]:
                    if isinstance(best, Value) or isinstance(each, Value):
                        best = self.arithmetic.extreme(name == "min", best, each)
                    else:
                        best = min(best, each) if name == "min" else max(best, each)
                return best
        if name == "range" and all(isinstance(each, int) for each in arguments):
            numbers = range(*arguments)
            if len(numbers) <= MOST_STEPS:
                return numbers
        if name == "len" and isinstance(arguments[0], tuple):
            return len(arguments[0])
        if name in {"tuple", "list"} and len(arguments) == 1 and isinstance(arguments[0], tuple):
            return arguments[0]
        if name == "dict" and not arguments:
            return named
        if name in {"int", "bool"} and len(arguments) == 1:
            one = arguments[0]
            return one if isinstance(one, int) or _is_int(one) else unknown()
        if name == "zip" and all(isinstance(each, tuple) for each in arguments):
            return tuple(zip(*arguments, strict=False))
        if name == "enumerate" and isinstance(arguments[0], tuple):
            return tuple(enumerate(arguments[0]))
        if name in {"float", "print", "str", "abs", "round"}:
            return unknown()
        raise NotRead(f"a call of `{name}`")

    def _new(self, arguments: list[Any], dtype: Any, *, filled: bool) -> Tensor:
        """Return a tensor that the launcher makes."""
        sizes = (
            arguments[0] if len(arguments) == 1 and isinstance(arguments[0], tuple) else arguments
        )
        extents: list[Formula] = []
        for each in sizes:
            value = as_value(each)
            if value.kind != "int":
                raise NotRead("a temporary tensor whose size is not known")
            extents.append(self._formula(value))
        number = len(self.path.scratch)
        tensor = Tensor(
            f"temporary {number}",
            extents,
            row_major(extents),
            scratch=number,
            filled=filled,
            dtype=dtype.rpartition(".")[2] if isinstance(dtype, str) else "",
        )
        self.path.scratch.append(tensor)
        return tensor

    @staticmethod
    def _require_no_tensor(values: Sequence[Any]) -> None:
        """Raise NotRead where code that is not read could launch something."""
        if any(isinstance(value, Tensor) for value in values):
            raise NotRead("a tensor is passed to a function that I do not read")


def row_major(sizes: Sequence[Formula]) -> list[Formula]:
    """Return the strides of a contiguous tensor."""
    strides: list[Formula] = []
    step: Any = z3.IntVal(1)
    for size in reversed(sizes):
        strides.append(z3.simplify(step))
        step = step * size
    return strides[::-1]


def _scalar(formula: Formula) -> Any:
    """Return a size: a Python number where it is one."""
    simple = z3.simplify(formula)
    return int(simple.as_long()) if z3.is_int_value(simple) else of_formula(simple)


def _is_int(value: Any) -> bool:
    return isinstance(value, Value) and value.kind == "int"


def _is_of_one_byte(arguments: Sequence[Any]) -> bool:
    return [*map(type, arguments)] == [Dotted] and arguments[0] in _OF_ONE_BYTE
