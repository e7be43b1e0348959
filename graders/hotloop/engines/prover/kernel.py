"""A Triton kernel, read once for all programs: which elements it accesses, and when.

Each loop's body is read once, for any iteration: a variable that only grows by the same step is its
first value and so many steps (induction over the counter); any other that the body changes is
unknown there and behind the loop. Where a branch depends on a size, both are read.
"""

# What is read can be of any type: a tuple of the file's holds anything.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hotloop.engines.prover.contract import MOST_ELEMENTS
from hotloop.engines.prover.expressions import Expressions, Variables
from hotloop.engines.prover.language import Language
from hotloop.engines.prover.module import Dotted, Module, names_in
from hotloop.engines.prover.solver import Names, NotRead
from hotloop.engines.prover.values import (
    Needs,
    Tensor,
    Value,
    as_value,
    broadcast,
    data_of,
    elementwise,
    in_range,
    lane_at,
    of_formula,
    unknown,
)
from hotloop.engines.prover.z3_types import Formula, z3

MOST_CALLS = 20
MOST_UNROLLED = 16
RANGE_OPTIONS = frozenset(
    {"num_stages", "loop_unroll_factor", "flatten", "warp_specialize", "disable_licm"}
    | {"disallow_acc_multi_buffer"}
)
"""Of tl.range, which change no value."""
BLOCK_ELEMENTS = 1 << 20
"""The most elements of a block that Triton allows."""


@dataclass(frozen=True)
class Access:
    """One load, store or atomic operation of any program, in any lane and iteration.

    offset: in elements. facts: what holds where it happens, its mask included. needs: conditions
    under which a machine computes this offset. data: on what it depends that is not known.
    """

    kind: str
    tensor: Tensor
    offset: Formula
    facts: Sequence[Formula]
    needs: Sequence[Formula]
    data: frozenset[str]
    line: int

    @property
    def words(self) -> str:
        """What it is, for a sentence."""
        return f"tl.{self.kind}" if self.kind in {"load", "store"} else "an atomic operation"


@dataclass(frozen=True)
class Obligation:
    """What must hold so that masks, conditions and loops are what they say.

    reason: what is said if it may not.
    """

    facts: Sequence[Formula]
    need: Formula
    line: int
    reason: str = ""


