"""Random TIR functions with guards, for a pass that eliminates them. Trusted.

The writer knows for each guard what becomes of it:
    true, false   decided by the loops around it, or by the guard around it
    peel          decided in all iterations of its loop but the last
    open          not decidable: data, a parity, a scalar parameter, a middle of the loop
Mistakes change the outputs: results go into buffers that are read again, also through a second
name, sums are carried from iteration to iteration, and both branches store.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import bare_tvm  # noqa: F401
import tvm
from plans import Plan
from tvm import tirx

NAMES = ("i", "j", "k", "row", "col", "t", "n0", "idx", "ax")
MOST_LOOPS = 3
MOST_GUARDS = 3


def make(seed: int, functions: int) -> dict[str, Any]:
    """Return a module of random functions and a plan of calls, as `Plan.written` describes them."""
    rng, plan = random.Random(seed), Plan()
    built = {f"f{number}": _Writer(rng).function(f"f{number}") for number in range(functions)}
    for name, writer in built.items():
        for scalar in rng.sample(range(6), 2):
            arrays = [plan.array(shape, kind) for shape, kind in writer.buffers]
            plan.call(name, [*arrays, scalar], writer.buffers)
    return plan.written(tvm.IRModule({name: writer.written for name, writer in built.items()}))


class _Loop:
    """A loop that is being written. extent: None if the scalar parameter is its length."""

    def __init__(self, variable: Any, start: int, extent: int | None) -> None:
        self.variable = variable
        self.start = start
        self.extent = extent

    @property
    def last(self) -> int:
        """The last value of its variable."""
        assert self.extent is not None
        return self.start + self.extent - 1


class _Writer:
    """Writes one function. written: the function. buffers: shapes and dtypes of its parameters."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.kind = rng.choice(["int32", "int32", "int64", "float32"])
        self.index = rng.choice(["int32", "int32", "int32", "int64"])
        self.buffers: list[tuple[tuple[int, ...], str]] = []
        self.loops: list[_Loop] = []
        self.budget = 11
        self.depth = 0
        # One in five functions has no guard to eliminate.
        self.idle = rng.random() < 0.2
        self.written: Any = None

    def function(self, name: str) -> _Writer:
        """Write the function into `written`; return self."""
        rng = self.rng
        self.n = tirx.Var("n", self.index)
        shapes = [(rng.randint(5, 12),) for _ in range(rng.randint(2, 3))]
        if rng.random() < 0.4:
            shapes.append((rng.randint(2, 4), rng.randint(3, 5)))
        self.buffers = [(shape, self.kind) for shape in shapes]
        parameters = [
            tirx.decl_buffer(shape, self.kind, f"{'ABCD'[place]}")
            for place, shape in enumerate(shapes)
        ]
        self.memory = list(zip(parameters, shapes, strict=True))
        head = self._second_name() if rng.random() < 0.6 else []
        parts = [self._loop() for _ in range(rng.randint(1, 3))]
        body = tirx.SeqStmt([*head, *parts]) if len(head) + len(parts) > 1 else parts[0]
        written = tirx.PrimFunc([*parameters, self.n], body)
        if rng.random() < 0.3:
            written = written.with_attr("op_pattern", rng.randint(0, 8))
        self.written = written.with_attr("global_symbol", name)
        return self

    def _second_name(self) -> list[Any]:
        """Declare a second name for the first buffer; return the statement in a list."""
        first, shape = self.memory[0]
        again = tirx.decl_buffer(shape, self.kind, "also_" + first.name)
        self.memory.append((again, shape))
        return [tirx.DeclBuffer(again, data=first.data)]

    # --- statements

    def _statements(self) -> Any:
        count = self.rng.choice([1, 1, 2, 2, 3])
        parts: list[Any] = []
        for _ in range(count):
            statement = self._statement()
            parts += statement if isinstance(statement, list) else [statement]
        return parts[0] if len(parts) == 1 else tirx.SeqStmt(parts)

    def _statement(self) -> Any:
        self.budget -= 1
        rng = self.rng
        if self.budget <= 0:
            return self._store()
        if len(self.loops) < MOST_LOOPS and rng.random() < 0.3:
            return self._loop()
        if self.depth < MOST_GUARDS and rng.random() < 0.75:
            return rng.choice(self._guards())()
        if rng.random() < 0.4:
            return self._snapshot()
        return self._store()

    def _loop(self) -> Any:
        rng = self.rng
        variable = tirx.Var(rng.choice(NAMES), self.index)
        start = rng.choice([0, 0, 0, 1, -2, 3])
        extent: int | None = rng.choice([2, 3, 3, 4, 4, 5, 6])
        draw = rng.random()
        if draw < 0.15:
            start, extent = 0, None
        if draw > 0.95 and not self.idle:
            return self._empty_loop(variable)
        length = self.n if extent is None else self._number(extent)
        self.loops.append(_Loop(variable, start, extent))
        kind = tirx.ForKind.SERIAL
        if extent is not None and rng.random() < 0.05:
            kind = tirx.ForKind.UNROLLED
        body = self._statements() if kind == tirx.ForKind.SERIAL else self._store()
        self.loops.pop()
        return tirx.For(variable, self._number(start), length, kind, body)

    def _empty_loop(self, variable: Any) -> Any:
        """A loop of no iterations, whose body stores out of bounds."""
        buffer, shape = self.memory[0]
        beyond = [self._number(extent + 3) for extent in shape]
        store = tirx.BufferStore(buffer, self._constant(1), beyond)
        start = self._number(self.rng.choice([0, 4]))
        return tirx.For(variable, start, self._number(0), tirx.ForKind.SERIAL, store)

    def _store(self, at: list[Any] | None = None) -> Any:
        """Store a value, or an accumulated sum, into an element within the buffer's bounds."""
        buffer, shape = self.rng.choice(self.memory)
        indices = at or self._inside(shape)
        value = self._value()
        if self.rng.random() < 0.5:
            factor = self._constant(self.rng.choice([1, 2, 3]))
            value = self._bounded(tirx.BufferLoad(buffer, indices) * factor + value)
        return tirx.BufferStore(buffer, value, indices)

    def _snapshot(self) -> Any:
        """Bind a loaded value, perhaps overwrite the element, then test the bound value."""
        variable = tirx.Var("seen", self.kind)
        bound = tirx.Bind(variable, self._load())
        guard = tirx.IfThenElse(variable > self._constant(0), self._store(), None)
        return [bound, self._store(), guard]

    # --- guards

    def _guards(self) -> list[Callable[[], Any]]:
        """Return the makers of guards that can be written here."""
        kinds = [self._open_guard, self._data_guard, self._data_guard_twice]
        if self.idle:
            return kinds
        loop = self.loops[-1]
        kinds += [self._true_guard] * 3 + [self._false_guard] * 2
        if loop.extent is not None:
            kinds += [self._implied_guard, self._implied_guard, self._middle_guard]
            kinds += [self._peel_guard] * 3 + [self._bounds_check] * 2
        if self._tile() is not None:
            kinds += [self._tiled_guard] * 4
        return kinds

    def _guard(self, condition: Any) -> Any:
        self.depth += 1
        then = self._statements()
        otherwise = self._statements() if self.rng.random() < 0.4 else None
        self.depth -= 1
        return tirx.IfThenElse(condition, then, otherwise)

    def _true_guard(self) -> Any:
        loop, pick = self.rng.choice(self.loops), self.rng.randint
        variable = loop.variable
        if loop.extent is None:
            return self._guard(self.rng.choice([variable < self.n, variable >= 0]))
        shift, divisor = pick(1, 9), self.rng.choice([2, 3, 4])
        low, high = loop.start - shift, loop.last - shift
        choices = [
            variable < loop.last + pick(1, 3),
            variable + shift <= loop.last + shift,
            variable >= loop.start - pick(0, 2),
            tirx.floordiv(variable - shift, self._number(divisor)) >= low // divisor,
            tirx.floordiv(variable - shift, self._number(divisor)) <= high // divisor,
            tirx.floormod(variable - shift, self._number(divisor)) < divisor,
            tirx.floormod(variable - shift, self._number(divisor)) >= 0,
            tirx.truncmod(variable - shift, self._number(divisor)) > -divisor,
            tirx.all(variable < loop.last + 1, variable >= loop.start),
        ]
        return self._guard(self.rng.choice(choices))

    def _false_guard(self) -> Any:
        """A guard whose branch is never executed."""
        loop, pick = self.rng.choice(self.loops), self.rng.randint
        variable = loop.variable
        if loop.extent is None:
            return self._guard(self.rng.choice([variable >= self.n, variable < 0]))
        divisor = self.rng.choice([2, 3, 4])
        choices = [
            variable > loop.last,
            variable < loop.start,
            variable >= loop.last + pick(1, 4),
            tirx.floormod(variable - pick(1, 9), self._number(divisor)) >= divisor,
            tirx.floormod(variable - pick(1, 9), self._number(divisor)) < 0,
        ]
        return self._guard(self.rng.choice(choices))

    def _peel_guard(self) -> Any:
        """A guard decided in all iterations of the innermost loop but the last."""
        loop = self.loops[-1]
        variable = loop.variable
        choices = [
            variable < loop.last,
            variable + 1 <= loop.last,
            self._number(loop.last) > variable,
            variable >= loop.last,
            variable != self._number(loop.last),
        ]
        return self._guard(self.rng.choice(choices))

    def _middle_guard(self) -> Any:
        """A guard that changes in the middle of the loop; it stays unless the loop is too short."""
        loop = self.loops[-1]
        middle = loop.start + max(1, (loop.extent or 0) // 2 - 1)
        if middle >= loop.last:
            return self._peel_guard()
        return self._guard(loop.variable < middle)

    def _bounds_check(self) -> Any:
        """A bounds check as compilers emit it; without it the store may be out of bounds."""
        loop = self.loops[-1]
        buffer, shape = self.rng.choice([m for m in self.memory if len(m[1]) == 1])
        # At most the last iteration is past the end: 0 ≤ variable + shift ≤ shape[0].
        past = self.rng.choice([0, 1])
        shift = shape[0] - 1 + past - loop.last
        if loop.start + shift < 0:
            return self._peel_guard()
        index = loop.variable + shift
        store = tirx.BufferStore(buffer, self._value(), [index])
        otherwise = self._store() if self.rng.random() < 0.5 else None
        return tirx.IfThenElse(index < shape[0], store, otherwise)

    def _implied_guard(self) -> Any:
        """A guard that stays and decides other guards in its branches."""
        loop = self.loops[-1]
        length = loop.extent or 0
        if length < 4:
            return self._true_guard()
        middle = loop.start + self.rng.randint(1, length - 3)
        variable = loop.variable
        inner = [variable < middle + 1, variable < middle, variable > middle]
        outer = [variable >= middle, variable >= middle - 1, variable < middle]
        self.depth += 1
        then = self._guard(self.rng.choice(inner))
        otherwise = self._guard(self.rng.choice(outer)) if self.rng.random() < 0.6 else None
        self.depth -= 1
        return tirx.IfThenElse(variable < middle, then, otherwise)

    def _tile(self) -> tuple[_Loop, _Loop] | None:
        """Return the two innermost loops if both have constant length and begin at 0, else None."""
        if len(self.loops) < 2:
            return None
        outer, inner = self.loops[-2:]
        constant = outer.extent is not None and inner.extent is not None
        return (outer, inner) if constant and outer.start == inner.start == 0 else None

    def _tiled_guard(self) -> Any:
        """i·tile + j < length: only the last tile can be past the end."""
        tile = self._tile()
        assert tile is not None
        outer, inner = tile
        rows, width = outer.extent or 0, inner.extent or 0
        length = self.rng.choice([rows * width, *range((rows - 1) * width + 1, rows * width - 1)])
        index = outer.variable * width + inner.variable
        return self._guard(index < length)

    def _open_guard(self) -> Any:
        """A guard on a parity or on the scalar parameter."""
        variable = self.rng.choice(self.loops).variable
        parity = tirx.floormod(variable - 3, self._number(2)).equal(self._number(0))
        choices = [parity, self.n > self.rng.randint(1, 4), self.n.equal(self._number(3))]
        return self._guard(self.rng.choice(choices))

    def _data_guard(self) -> Any:
        return self._guard(self._load() > self._constant(self.rng.choice([-1, 0, 1])))

    def _data_guard_twice(self) -> Any:
        """Test an element, store -2 to it or to an equally large buffer, and test it again."""
        names = [m for m in self.memory if m[1] == self.memory[0][1]]
        buffer, shape = self.memory[0]
        other, _ = self.rng.choice(names)
        place = self._inside(shape)
        condition = tirx.BufferLoad(buffer, place) > self._constant(0)
        lowered = tirx.BufferStore(other, self._constant(-2), place)
        inner = tirx.IfThenElse(condition, self._store(), self._store())
        return tirx.IfThenElse(condition, tirx.SeqStmt([lowered, inner]), None)

    # --- expressions

    def _inside(self, shape: tuple[int, ...]) -> list[Any]:
        """Return an index for each dimension, computed from loop variables, within the shape."""
        return [self._within(extent) for extent in shape]

    def _within(self, extent: int) -> Any:
        rng = self.rng
        if rng.random() < 0.2:
            return self._number(rng.randrange(extent))
        variable = rng.choice(self.loops).variable
        shifted = variable * rng.choice([1, 1, 2, 3]) + rng.randint(-3, 3)
        return tirx.floormod(shifted, self._number(extent))

    def _load(self) -> Any:
        buffer, shape = self.rng.choice(self.memory)
        return tirx.BufferLoad(buffer, self._inside(shape))

    def _value(self) -> Any:
        """Return a load, a constant, an expression of loop variables, or a sum of two of them."""
        rng = self.rng
        choices = [self._load(), self._constant(rng.randint(-5, 5)), self._of_loops()]
        first, second = rng.sample(choices, 2)
        return self._bounded(first + second) if rng.random() < 0.6 else first

    def _of_loops(self) -> Any:
        variable = self.rng.choice(self.loops).variable
        if self.kind == "float32":
            return variable.astype("float32") * tirx.FloatImm("float32", 0.5)
        mixed = tirx.floordiv(variable * 5 - 7, self._number(3)) + tirx.truncmod(
            variable - 4, self._number(3)
        )
        return mixed if self.kind == self.index else mixed.astype(self.kind)

    def _bounded(self, value: Any) -> Any:
        """Return the value kept small, however often it is accumulated."""
        if self.kind == "float32":
            return value * tirx.FloatImm("float32", 0.5)
        return tirx.truncmod(value, tirx.IntImm(self.kind, 97))

    def _constant(self, value: int) -> Any:
        if self.kind == "float32":
            return tirx.FloatImm("float32", float(value))
        return tirx.IntImm(self.kind, value)

    def _number(self, value: int) -> Any:
        return tirx.IntImm(self.index, value)