class _Return(Exception):
    """A function ended. value: what it returns."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class Kernel(Expressions):
    """Reads one kernel. grid: numbers of programs; facts: of the sizes."""

    def __init__(
        self, module: Module, names: Names, grid: Sequence[Formula], facts: Sequence[Formula]
    ) -> None:
        super().__init__(module, names)
        self.grid = grid
        self.programs = [
            names.integer(f"program{axis}") if axis < len(grid) else z3.IntVal(0)
            for axis in range(3)
        ]
        self.facts: list[Formula] = list(facts)
        for number, count in zip(self.programs, grid, strict=False):
            self.facts += [number >= 0, number < count]
        self.accesses: list[Access] = []
        self.obligations: list[Obligation] = []
        self.line = 0
        self._language = Language(self)
        self._calls = 0

    def read(self, function: ast.FunctionDef, arguments: Mapping[str, Any]) -> None:
        """Read the kernel's body with these arguments."""
        self._run(function, dict(arguments))

    # --- statements ---------------------------------------------------------------------------

    def _run(self, function: ast.FunctionDef, variables: Variables) -> Any:
        """Return what a function returns; facts that its body adds end with it."""
        before = len(self.facts)
        try:
            self._block(function.body, variables)
        except _Return as end:
            return end.value
        finally:
            del self.facts[before:]
        return None

    def _block(self, body: Sequence[ast.stmt], variables: Variables) -> None:
        for statement in body:
            self.line = statement.lineno
            self._statement(statement, variables)

    def _statement(self, statement: ast.stmt, variables: Variables) -> None:  # noqa: C901 - a kind of statement each
        if isinstance(statement, ast.Assign):
            value = self.evaluate(statement.value, variables)
            for target in statement.targets:
                self._assign(target, value, variables)
        elif isinstance(statement, ast.AnnAssign):
            if statement.value is not None:
                self._assign(statement.target, self.evaluate(statement.value, variables), variables)
        elif isinstance(statement, ast.AugAssign):
            left = self.evaluate(_load_of(statement.target), variables)
            right = self.evaluate(statement.value, variables)
            result = self.operate(type(statement.op).__name__, left, right)
            self._assign(statement.target, result, variables)
        elif isinstance(statement, ast.Expr):
            if not isinstance(statement.value, ast.Constant):
                self.evaluate(statement.value, variables)
        elif isinstance(statement, ast.If):
            self._if(statement, variables)
        elif isinstance(statement, ast.For):
            self._for(statement, variables)
        elif isinstance(statement, ast.While):
            self._while(statement, variables)
        elif isinstance(statement, ast.Return):
            value = None if statement.value is None else self.evaluate(statement.value, variables)
            raise _Return(value)
        elif not isinstance(statement, ast.Pass | ast.Assert):
            raise NotRead(f"`{type(statement).__name__.lower()}` in a kernel")

    def _assign(self, target: ast.expr, value: Any, variables: Variables) -> None:
        if isinstance(target, ast.Name):
            variables[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            if isinstance(value, Value) and value.kind == "unknown":
                value = (value,) * len(target.elts)
            if not isinstance(value, tuple) or len(value) != len(target.elts):
                raise NotRead("an assignment to several names")
            for each, one in zip(target.elts, value, strict=True):
                self._assign(each, one, variables)
        else:
            raise NotRead(f"an assignment to `{ast.unparse(target)[:40]}`")

    def _if(self, statement: ast.If, variables: Variables) -> None:
        condition = self.evaluate(statement.test, variables)
        if not isinstance(condition, Value):
            self._block(statement.body if condition else statement.orelse, variables)
            return
        yes = self._truth(condition)
        ends: list[bool] = []
        results: list[Variables] = []
        for fact, body in ((yes, statement.body), (z3.Not(yes), statement.orelse)):
            own = dict(variables)
            before = len(self.facts)
            self.facts.append(fact)
            try:
                self._block(body, own)
                ends.append(False)
            except _Return as end:
                if end.value is not None:
                    raise NotRead("a function that returns in a branch") from None
                ends.append(True)
            finally:
                del self.facts[before:]
            results.append(own)
        if all(ends):
            raise _Return(None)
        if any(ends):
            self.facts.append(z3.Not(yes) if ends[0] else yes)
            variables.update(results[1 if ends[0] else 0])
            return
        self._merge(of_formula(yes), results[0], results[1], variables, condition.data)

    def _merge(
        self,
        yes: Value,
        left: Variables,
        right: Variables,
        variables: Variables,
        data: frozenset[str],
    ) -> None:
        for name in {*left, *right}:
            if name not in left or name not in right:
                variables[name] = unknown("a variable that not every branch sets")
                continue
            a, b = left[name], right[name]
            if a is b or (not isinstance(a, Value) and not isinstance(b, Value) and _equal(a, b)):
                variables[name] = a
            else:
                variables[name] = self._either(yes, a, b, data)

    def _either(self, yes: Value, a: Any, b: Any, data: frozenset[str]) -> Value:
        one, other = as_value(a), as_value(b)
        if one.kind != other.kind or one.tensor is not other.tensor or one.shape != other.shape:
            return unknown("a variable that differs between branches", *data)
        chosen = self.arithmetic.choose(yes, one, other)
        return replace(chosen, data=chosen.data | data)

    def _truth(self, condition: Value) -> Formula:
        """Return a scalar condition as a formula, after noting what it needs."""
        if condition.kind == "int":
            condition = self.arithmetic.compare("NotEq", condition, 0)
        if condition.kind != "bool" or condition.shape != ():
            return self.names.truth()
        formula, needs = condition.at(())
        self.oblige(needs)
        return formula

    def oblige(self, needs: Needs, facts: Sequence[Formula] = ()) -> None:
        """Note what must hold here whatever a mask says."""
        for need in needs.values():
            self.obligations.append(Obligation([*self.facts, *facts], need, self.line))

    # --- loops --------------------------------------------------------------------------------

    def _for(self, statement: ast.For, variables: Variables) -> None:
        if statement.orelse or not isinstance(statement.iter, ast.Call):
            raise NotRead("a loop over something else than a range")
        function = self.evaluate(statement.iter.func, variables)
        if function not in {
            "builtins.range",
            "triton.language.range",
            "triton.language.static_range",
        } or not isinstance(statement.target, ast.Name):
            raise NotRead("a loop over something else than a range")
        if any(keyword.arg not in RANGE_OPTIONS for keyword in statement.iter.keywords):
            raise NotRead("a range whose bounds are named")
        bounds = [self.evaluate(each, variables) for each in statement.iter.args]
        if not 1 <= len(bounds) <= 3:
            raise NotRead("a loop over something else than a range")
        start, end = (0, bounds[0]) if len(bounds) == 1 else bounds[:2]
        step = bounds[2] if len(bounds) == 3 else 1
        if "static" in function and all(isinstance(each, int) for each in (start, end, step)):
            numbers = range(start, end, step or 1)
            if len(numbers) <= MOST_UNROLLED:
                for number in numbers:
                    variables[statement.target.id] = number
                    self._block(statement.body, variables)
                return
        self._count_up(statement, start, end, step, variables)

    def _count_up(
        self, statement: ast.For, start: Any, end: Any, step: Any, variables: Variables
    ) -> None:
        """Read the body for an iteration, of which nothing else is known."""
        first, last, stride = as_value(start), as_value(end), as_value(step)
        assert isinstance(statement.target, ast.Name)
        iteration = self.names.integer("iteration")
        facts: list[Formula] = [iteration >= 0]
        counter = unknown(*data_of(first, last, stride))
        total: list[Formula] = []
        count = self.names.integer("iterations")
        if first.kind == stride.kind == "int" and first.shape == stride.shape == ():
            (low, low_needs), (by, by_needs) = first.at(()), stride.at(())
            self.oblige({**low_needs, **by_needs})
            down = z3.is_int_value(by) and by.as_long() < 0
            if not down:
                self.oblige({by.get_id(): by > 0})
            number = low + by * iteration
            bits = 32 if _is_wide(first, last, stride) is None else _is_wide(first, last, stride)
            needs: Needs = {each.get_id(): each for each in in_range(number + by, bits)}
            if last.kind == "int" and last.shape == ():
                high, high_needs = last.at(())
                self.oblige(high_needs)
                end = low + by * count
                facts.append(number > high if down else number < high)
                total = [
                    z3.Implies(count > 0, end - by > high if down else end - by < high),
                    end <= high if down else end >= high,
                ]
            else:
                facts.append(number < MOST_ELEMENTS)  # assumed of an end that is loaded
            # A counter that overflowed would begin again below zero.
            self.oblige(needs, facts)
            counter = of_formula(number, bits)
            counter = replace(counter, data=data_of(first, last))
        self._loop(
            statement.body, variables, facts, iteration, (count, [count >= 0, *total]),
            {statement.target.id: counter},
        )  # fmt: skip

    def _while(self, statement: ast.While, variables: Variables) -> None:
        if statement.orelse:
            raise NotRead("`else` of a loop")
        iteration, count = self.names.integer("iteration"), self.names.integer("iterations")
        self._loop(
            statement.body, variables, [iteration >= 0], iteration, (count, [count >= 0]), {},
            statement.test,
        )  # fmt: skip

    def _loop(
        self,
        body: Sequence[ast.stmt],
        variables: Variables,
        facts: Sequence[Formula],
        iteration: Formula,
        behind: tuple[Formula, Sequence[Formula]],
        counters: Mapping[str, Value],
        test: ast.expr | None = None,
    ) -> None:
        changed = names_in(ast.Module(body=list(body), type_ignores=[])) | set(counters)
        steps = {
            name: step
            for name, step in _steps(body, changed).items()
            if name in variables and not _names(step) & changed
        }
        growth = {name: self.evaluate(step, variables) for name, step in steps.items()}
        before = len(self.facts)
        self.facts += facts
        own = self._at(iteration, variables, changed, growth) | dict(counters)
        if test is not None:
            self._went_on(test, variables, changed, growth, iteration)
            self.facts.append(self._condition(test, own))
        try:
            self._block(body, own)
        except _Return:
            raise NotRead("a loop that returns") from None
        finally:
            del self.facts[before:]
        count, known = behind
        if any(name in growth for name in changed):
            self.facts += known
        after = self._at(count, variables, changed, growth)
        if test is not None:
            self._went_on(test, variables, changed, growth, count)
            self.facts.append(z3.Not(self._condition(test, after)))
        variables.update(after)
        for name in changed - set(after):
            variables[name] = unknown(f"`{name}`, which a loop sets")

    def _at(
        self, times: Formula, variables: Variables, changed: set[str], growth: Mapping[str, Any]
    ) -> Variables:
        """Return the variables after so many iterations, without those that the body introduces."""
        return {
            name: self._carry(name, value, growth, times) if name in changed else value
            for name, value in variables.items()
        }

    def _went_on(
        self,
        test: ast.expr,
        variables: Variables,
        changed: set[str],
        growth: Mapping[str, Any],
        times: Formula,
    ) -> None:
        """Note that the condition held one iteration earlier, if there was one."""
        if any(isinstance(node, ast.Call) for node in ast.walk(test)):
            return
        value = self.evaluate(test, self._at(times - 1, variables, changed, growth))
        if isinstance(value, Value) and value.kind == "bool" and value.shape == ():
            # By induction a machine computed it as it is written here.
            self.facts.append(z3.Implies(times > 0, value.at(())[0]))

    def _condition(self, test: ast.expr, variables: Variables) -> Formula:
        value = self.evaluate(test, variables)
        return self._truth(value) if isinstance(value, Value) else z3.BoolVal(bool(value))

    def _carry(self, name: str, old: Any, growth: Mapping[str, Any], times: Formula) -> Value:
        """Return a variable that a loop changes, after so many iterations."""
        if name in growth:
            value, step = as_value(old), as_value(growth[name])
            moves = value.kind in {"int", "pointer"} and step.kind == "int"
            if moves and broadcast([value.shape, step.shape]) == value.shape is not None:
                return self._after_steps(value, step, times)
        return unknown(f"`{name}`, which a loop changes")

    def _after_steps(self, value: Value, step: Value, times: Formula) -> Value:
        bits = value.bits if value.kind == "pointer" else _is_wide(value, step) or 32

        def needs(_a: Formula, _b: Formula, result: Formula) -> list[Formula]:
            return [] if value.kind == "pointer" else in_range(result, bits)

        after = elementwise(
            value.kind, lambda a, b: a + times * b, value, step, bits=bits, needs=needs
        )
        return replace(after, tensor=value.tensor)

    # --- memory -------------------------------------------------------------------------------

    def access(self, kind: str, pointer: Any, mask: Any) -> None:
        """Note an access, in any lane where the mask is on."""
        if not isinstance(pointer, Value) or pointer.kind != "pointer" or pointer.tensor is None:
            raise NotRead(f"a tl.{kind} from an address that I do not follow")
        if mask is False:
            return
        on = as_value(True if mask is None else mask)
        if on.kind == "int":
            on = self.arithmetic.compare("NotEq", on, 0)
        shape = broadcast([pointer.shape, on.shape if on.kind == "bool" else ()])
        extents = shape if shape is not None else on.shape if on.kind == "bool" else ()
        place, inside = self._any_lane(extents or ())
        condition: Formula = self.names.truth()
        if on.kind == "bool":
            condition, needs = lane_at(on, place)
            self.oblige(needs, inside)
        offset, needs = pointer.at(()) if pointer.shape is None else lane_at(pointer, place)
        self.accesses.append(
            Access(
                kind,
                pointer.tensor,
                offset,
                [*self.facts, *inside, condition],
                list(needs.values()),
                pointer.data | on.data,
                self.line,
            )
        )

    def _any_lane(self, shape: Sequence[Any]) -> tuple[tuple[Formula, ...], list[Formula]]:
        place: list[Formula] = []
        facts: list[Formula] = []
        for extent in shape:
            if isinstance(extent, int) and extent == 1:
                place.append(z3.IntVal(0))
                continue
            lane = self.names.integer("lane")
            place.append(lane)
            facts += [lane >= 0, lane < extent]
            if not isinstance(extent, int):
                facts.append(extent <= BLOCK_ELEMENTS)
        return tuple(place), facts

    # --- expressions --------------------------------------------------------------------------

    def call(self, node: ast.Call, variables: Variables) -> Any:
        """Return what a function of Triton, of the file, or a method returns."""
        if isinstance(node.func, ast.Attribute):
            owner = self.evaluate(node.func.value, variables)
            if not isinstance(owner, Dotted):
                arguments, named = self._arguments(node, variables)
                return self._language.method(owner, node.func.attr, arguments, named)
        function = self.evaluate(node.func, variables)
        arguments, named = self._arguments(node, variables)
        if isinstance(function, Dotted):
            return self._language.call(function, arguments, named)
        if isinstance(function, ast.FunctionDef):
            return self._inline(function, arguments, named)
        if isinstance(function, Value) and function.kind == "unknown":
            return unknown(*function.data)
        raise NotRead(f"a call of `{ast.unparse(node.func)[:40]}`")

    def _arguments(self, node: ast.Call, variables: Variables) -> tuple[list[Any], dict[str, Any]]:
        named: dict[str, Any] = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                raise NotRead("`**` in a kernel's call")
            named[keyword.arg] = self.evaluate(keyword.value, variables)
        return self._elements(node.args, variables), named

    def _inline(
        self, function: ast.FunctionDef, arguments: list[Any], named: dict[str, Any]
    ) -> Any:
        self._calls += 1
        if self._calls > MOST_CALLS:
            raise NotRead("functions that call each other too often")
        line = self.line
        variables = bind(self, function, arguments, named)
        result = self._run(function, variables)
        self.line = line
        return result

    def attribute(self, value: Any, name: str) -> Any:
        """Return an attribute of a block, such as its shape."""
        return self._language.attribute(value, name)

    def item(self, value: Any, index: ast.expr, variables: Variables) -> Any:
        """Return a block with new axes, or a part of a tuple."""
        if isinstance(value, tuple):
            number = self.evaluate(index, variables)
            if not isinstance(number, int) or not -len(value) <= number < len(value):
                raise NotRead("a part of a tuple")
            return value[number]
        if not isinstance(value, Value):
            raise NotRead("an index into something else than a block")
        if value.kind == "unknown" or value.shape is None:
            return replace(value, masked=None)
        return self._language.indexed(value, index)

    def if_expression(self, node: ast.IfExp, variables: Variables) -> Any:
        """Return one side, or either of them."""
        condition = self.evaluate(node.test, variables)
        if not isinstance(condition, Value):
            return self.evaluate(node.body if condition else node.orelse, variables)
        yes = of_formula(self._truth(condition))
        left, right = (self.evaluate(each, variables) for each in (node.body, node.orelse))
        return self._either(yes, left, right, condition.data)

    def program(self, axis: Any) -> Value:
        """Return `tl.program_id(axis)`."""
        if not isinstance(axis, int) or not 0 <= axis < 3:
            raise NotRead("the number of a program on an axis that I do not know")
        return of_formula(self.programs[axis], 32)

    def count(self, axis: Any) -> Value:
        """Return `tl.num_programs(axis)`."""
        if not isinstance(axis, int) or not 0 <= axis < 3:
            raise NotRead("the number of programs on an axis that I do not know")
        return of_formula(self.grid[axis] if axis < len(self.grid) else z3.IntVal(1), 32)


def bind(
    reader: Expressions, function: ast.FunctionDef, arguments: list[Any], named: dict[str, Any]
) -> Variables:
    """Return a function's parameters with their arguments. Raises NotRead if they do not fit."""
    parameters = function.args
    if parameters.vararg or parameters.kwarg or parameters.posonlyargs:
        raise NotRead(f"the parameters of `{function.name}`")
    names = [each.arg for each in parameters.args]
    defaults = dict(zip(names[::-1], parameters.defaults[::-1], strict=False))
    for each, default in zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True):
        if default is not None:
            defaults[each.arg] = default
    everything = [*names, *(each.arg for each in parameters.kwonlyargs)]
    if len(arguments) > len(names) or set(named) - set(everything):
        raise NotRead(f"the arguments of `{function.name}`")
    variables: Variables = dict(zip(names, arguments, strict=False))
    if set(variables) & set(named):
        raise NotRead(f"the arguments of `{function.name}`")
    variables.update(named)
    for name in everything:
        if name not in variables:
            if name not in defaults:
                raise NotRead(f"`{function.name}` lacks its argument `{name}`")
            variables[name] = reader.evaluate(defaults[name], {})
    return variables


def _load_of(target: ast.expr) -> ast.expr:
    if not isinstance(target, ast.Name):
        raise NotRead(f"an assignment to `{ast.unparse(target)[:40]}`")
    return ast.Name(target.id, ast.Load())


def _steps(body: Sequence[ast.stmt], changed: set[str]) -> dict[str, ast.expr]:
    """Return the variables that a loop's body changes only once, by adding something, with that."""
    times: dict[str, int] = dict.fromkeys(changed, 0)
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                times[node.id] += 1
    steps: dict[str, ast.expr] = {}
    for statement in body:
        name, step = _step(statement)
        if step is not None and times[name] == 1 and _is_fixed(step):
            steps[name] = step
    return steps


def _step(statement: ast.stmt) -> tuple[str, ast.expr | None]:
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        if isinstance(statement.op, ast.Add):
            return statement.target.id, statement.value
        return "", None
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target, value = statement.targets[0], statement.value
        if isinstance(target, ast.Name) and isinstance(value, ast.BinOp):
            left = value.left
            same = isinstance(left, ast.Name) and left.id == target.id
            if same and isinstance(value.op, ast.Add):
                return target.id, value.right
    return "", None


def _names(node: ast.expr) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _is_fixed(node: ast.expr) -> bool:
    """Return whether an expression calls nothing that could differ between iterations."""
    calls = [each for each in ast.walk(node) if isinstance(each, ast.Call)]
    return all(
        isinstance(each.func, ast.Attribute) and each.func.attr in {"num_programs", "cdiv"}
        for each in calls
    )


def _is_wide(*values: Value) -> int | None:
    known = [value.bits for value in values if value.bits is not None]
    return max(known) if known else None


def _equal(a: Any, b: Any) -> bool:
    try:
        return type(a) is type(b) and bool(a == b)
    except Exception:  # noqa: BLE001 - values of any kind
        return False
